"""What commands print: the figures of a run, and a person's list."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from sottovoce.cli.screen import console
from sottovoce.plural import count
from sottovoce.printable import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sottovoce.experiments.runs.run import Run
    from sottovoce.experiments.runs.tables import Consumed, Recommendation

_WIDE = 10_000  # letters, more than any table has


def figures(run: "Run") -> None:
    """Print the data of a run, its metrics beside baselines and references, its verdict and its cost."""
    from sottovoce.experiments.recipe import phrases
    from sottovoce.experiments.runs.dp import sentences
    from sottovoce.experiments.runs.machine import duration, size
    from sottovoce.experiments.runs.trouble import missing

    screen = console()
    result, data = run.figures, run.figures.data
    source = f" ({data.source})" if data.source else ""
    screen.print(
        f"{data.name}: {count(data.interactions, 'interaction')} of {count(data.people, 'person')} "
        f"with {count(data.items, 'item')}{source}",
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
    took = f"({size(result.bytes)}), {duration(result.seconds)} of training"
    counts = {"round": result.rounds, "node": result.nodes, "message": result.messages}
    text = ", ".join(count(number, noun) for noun, number in counts.items())
    screen.print(f"{text} {took}", soft_wrap=True)
    if result.dp is not None:
        screen.print(" ".join(sentences(result.dp)), soft_wrap=True)


def _table(screen: "Console", metrics: Sequence[str], subjects: Mapping[str, Sequence[str]]) -> "Table":
    """A row for each subject, or if the screen is too narrow, a row for each metric."""
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
    """Print a person's recommendations, with their history beside them if it is known."""
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
        held_out = "✓ held out: it is in this person's history, but the model did not learn from it"
        screen.print(held_out, soft_wrap=True)
