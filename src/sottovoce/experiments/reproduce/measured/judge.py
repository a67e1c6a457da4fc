"""Rows and claims of a table of measurements.

A row has the median of the repetitions and their range, because a busy machine makes single measurements
long. A check is about the mean: it holds if the whole 95 % interval over repetitions is within its limits
(`Figure.margin`), and a single repetition decides nothing.
"""

import itertools
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure
from sottovoce.experiments.reproduce.labels import Labels
from sottovoce.experiments.reproduce.measured.form import Check, Claim, Measurements, Rows
from sottovoce.experiments.reproduce.measured.records import Record
from sottovoce.experiments.reproduce.papers import Finding

Results = Mapping[Labels, Sequence[Record]]


def rows(form: Measurements, asked: Rows, results: Results) -> Iterator[dict[str, Any]]:
    """The rows of a table that the file asks for."""
    unit = form.figures[asked.figure]
    there = [cell for cell in form.runs(asked.only) if cell in results]
    for cell in (cell for text in asked.of for cell in form.stands_for(text, there)):
        values = _values(results[cell], asked.figure)
        if not values:
            continue
        median, low, high = statistics.median(values), min(values), max(values)
        paper = next((asked.paper[text] for text in asked.paper if form.stands_for(text, [cell])), None)
        ratio = median / paper if paper else None
        yield {
            "name": ", ".join(cell),
            "metric": asked.figure,
            "at": None,
            "paper": paper,
            "ours": median,
            "low": low,
            "high": high,
            "std": Figure.of(values).std,
            "ratio": ratio,
            "tolerance": asked.tolerance,
            "factor": asked.factor,
            "holds": _holds(median, paper, asked),
            "said": [
                None if paper is None else say(paper, unit),
                _median(values, unit) + ("" if ratio is None else f", {ratio:.2f} ×"),
                _allowed(asked, unit),
            ],
        }


def claim(form: Measurements, asked: Claim, results: Results) -> dict[str, Any]:
    """A claim with its evidence: it holds if all decided checks hold, and is open if none is decided."""
    found = [finding for check in asked.checks for finding in _findings(form, check, results)]
    decided = [finding.holds for finding in found if finding.holds is not None]
    return {
        "claim": asked.claim,
        "holds": all(decided) if decided else None,
        "evidence": "; ".join(finding.said for finding in found) or "nothing here was measured about it",
        "source": asked.source,
        "findings": [finding._asdict() for finding in found],
    }


def say(value: float, unit: str, like: float | None = None) -> str:
    """A number with its unit, for people; with as many digits as a number `like` it has."""
    digits = _digits(value if like is None else like, unit)
    if unit == "share":
        return f"{100 * value:.{digits}f} %".replace("-", "−")
    return f"{value:,.{digits}f} {unit}".strip()


def _digits(value: float, unit: str) -> int:
    """Digits after the point: three that count, or two for sizes, as the papers print them."""
    if unit == "share":
        return 0 if round(1000 * value) % 10 == 0 else 1
    if unit == "MiB":
        return 2
    return min(4, max(0, 2 - math.floor(math.log10(abs(value))))) if value % 1 else 0


def _findings(form: Measurements, check: Check, results: Results) -> Iterator[Finding]:
    texts = [check.of] if check.of is not None else check.times or check.rising or []
    unit = "×" if check.times else form.figures[check.figure]
    for labels, cells in form.together(texts, check.only, results):
        columns = [_values(results[cell], check.figure) for cell, _ in cells]
        if not all(columns):
            continue
        name = ", ".join(filter(None, [check.of, *labels])) if check.of is not None else ", ".join(labels)
        where = f"{name}: {check.figure}" if name else check.figure
        if check.rising:
            told = ", ".join(
                f"{t} {_over(c, form.figures[check.figure])}" for t, c in zip(texts, columns, strict=True)
            )
            steps = [Figure.of(_differences(b, a)).clear for a, b in itertools.pairwise(columns)]
            yield Finding(f"{where}: {told}", figures.every(steps))
            continue
        values = [a / b for a, b in zip(*columns, strict=True)] if check.times else columns[0]
        compared = f", {texts[0]} divided by {texts[1]}" if check.times else ""
        yield Finding(
            f"{where}{compared}: {_over(values, unit)}{_limits(check, unit)}", _within(values, check)
        )


def _within(values: Sequence[float], check: Check) -> bool | None:
    """Whether the whole interval of the mean is within the limits."""
    figure = Figure.of(values)
    low = -math.inf if check.least is None else check.least
    high = math.inf if check.most is None else check.most
    if figure.margin is None:
        return None
    return low <= figure.mean - figure.margin and figure.mean + figure.margin <= high


def _differences(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(one, other, strict=True)]


def _values(cell: Sequence[Record], figure: str) -> list[float]:
    """The figure of every repetition; none if the function does not return it for this cell."""
    return [record.figures[figure] for record in cell if figure in record.figures]


def _holds(median: float, paper: float | None, asked: Rows) -> bool | None:
    if paper is not None and asked.factor is not None:
        return median <= asked.factor * paper
    return None if paper is None or asked.tolerance is None else abs(median - paper) <= asked.tolerance


def _median(values: Sequence[float], unit: str) -> str:
    """The median, and the range if there is one: `2.10 ms (1.95 to 2.40)`."""
    median = statistics.median(values)
    like = next((value for value in (median, *values) if value % 1), median)
    low, high = (_number(say(end, unit, like), unit) for end in (min(values), max(values)))
    return say(median, unit, like) + (f" ({low} to {high})" if low != high else "")


def _number(said: str, unit: str) -> str:
    """What is said, without the unit."""
    return said.removesuffix("%" if unit == "share" else unit).strip()


def _over(values: Sequence[float], unit: str) -> str:
    """Mean ± standard deviation."""
    figure = Figure.of(values)
    if not figure.std:
        return say(figure.mean, unit)
    return f"{_number(say(figure.mean, unit), unit)} ± {say(figure.std, unit, figure.mean)}"


def _allowed(asked: Rows, unit: str) -> str | None:
    if asked.factor is not None:
        return f"at most {asked.factor:g} ×"
    return None if asked.tolerance is None else f"± {asked.tolerance:g} {unit}".strip()


def _limits(check: Check, unit: str) -> str:
    parts = [("at least", check.least), ("at most", check.most)]
    return ", wanted " + " and ".join(
        f"{word} {say(limit, unit)}" for word, limit in parts if limit is not None
    )
