"""Pictures of a run as inline SVG: the same bytes for the same run, with text that can be read out."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator
from numpy.typing import NDArray

from sottovoce.experiments.markup import Html, element

# Distinguishable with any colour vision and in grey; all have a contrast of 4.5 or more on white.
OURS, POPULARITY, RANDOM, INK, GRID = "#0b5fa5", "#b34700", "#666f7a", "#1d232b", "#e3e7ec"
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sottovoce",
    "font.family": "sans-serif",
    "font.size": 10.5,
    "text.color": INK,
    "axes.edgecolor": "#8b939e",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
}
_LARGE, _SMALL = (5.4, 3.3), (4.3, 2.9)
_STEPS = [1, 2, 2.5, 5, 10]


def curve(
    name: str,
    label: str,
    points: Sequence[tuple[int, float]],
    references: Mapping[str, float],
    percent: bool,
    small: bool = False,
) -> Html:
    """A metric over rounds, with popularity and random as lines to compare with."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(_SMALL if small else _LARGE, percent)
        rounds, values = zip(*points, strict=True)
        mark = "o" if len(points) < 30 else ""
        axes.plot(rounds, values, color=OURS, linewidth=2.2, marker=mark, markersize=3.5)
        if mark:
            axes.plot(rounds[-1:], values[-1:], color=OURS, marker=mark, markersize=3.5, clip_on=False)
        labels = [(values[-1], "this run", OURS)]
        for reference, color, dashes in (("popularity", POPULARITY, (6, 3)), ("random", RANDOM, (1.5, 2))):
            if reference in references:
                value = references[reference]
                axes.axhline(value, color=color, linewidth=1.6, dashes=dashes, zorder=1)
                labels.append((value, reference, color))
        axes.set_ylim(*_limits([*values[len(values) > 2 :], *references.values()], percent))
        axes.set_xlim(min(rounds), max(max(rounds), min(rounds) + 1))
        axes.set_xlabel("round")
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=_STEPS, integer=True))
        _label_ends(axes, labels)
        said = ", ".join(f"{name} {_say(v, percent)}" for v, name, _ in labels)
        text = f"{label} over {rounds[-1]} rounds. At the end: {said}."
        return svg(figure, name, f"{label} over rounds", text)


def distribution(name: str, label: str, groups: Mapping[str, NDArray[np.float64]], percent: bool) -> Html:
    """How many people have at most a given value: the empirical distribution function."""
    with matplotlib.rc_context(_STYLE):
        figure, axes = _axes(_LARGE, percent=True)
        said = []
        for (group, values), (color, style) in zip(
            groups.items(), ((OURS, "-"), (POPULARITY, (0, (6, 3)))), strict=False
        ):
            ordered = np.sort(values)
            share = np.arange(1, len(ordered) + 1) / len(ordered)
            keep = np.append(ordered[1:] != ordered[:-1], True)
            x = np.concatenate(([ordered[0]], ordered[keep]))
            y = np.concatenate(([0.0], share[keep]))
            axes.step(x, y, where="post", color=color, linewidth=2.2, linestyle=style, label=group)
            said.append(
                f"half of the people have at most {_say(float(np.median(values)), percent)} with {group}"
            )
        axes.set_ylim(0, 1)
        if percent:
            axes.set_xlim(0, 1)
            axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * v:.0f} %"))
        axes.set_xlabel(f"{label} of a person")
        axes.set_ylabel("people with at most this")
        axes.legend(loc="best", frameon=False, handlelength=2.6)
        text = "; ".join(said) + "."
        return svg(figure, name, f"Distribution of {label} over people", text[0].upper() + text[1:])


def svg(figure: Figure, name: str, title: str, description: str) -> Html:
    """A figure as an SVG element that scales with the page; `name` keeps its ids apart from others."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    drawn = buffer.getvalue()
    box = re.search(r'viewBox="([^"]+)"', drawn)
    assert box is not None
    inner = drawn[drawn.index(">", drawn.index("<svg")) + 1 : drawn.rindex("</svg>")]
    inner = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", inner)
    inner = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", inner, flags=re.DOTALL)
    inner = re.sub(r"\n\s*\n+", "\n", inner)
    return element(
        "svg",
        element("title", title, id=f"{name}-title"),
        element("desc", description, id=f"{name}-desc"),
        Html(inner),
        viewBox=box.group(1),
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
    )


def _axes(size: tuple[float, float], percent: bool) -> tuple[Figure, Axes]:
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=3)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=_STEPS))
    if percent:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{100 * v:g} %"))
    return figure, axes


def _limits(values: list[float], percent: bool) -> tuple[float, float]:
    """Around all values; the untrained start, which may be far off, does not stretch the picture."""
    low, high = min(values), max(values)
    room = 0.08 * ((high - low) or abs(high) or 1.0)
    return (0.0, min(1.0, high + room)) if percent else (low - room, high + room)


def _label_ends(axes: Axes, labels: list[tuple[float, str, str]]) -> None:
    """Names at the right ends of lines, pushed apart where they would overlap."""
    low, high = axes.get_ylim()
    gap = 0.075
    places: list[float] = []
    for value, name, color in sorted(labels):
        place = min(max((value - low) / (high - low), 0.0), 1.0)
        place = max(place, places[-1] + gap) if places else place
        places.append(place)
        axes.annotate(
            name,
            (1.015, place),
            xycoords="axes fraction",
            color=color,
            va="center",
            fontweight="bold",
            fontsize=10,
        )


def _say(value: float, percent: bool) -> str:
    return f"{100 * value:.1f} %" if percent else f"{value:.3f}"


def finite(points: Sequence[tuple[int, Any]]) -> list[tuple[int, float]]:
    """Points that can be drawn: evaluations that diverged are left out."""
    return [(x, float(y)) for x, y in points if y is not None]
