"""What commands print for people: the figures of a run, and a person's list."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from sottovoce.experiments.outcome import Consumed, Recommendation, Run


def figures(run: "Run") -> None:
    """The metrics of a run beside baselines and references, what they cost, and what they are about."""
    from rich.table import Table

    from sottovoce.experiments.machine import duration, size
    from sottovoce.experiments.outcome import missing

    screen = console()
    result = run.result
    data = result["data"]
    source = f" ({data['source']})" if data["source"] else ""
    screen.print(
        f"{data['name']}: {data['interactions']:,} interactions of {data['people']:,} people "
        f"with {data['items']:,} items{source}",
        soft_wrap=True,
    )
    for note in data.get("notes", ()):
        screen.print(note, soft_wrap=True)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for metric in run.metrics:
        table.add_column(metric, justify="right")
    rows = {f"{run.recipe.model.label} by {run.recipe.protocol.label}": run.metrics} | run.baselines
    rows |= {f"{name} (central)": metrics for name, metrics in run.references.items()}
    for place, (name, metrics) in enumerate(rows.items()):
        none = "—" if place else missing(run.curve[-1])
        values = [none if metrics[m] is None else f"{metrics[m]:.4f}" for m in run.metrics]
        table.add_row(name, *values, style="bold" if place == 0 else None)
    screen.print()
    screen.print(table)
    screen.print()
    screen.print(
        f"{result['rounds']:,} rounds, {result['nodes']:,} nodes, {result['messages']:,} messages "
        f"({size(result['bytes'])}), {duration(result['seconds'])} of training",
        soft_wrap=True,
    )


def listing(
    user: str, recommendations: "Sequence[Recommendation]", history: "Sequence[Consumed] | None"
) -> None:
    """A person's recommendations, with the history they rest on beside them if there is one."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), title=f"Person {user}", title_justify="left"
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
        table.add_row(*map(Text, new if history is None else new + old))
    screen = console()
    screen.print()
    screen.print(table)
    if any(entry.held_out for entry in recommendations):
        screen.print("✓ kept from the model, and indeed in this person's history", soft_wrap=True)


def console() -> "Console":
    from rich.console import Console

    # Titles and paths are data: nothing in them is markup, a number to colour or an emoji.
    return Console(highlight=False, markup=False, emoji=False)
