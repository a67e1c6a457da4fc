"""What commands print for people: the figures of a run, and a person's list."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from sottovoce.cli.screen import console
from sottovoce.plural import count
from sottovoce.printable import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sottovoce.experiments.outcome import Consumed, Recommendation, Run

_WIDE = 10_000  # letters, more than any table has


def figures(run: "Run") -> None:
    """The metrics of a run beside baselines and references, what they cost, and what they are about."""
    from sottovoce.experiments import phrases
    from sottovoce.experiments.machine import duration, size
    from sottovoce.experiments.outcome import missing

    screen = console()
    result = run.result
    data = result["data"]
    source = f" ({data['source']})" if data["source"] else ""
    screen.print(
        f"{data['name']}: {count(data['interactions'], 'interaction')} of {count(data['people'], 'person')} "
        f"with {count(data['items'], 'item')}{source}",
        soft_wrap=True,
    )
    for note in run.notes:
        screen.print(printable(note), soft_wrap=True)
    rows = {phrases.method(run.recipe): run.metrics} | run.baselines
    rows |= {f"{name} (central)": metrics for name, metrics in run.references.items()}
    columns = {}
    for place, (name, metrics) in enumerate(rows.items()):
        none = "—" if place else missing(run.curve[-1])
        lost = place == 0 and run.diverged is not None and run.diverged.most
        columns[name] = [none if lost or metrics[m] is None else f"{metrics[m]:.4f}" for m in run.metrics]
    screen.print()
    screen.print(_table(screen, list(run.metrics), columns))
    screen.print()
    verdict = run.verdict
    screen.print(f"{verdict.headline} {verdict.sentence}", soft_wrap=True)
    took = f"({size(result['bytes'])}), {duration(result['seconds'])} of training"
    told = (count(result[f"{what}s"], what) for what in ("round", "node", "message"))
    screen.print(f"{', '.join(told)} {took}", soft_wrap=True)


def _table(screen: "Console", metrics: Sequence[str], subjects: Mapping[str, Sequence[str]]) -> "Table":
    """A row for each subject; where the screen is too narrow for that, a row for each metric."""
    from rich.table import Table

    wide, tall = (Table(box=None, pad_edge=False, padding=(0, 2, 0, 0)) for _ in range(2))
    for table, columns in ((wide, metrics), (tall, list(subjects))):
        table.add_column("")
        for column in columns:
            table.add_column(column, justify="right")
    for place, (name, values) in enumerate(subjects.items()):
        wide.add_row(name, *values, style=None if place else "bold")
    for row in zip(metrics, *subjects.values(), strict=True):
        tall.add_row(*row)
    fits = screen.measure(wide, options=screen.options.update(max_width=_WIDE)).maximum <= screen.width
    return wide if fits else tall


def listing(
    user: str, recommendations: "Sequence[Recommendation]", history: "Sequence[Consumed] | None"
) -> None:
    """A person's recommendations, with the history they rest on beside them if there is one."""
    from rich.table import Table

    table = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        title=f"Person {printable(user)}",
        title_justify="left",
    )
    table.add_column("", justify="right")
    table.add_column("recommended", overflow="fold")
    table.add_column("")
    if history is not None:
        table.add_column("liked before", overflow="fold")
        table.add_column("rating", justify="right")
    for entry, past in zip_longest(recommendations, (history or [])[: len(recommendations)]):
        new = ("", "", "") if entry is None else (str(entry.rank), entry.title, "✓" * entry.held_out)
        old = ("", "") if past is None else (past.title, f"{past.value:g}")
        table.add_row(*(printable(text) for text in (new if history is None else new + old)))
    screen = console()
    screen.print()
    screen.print(table)
    if any(entry.held_out for entry in recommendations):
        screen.print("✓ kept from the model, and indeed in this person's history", soft_wrap=True)
