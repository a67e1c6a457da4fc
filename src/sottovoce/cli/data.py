"""`sottovoce data`: list data sets, get one, or show what is in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sottovoce import plural
from sottovoce.cli import options

if TYPE_CHECKING:
    from rich.console import Console

    from sottovoce.data.interactions import Interactions

BINS = 12
NOUNS = {"users": "person"}


@click.group("data")
def command() -> None:
    """List data sets, get one, or look into one."""


@command.command("list")
@options.data_dir
@options.as_json
def list_(data_dir: Path | None, as_json: bool) -> None:
    """List the data sets that are known by name, and which of them are on this machine."""
    from sottovoce.data.describe import data_sets

    rows = data_sets(data_dir)
    if as_json:
        _print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("name", "", "what", "terms of use"):
        table.add_column(title, overflow="fold")
    for row in rows:
        state = "here" if row["here"] else "can be fetched" if row["fetched"] else "by hand"
        table.add_row(str(row["name"]), state, str(row["summary"]), str(row["terms"]))
    console = _console()
    console.print(table)
    console.print("\nsynthetic needs no files. Get one with: sottovoce data get NAME", soft_wrap=True)


@command.command("get")
@click.argument("name")
@options.data_dir
@options.as_json
def get(name: str, data_dir: Path | None, as_json: bool) -> None:
    """Find the data set NAME, or fetch it into the cache, and check that it can be read."""
    facts = _facts(name, data_dir)[0]
    if as_json:
        _print_json(facts)
        return
    console = _console()
    console.print(f"{facts['name']}: {facts['source']}", soft_wrap=True)
    console.print(f"terms of use: {facts['terms'] or 'not known'}", soft_wrap=True)


@command.command("info")
@click.argument("name")
@options.data_dir
@options.as_json
def info(name: str, data_dir: Path | None, as_json: bool) -> None:
    """Show what is in NAME: a data set, or a file of your own."""
    facts, data = _facts(name, data_dir)
    if as_json:
        _print_json(facts)
        return
    console = _console()
    console.print(f"{facts['name']} ({facts['source']})", soft_wrap=True)
    shown = ("users", "items", "interactions") if data else tuple(facts)
    counts = {k: facts[k] for k in shown if isinstance(facts[k], int)}
    said = (plural.count(v, NOUNS.get(k, k.replace("_", " ").removesuffix("s"))) for k, v in counts.items())
    console.print(", ".join(said), soft_wrap=True)
    for note in facts.get("notes", ()):
        console.print(note, soft_wrap=True)
    if data is not None:
        _plots(console, data, facts)
    console.print(f"\nterms of use: {facts['terms'] or 'not known'}", soft_wrap=True)


def _facts(name: str, data_dir: Path | None) -> tuple[dict[str, Any], "Interactions | None"]:
    """The facts about a data set, and its interactions if it has any."""
    from sottovoce.data import describe
    from sottovoce.data.load import load

    other = describe.other(name, data_dir)
    if other is not None:
        return other, None
    data = load(name, data_dir=data_dir, duplicates="keep")
    return describe.described(data), data


def _plots(console: "Console", data: "Interactions", facts: dict[str, Any]) -> None:
    """Distributions as bars."""
    import numpy as np

    from sottovoce.cli.bars import bars, by_magnitude

    console.print(f"density {100 * data.density:.3g} %", soft_wrap=True)
    known = {
        "titles": facts["titles"],
        "categories": facts["categories"],
        "coordinates": facts["coordinates"],
    }
    said = [f"{v:,} {k}" if k == "categories" else k for k, v in known.items() if v]
    console.print(f"known of items: {', '.join(said) or 'nothing but ids'}", soft_wrap=True)
    if facts["from"]:
        console.print(f"from {facts['from']} until {facts['until']}", soft_wrap=True)
    if len(facts["values"]) > 1:
        bars(console, "ratings", facts["values"])
    elif not facts["values"]:
        bars(console, "values", by_magnitude(data.value))
    bars(console, "people by number of interactions", by_magnitude(np.diff(data.indptr)))
    bars(
        console, "items by number of interactions", by_magnitude(np.bincount(data.item, minlength=data.items))
    )
    if facts["from"]:
        months = data.time.astype("datetime64[s]").astype("datetime64[M]")
        many = len(np.unique(months)) > 2 * BINS
        found, count = np.unique(months.astype("datetime64[Y]") if many else months, return_counts=True)
        bars(console, "interactions by time", dict(zip(map(str, found), count.tolist(), strict=True)))


def _print_json(value: Any) -> None:
    import json

    click.echo(json.dumps(value))


def _console() -> "Console":
    from sottovoce.cli.screen import console

    return console()
