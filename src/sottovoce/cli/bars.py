"""Bars of block characters, for a distribution at a glance in a terminal."""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 40
EIGHTHS = " ▏▎▍▌▋▊▉"


def bar(share: float, width: int = WIDTH) -> str:
    """A bar of this share of the width, to an eighth of a character; never empty unless the share is 0."""
    eighths = max(round(share * width * 8), int(share > 0))
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()


def bars(console: "Console", title: str, counts: Mapping[str, int]) -> None:
    """A line for each count: its label, a bar in proportion to the largest, the count."""
    console.print(f"\n{title}")
    label, number = max(map(len, counts)), max(len(f"{n:,}") for n in counts.values())
    top = max(1, *counts.values())
    room = min(WIDTH, max(10, console.width - label - number - 5))
    for name, count in counts.items():
        console.print(f"  {name:>{label}} {count:>{number},} {bar(count / top, room)}", soft_wrap=True)


def by_magnitude(values: Any) -> dict[str, int]:
    """How many numbers are 0, 1, 2 to 4, 5 to 9, 10 to 19 and so on; empty steps at the ends are left out.

    Numbers below 0 or with fractions are counted in ten equal steps.
    """
    import numpy as np

    if (values < 0).any() or (values != np.floor(values)).any():
        counts, edges = np.histogram(values, 10)
        steps = (f"{low:g} to {high:g}" for low, high in pairwise(edges.tolist()))
        return dict(zip(steps, counts.tolist(), strict=True))
    limits = [0, *(m * 10**e for e in range(10) for m in (1, 2, 5))]
    counts = np.histogram(values, [*limits, np.inf])[0].tolist()
    held = np.flatnonzero(counts)
    names = [f"{low:,}" if high == low + 1 else f"{low:,}–{high - 1:,}" for low, high in pairwise(limits)]
    names.append(f"{limits[-1]:,} or more")
    return {names[n]: counts[n] for n in range(held[0], held[-1] + 1)}
