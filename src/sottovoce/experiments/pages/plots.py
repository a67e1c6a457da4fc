"""Curves as inline SVG. The same figures give the same bytes, and no script is needed to read them.

Lines differ in colour (distinguishable with any colour vision), in dashes and in markers. Colours
are presentation attributes: a picture stands alone, and the CSS of a page may override them. The
page's script reads `data-name` and `data-points` to show values and to hide a curve.
"""

import json
import math
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.evaluate.tails import cdf
from sottovoce.experiments.pages.axes import Axis, Kind, limits, place, say, span, step, tick
from sottovoce.experiments.pages.markup import Html, element

# Each has a contrast of 4.5 or more on white.
COLORS = ("#0b5fa5", "#00795c", "#8e3b9e", "#806600", "#b3003c", "#006d8f", "#5a4fcf", "#5d5d5d")
DASHES = ("", "7 3", "2 2.5", "9 3 2 3", "5 2", "1.5 4", "12 3", "4 1.5 1.5 1.5")
INK = "#1d232b"

# Units of the picture: a little less than a pixel on a phone, more than one on a desk.
_WIDTH, _TOP, _RIGHT, _ROW, _LETTER = 360.0, 24.0, 14.0, 17.0, 6.5
_HEIGHT = 178.0
_FEW = 30  # curves with this many points or more have no markers
_FINE = 200  # the most steps of a distribution that are drawn


class Series(NamedTuple):
    """A curve, and its band from `low` to `high` if it has one. Points that are not finite are left out."""

    name: str
    x: Sequence[float]
    mean: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None


