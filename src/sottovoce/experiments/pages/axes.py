"""Axes of a picture: limits, round ticks, and how a value is written."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

Kind = Literal["number", "percent", "bytes"]

_FAR = 2.0  # `random` is off the picture if it is further away than this many heights


class Axis(NamedTuple):
    """Maps values to places in the picture."""

    low: float
    high: float
    start: float
    end: float
    kind: Kind
    step: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Multiples of the step."""
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        return [n * self.step for n in range(first, last + 1)]


def step(span: float, count: int = 6) -> float:
    """A round distance between ticks, such that there are about `count`."""
    rough = span / count
    unit = 10.0 ** math.floor(math.log10(rough))
    return next((unit * nice for nice in (1, 2, 2.5, 5) if unit * nice >= rough * 0.999), unit * 10)


def limits(
    columns: Iterable[Sequence[float]], levels: Mapping[str, float], percent: bool
) -> tuple[float, float]:
    """Limits around all values, with a little room; without `random` if it would flatten the rest."""
    values = [value for column in columns for value in column]
    values += [level for name, level in levels.items() if name != "random"]
    chance = levels.get("random")
    if chance is not None:
        room = _FAR * (max(values) - min(values)) if values else 0.0
        if percent or not room or min(values) - room <= chance <= max(values) + room:
            values.append(chance)
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = 0.06 * ((high - low) or abs(high) or 1.0)
    if percent:
        return (0.0 if low < high / 2 else max(0.0, low - room)), max(min(1.0, high + room), 1e-6)
    return low - room, high + room


def say(value: float, kind: Kind) -> str:
    """A value for people."""
    if kind == "percent":
        return f"{100 * value:.1f} %"
    return _bytes(value, ".3g") if kind == "bytes" else f"{value:.4g}"


def span(low: float, high: float, kind: Kind) -> str:
    """An interval for people, without the unit, which the value before it has."""
    return f"{say(low, kind)} to {say(high, kind)}".replace(" %", "")


def place(value: float, kind: Kind) -> str:
    """A place on the x axis for people: whole numbers in full."""
    return f"{value:,.0f}" if kind == "number" and float(value).is_integer() else say(value, kind)


def tick(value: float, kind: Kind) -> str:
    """A value at a tick."""
    if kind == "percent":
        return f"{round(100 * value, 6):g} %"
    return _bytes(value, ".6g") if kind == "bytes" else f"{round(value, 9):,.10g}"


def _bytes(value: float, form: str) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000:
            return "0" if value == 0 else f"{value:{form}} {unit}"
        value /= 1000
    return f"{value:{form}} TB"
