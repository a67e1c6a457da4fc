"""Whether statements hold, with the numbers that decide it.

Runs of the same seed share split and randomness, so differences are taken seed by seed. A difference
counts if the 95 % interval of its mean over seeds excludes zero (`Figure.clear`), and a figure or a ratio is
within limits if its whole interval is. A single seed has no interval and decides nothing. If one run has
fewer seeds than the other, the seeds that both have are compared. A value that a run never reaches counts as
reached one step after the last evaluation; if neither run reaches it, nothing is decided.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from sottovoce.experiments.reproduce import figures, papers
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Labels, Reproduction
from sottovoce.experiments.reproduce.papers import Finding
from sottovoce.experiments.reproduce.sections import TAILS, Check, Claim, Reaches


class _Column(NamedTuple):
    """The number of every seed, infinite where a round was never reached."""

    values: list[float]
    limit: float
    """The number to use in place of infinite."""

    @property
    def missed(self) -> int:
        return self.values.count(math.inf)

    @property
    def never(self) -> bool:
        return self.missed == len(self.values)

    def minus(self, other: "_Column") -> Figure:
        pairs = zip(self.values, other.values, strict=True)
        return Figure.of([min(a, self.limit) - min(b, other.limit) for a, b in pairs])


def judge(form: Reproduction, claim: Claim, results: Results) -> dict[str, Any]:
    """A claim with its evidence: it holds if all decided checks hold, and is open if none is decided."""
    found = [finding for check in claim.checks for finding in _findings(form, check, results)]
    decided = [finding.holds for finding in found if finding.holds is not None]
    return {
        "claim": claim.claim,
        "holds": all(decided) if decided else None,
        "evidence": "; ".join(finding.said for finding in found) or "none of these runs is about it",
        "source": claim.source,
        "findings": [finding._asdict() for finding in found],
    }


def _findings(form: Reproduction, check: Check, results: Results) -> Iterator[Finding]:
    if check.function is not None:
        yield from papers.find(check.function)(form, results)
        return
    texts, metric = check.texts, check.metric or form.metric
    for labels, runs in form.together(texts, check.only, results):
        if not all(figures.measured(form, level, [run], results) for run, level in runs):
            continue
        both = min(len(results[run]) for run, _ in runs)
        columns = [_column(form, check, metric, results, *run, both) for run in runs]
        where = f"{', '.join(labels)}: " if labels else ""
        told = ", ".join(f"{t} {_told(c, metric, check)}" for t, c in zip(texts, columns, strict=True))
        if check.of is not None or check.times:
            found = _limited(columns, metric, check)
            yield found._replace(
                said=f"{where}{figures.say_read(metric, check.at, form.x)}: {told}{found.said}"
            )
            continue
        judged = [_judge(*pair, metric, check, form.x) for pair in pairwise(columns)]
        read, why = figures.say_read(metric, check.at, form.x), "; ".join(one.said for one in judged)
        yield Finding(f"{where}{read}: {told} ({why})", figures.every(one.holds for one in judged))


def _column(
    form: Reproduction,
    check: Check,
    metric: str,
    results: Results,
    run: Labels,
    level: str | None,
    seeds: int,
) -> _Column:
    places = figures.places(form, results[run][0])
    limit = figures.after(places, form.x) if isinstance(check.at, Reaches) else math.inf
    at = check.at if level is None or check.at in TAILS else "final"
    return _Column(figures.values(form, results[run][:seeds], metric, at, level), limit)


def _told(column: _Column, metric: str, check: Check) -> str:
    """A column in words; if some seeds never reached it, with how many."""
    if column.missed == 0 or column.never:
        return figures.say_over(Figure.of(column.values), metric, check.at)
    reached = Figure.of([value for value in column.values if value != math.inf])
    missed = f"never with {column.missed} of {len(column.values)} seeds"
    return f"{missed}, else {figures.say_over(reached, metric, check.at)}"


def _limited(columns: list[_Column], metric: str, check: Check) -> Finding:
    """Whether the whole interval of a figure, or of a ratio of two, is within the limits."""

    def say(value: float) -> str:
        return f"{100 * value:.2f} %" if check.times else figures.say(value, metric, check.at)

    values = columns[0].values
    if check.times:
        values = [a / b for a, b in zip(*(column.values for column in columns), strict=True)]
    figure = Figure.of(values)
    ratio = f"{say(figure.mean)} of it, " if check.times else ""
    low = -math.inf if check.least is None else check.least
    high = math.inf if check.most is None else check.most
    limits = [f"at least {say(low)}"] * (low > -math.inf) + [f"at most {say(high)}"] * (high < math.inf)
    asked = f"asked is {' and '.join(limits)}"
    if figure.margin is None:
        return Finding(f" ({ratio}{asked}, and a single seed decides nothing)", None)
    ends = figure.mean - figure.margin, figure.mean + figure.margin
    holds = low <= ends[0] and ends[1] <= high
    chance = ", which may be chance" if low <= figure.mean <= high and not holds else ""
    return Finding(f" ({ratio}the interval is {say(ends[0])} to {say(ends[1])}, {asked}{chance})", holds)


def _judge(a: _Column, b: _Column, metric: str, check: Check, x: str) -> Finding:
    """Whether `a` is better than `b`, or within the allowed distance."""
    if a.never and b.never:
        return Finding("neither reached it, which decides nothing", None)
    gain = b.minus(a) if figures.smaller_is_better(metric, check.at) else a.minus(b)
    unit = f" {x}" if isinstance(check.at, Reaches) else ""
    least = "at least " if a.missed or b.missed else ""
    size = least + figures.say_over(abs(gain), metric, check.at) + unit
    single = "" if len(a.values) > 1 else ", and a single seed decides nothing"
    if check.by is not None:
        far = abs(gain.mean) + (gain.margin or 0.0)
        end = f", at the far end of the interval {figures.say(far, metric, check.at)}" if gain.std else ""
        allowed = figures.say(check.by, metric, check.at)
        holds = False if least else gain.within(check.by)
        return Finding(f"apart by {size}{end}, allowed {allowed}{single}", holds)
    if check.not_behind:
        behind = (-gain).clear
        if gain.mean >= 0:
            return Finding(f"ahead by {size}{single}", None if behind is None else not behind)
        chance = ", which may be chance" if behind is False else ""
        return Finding(f"behind by {size}{chance}{single}", figures.opposite(behind))
    if gain.mean == 0:
        return Finding(f"no difference{single}", gain.clear)
    if gain.mean > 0:
        chance = ", which may be chance" if gain.clear is False else ""
        return Finding(f"ahead by {size}{chance}{single}", gain.clear)
    return Finding(f"behind by {size}{single}", gain.clear)