def curves(
    identity: str,
    y: str,
    series: Sequence[Series],
    levels: Mapping[str, float] | None = None,
    *,
    x: str = "rounds",
    percent: bool = False,
    x_is: Kind = "number",
) -> Html:
    """A picture of `y` over `x`, with `levels` such as popularity as lines across.

    `identity` makes its ids unique on the page. Values are shares if `percent`. Colours follow the order of
    `series`: keep a series without points in its place, so that the others keep their colours.
    """
    drawn = [_finite(one) for one in series]
    flat = {name: value for name, value in (levels or {}).items() if math.isfinite(value)}
    # Errors of the untrained start and of the first rounds would flatten the rest.
    skipped = [0 if percent or len(one.x) < 3 or one.x[0] else 1 + len(one.x) // 20 for one in drawn]
    columns = [c[skip:] for one, skip in zip(drawn, skipped, strict=True) for c in one[2:] if c is not None]
    low, high = limits(columns, flat, percent)
    kind: Kind = "percent" if percent else "number"
    up = Axis(low, high, _TOP + _HEIGHT, _TOP, kind, step(high - low))
    ends = [f"{one.name} {say(one.mean[-1], kind)}" for one in drawn if one.x]
    told = "; ".join(ends + [f"{name} {say(value, kind)}" for name, value in flat.items()])
    return _chart(identity, (x, y), drawn, flat, up, x_is, f"{y} over {x}. At the end: {told}.")


def distribution(
    identity: str, x: str, groups: Mapping[str, NDArray[np.float64]], percent: bool, who: str = "people"
) -> Html:
    """How many people have at most a given value: the empirical distribution function of each group."""
    return shares(identity, x, cumulative(groups), percent, who)


def shares(identity: str, x: str, drawn: Sequence[Series], percent: bool, who: str = "people") -> Html:
    """A picture of the distribution functions that `cumulative` returns."""
    kind: Kind = "percent" if percent else "number"
    up = Axis(0.0, 1.0, _TOP + _HEIGHT, _TOP, "percent", 0.2)
    halves = [f"at most {say(_median(one), kind)} with {one.name}" for one in drawn if one.x]
    told = f"Distribution of {x}. Half of the {who} have {'; '.join(halves)}."
    return _chart(identity, (x, f"{who} with at most this"), drawn, {}, up, kind, told, steps=True)


def cumulative(groups: Mapping[str, NDArray[np.float64]]) -> list[Series]:
    """The distribution function of each group, over people who have a finite value."""
    found = []
    for name, values in groups.items():
        x, share = cdf(values[np.isfinite(values)])
        if len(x) > _FINE:
            grid = np.linspace(x[0], x[-1], _FINE)
            x, share = grid, share[np.searchsorted(x, grid, side="right") - 1]
        found.append(Series(name, x.tolist(), share.tolist()))
    return found


class _Style(NamedTuple):
    """How a curve looks."""

    color: str
    dashes: str
    kind: str
    mark: int


def _styles(names: Iterable[str]) -> dict[str, _Style]:
    styles = {
        "popularity": _Style("#b34700", "6 4", "popularity", -1),
        "random": _Style("#666f7a", "1.5 2.5", "random", -1),
    }
    for n, name in enumerate(name for name in names if name not in styles):
        turn = n + n // len(COLORS)  # after the last colour, they repeat with other dashes and markers
        color, dashes = COLORS[n % len(COLORS)], DASHES[turn % len(DASHES)]
        styles.setdefault(name, _Style(color, dashes, f"c{n % len(COLORS)}", turn % 4))
    return styles


def _chart(
    identity: str,
    labels: tuple[str, str],
    series: Sequence[Series],
    levels: Mapping[str, float],
    up: Axis,
    x_is: Kind,
    told: str,
    *,
    steps: bool = False,
) -> Html:
    styles = _styles([*(one.name for one in series), *levels])
    drawn = [one for one in series if one.x]
    left = 12 + _LETTER * max((len(tick(t, up.kind)) for t in up.ticks()), default=1)
    across = _across(drawn, left, x_is, from_zero=steps and x_is == "percent")
    marks = not steps and max((len(one.x) for one in drawn), default=0) < _FEW
    clip = f"{identity}-clip"
    lines = [_line(one, styles[one.name], across, up, clip, steps, marks) for one in drawn]
    inside = {name: value for name, value in levels.items() if up.low <= value <= up.high}
    lines += [_level(name, value, styles[name], across, up) for name, value in inside.items()]
    shown = {one.name: one.name for one in drawn}
    shown |= {n: n if n in inside else f"{n}: {say(v, up.kind)}, off the picture" for n, v in levels.items()}
    marked = {one.name for one in drawn} if marks else set()
    keys, height = _legend(shown, styles, marked, up.start + 50)
    box = {"x": _at(left - 4), "y": _at(_TOP - 4)}
    frame = [round(v, 1) for v in (left, _TOP, across.end, up.start)]
    area = element("rect", **box, width=_at(_WIDTH - left), height=_at(up.start - _TOP + 8))
    return element(
        "svg",
        element("desc", told),
        element("defs", element("clipPath", area, id=clip)),
        element("g", _frame(across, up, *labels), *lines, class_="plot", aria_hidden="true"),
        element("g", *keys, class_="legend"),
        class_="chart",
        viewBox=f"0 0 {_WIDTH:g} {height:g}",
        role="group",
        aria_label=f"{labels[1]} over {labels[0]}",
        color=INK,
        fill="none",
        font_size="11",
        font_family="system-ui, sans-serif",
        data_frame=json.dumps(frame),
        data_x=labels[0],
    )


def _across(series: Sequence[Series], left: float, kind: Kind, from_zero: bool) -> Axis:
    places = [p for one in series for p in one.x]
    begin, end = (min(places), max(places)) if places and not from_zero else (0.0, 1.0)
    end = end if end > begin else begin + 1
    whole = kind == "number" and all(float(p).is_integer() for p in places)
    between = max(1.0, step(end - begin)) if whole else step(end - begin)
    return Axis(begin, end, left, _WIDTH - _RIGHT, kind, between)


def _frame(across: Axis, up: Axis, x: str, y: str) -> Html:
    """Grid, axes and their labels."""
    left, right, ink = _at(across.start), _at(across.end), {"fill": "currentColor"}
    rules = "".join(f"M{left} {_at(up(t))}H{right}" for t in up.ticks())
    axes = f"M{left} {_at(up.end)}V{_at(up.start)}H{right}"
    parts = [
        element("path", d=rules, stroke="currentColor", stroke_opacity=".13"),
        element("path", d=axes, stroke="currentColor", stroke_opacity=".5"),
        element("text", y, x="2", y="11", font_weight="600", **ink),
        element("text", x, x=right, y=_at(up.start + 31), text_anchor="end", **ink),
    ]
    for t in up.ticks():
        where = {"x": _at(across.start - 6), "y": _at(up(t) + 4), "text_anchor": "end"}
        parts.append(element("text", tick(t, up.kind), **where, **ink))
    for t in across.ticks():
        inside = across(t) + _LETTER * len(tick(t, across.kind)) / 2 < _WIDTH
        where = {"x": _at(across(t) if inside else _WIDTH), "y": _at(up.start + 16)}
        anchor = {"text_anchor": "middle" if inside else "end"}
        parts.append(element("text", tick(t, across.kind), **where, **anchor, **ink))
    return element("g", *parts, class_="frame")


def _line(one: Series, style: _Style, across: Axis, up: Axis, clip: str, steps: bool, marks: bool) -> Html:
    xs, ys = [_at(across(v)) for v in one.x], [_at(up(v)) for v in one.mean]
    points = list(zip(xs, ys, strict=True))
    if steps:
        path = (
            f"M{_at(across.start)} {_at(up.start)}"
            + "".join(f"H{a}V{b}" for a, b in points)
            + f"H{_at(across.end)}"
        )
    else:
        path = "M" + "L".join(f"{a} {b}" for a, b in points)
    parts, said = [], [say(value, up.kind) for value in one.mean]
    if one.low is not None and one.high is not None:
        over = [f"{a} {_at(up(v))}" for a, v in zip(xs, one.high, strict=True)]
        under = [f"{a} {_at(up(v))}" for a, v in zip(xs, one.low, strict=True)]
        band = "M" + "L".join([*over, *reversed(under)]) + "Z"
        parts.append(element("path", d=band, fill="currentColor", fill_opacity=".17", class_="band"))
        ends = zip(said, one.low, one.high, strict=True)
        said = [f"{text} ({span(a, b, up.kind)})" for text, a, b in ends]
    parts.append(element("path", d=path, **_stroke(style.dashes)))
    if marks and style.mark >= 0:
        dots = "".join(_mark(style.mark, across(a), up(b)) for a, b in zip(one.x, one.mean, strict=True))
        parts.append(element("path", d=dots, fill="currentColor"))
    values: list[list[float | str]] = [
        [float(a), float(b), place(x, across.kind), text]
        for (a, b), x, text in zip(points, one.x, said, strict=True)
    ]
    more = {"data_steps": "1"} if steps else {}
    return _series(one.name, style, parts, values, clip_path=f"url(#{clip})", **more)


def _level(name: str, value: float, style: _Style, across: Axis, up: Axis) -> Html:
    height = _at(up(value))
    line = element("path", d=f"M{_at(across.start)} {height}H{_at(across.end)}", **_stroke(style.dashes))
    return _series(name, style, [line], [[round(across.end, 1), float(height), "", say(value, up.kind)]])


def _series(
    name: str, style: _Style, parts: list[Html], values: list[list[float | str]], **more: str
) -> Html:
    points = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    look = {"class_": f"series {style.kind}", "color": style.color}
    return element("g", *parts, **look, **more, data_name=name, data_points=points)


def _stroke(dashes: str) -> dict[str, str]:
    line = {"stroke": "currentColor", "stroke_width": "2", "stroke_linejoin": "round"}
    return line | ({"stroke_dasharray": dashes} if dashes else {})


def _legend(
    names: Mapping[str, str], styles: Mapping[str, _Style], marked: Container[str], top: float
) -> tuple[list[Html], float]:
    """A key for each curve, in rows; and the height of the picture."""
    keys, x, y = [], 2.0, top
    for name, text in names.items():
        style = styles[name]
        shown = text if len(text) <= 50 else text[:49] + "…"
        width = 38 + _LETTER * len(shown)
        if x > 2 and x + width > _WIDTH + 4:
            x, y = 2.0, y + _ROW
        parts = [
            element("rect", x=_at(x - 2), y=_at(y - 13), width=_at(width - 4), height=_at(_ROW)),
            element("path", d=f"M{_at(x)} {_at(y - 4)}h26", **_stroke(style.dashes)),
            element("text", shown, x=_at(x + 31), y=_at(y), fill="currentColor"),
        ]
        if name in marked and style.mark >= 0:
            parts.append(element("path", d=_mark(style.mark, x + 13, y - 4), fill="currentColor"))
        keys.append(element("g", *parts, class_=f"key {style.kind}", color=style.color, data_name=name))
        x += width
    return keys, y + 6


def _mark(shape: int, x: float, y: float) -> str:
    """A circle, square, triangle or diamond."""
    if shape == 0:
        return f"M{_at(x - 2.6)} {_at(y)}a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0z"
    square = ((-2.4, -2.4), (2.4, -2.4), (2.4, 2.4), (-2.4, 2.4))
    triangle, diamond = ((0, -3.2), (3, 2.4), (-3, 2.4)), ((0, -3.4), (3.4, 0), (0, 3.4), (-3.4, 0))
    corners = (square, triangle, diamond)[shape - 1]
    return "M" + "L".join(f"{_at(x + a)} {_at(y + b)}" for a, b in corners) + "Z"


def _finite(one: Series) -> Series:
    columns = [column for column in one[1:] if column is not None]
    keep = [n for n in range(len(one.x)) if all(math.isfinite(column[n]) for column in columns)]
    return Series(one.name, *([float(column[n]) for n in keep] for column in columns))


def _median(one: Series) -> float:
    return next(x for x, share in zip(one.x, one.mean, strict=True) if share >= 0.5)


def _at(value: float) -> str:
    """A place in the picture, to a tenth."""
    return f"{value:.1f}".removesuffix(".0")
