"""`sottovoce reproduce`: a table or figure, of a paper or of our own, run again."""

from pathlib import Path
from typing import Any

import click

from sottovoce.cli import options
from sottovoce.cli.screen import say


@click.command("reproduce")
@click.argument("name", required=False)
@click.option("--quick", is_flag=True, help="A reduced version, which decides nothing about the paper.")
@click.option("--list", "listed", is_flag=True, help="Name everything that can be reproduced.")
@click.option(
    "--seeds",
    help="How many seeds or repetitions (1, 2, …), or a list such as 1,7,9.  [default: as the file says]",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes at a time; measurements are always made one by one.  [default: one for two processors]",
)
@click.option(
    "--only",
    metavar="LABEL",
    multiple=True,
    help="Run a part: these labels, such as 'MovieLens 100K', of the axes they belong to; may be repeated.",
)
@options.data_dir
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory for all runs; a stopped reproduction continues.  [default: runs/reproduce/<name>]",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, file_okay=False),
    help="Put the result into this directory of pages; without NAME, write its pages again.",
)
@options.as_json
def command(
    name: str | None,
    quick: bool,
    listed: bool,
    seeds: str | None,
    jobs: int | None,
    only: tuple[str, ...],
    data_dir: Path | None,
    out: Path | None,
    page: Path | None,
    as_json: bool,
) -> None:
    """Run or measure what a table or figure of a paper needs, and compare the results with the paper's.

    NAME is a shipped reproduction, such as hegedus/figure-3, or a file; lead/… are comparisons of our own.
    The same command again continues one that was stopped. It writes every run, reproduction.json and
    reproduction.html. Runs have no report of their own; `sottovoce report` draws one.
    """
    if listed:
        _list(as_json)
        return
    from sottovoce.experiments import functions
    from sottovoce.experiments.reproduce import docs, execute
    from sottovoce.experiments.runs import sweep

    if name is None:
        if page is None:
            raise click.UsageError("Name what to reproduce; sottovoce reproduce --list shows all names.")
        docs.write(page)
        return
    found = functions.reproduce(
        name,
        quick=quick,
        seeds=None if seeds is None else sweep.seeds(seeds),
        jobs=jobs,
        only=only,
        out=out,
        page=page,
        data_dir=data_dir,
        progress=True,
    )
    if as_json:
        import json

        click.echo(json.dumps({key: value for key, value in found.items() if key != "panels"}))
    else:
        _show(found)
        say(f"page: {Path(found['directory']) / execute.HTML}")


def _show(found: dict[str, Any]) -> None:
    """Print statements with their evidence, then figures beside the paper's."""
    from rich.table import Table

    from sottovoce.cli.screen import console
    from sottovoce.experiments.reproduce import words

    screen, marks = console(), {True: "✓", False: "✗", None: "·"}
    screen.print(f"{words.title(found)}: {words.verdict(found)}\n{words.scope(found)}", soft_wrap=True)
    for claim in found["claims"]:
        screen.print(f"\n{words.judgement(claim)}: {words.stated(found, claim)}", soft_wrap=True)
        for finding in claim["findings"]:
            screen.print(f"  {marks[finding['holds']]} {finding['said']}", soft_wrap=True)
    for one in words.tables(found):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for column in one.header:
            table.add_column(column, justify="left" if column in ("", "figure") else "right")
        for line in one.lines:
            table.add_row(*line)
        screen.print()
        screen.print(table)


def _list(as_json: bool) -> None:
    from sottovoce.experiments.recipe.shipped import shipped

    known = shipped("reproduction")
    if as_json:
        import json

        click.echo(json.dumps([{"name": each.name, "summary": each.summary} for each in known]))
        return
    from sottovoce.cli.listing import listing

    listing((each.name, each.summary) for each in known)
