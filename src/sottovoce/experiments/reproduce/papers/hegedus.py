"""Statements of Hegedűs et al. (2019, Sections 6.5 and 7) about gossip beside federation.

Variants are compared that send alike: gossip with merging and federation, both whole or both at 10 %.
At equal hours they have had the same bandwidth.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sottovoce.experiments.outcome import Run
from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import At, Labels, Reproduction
from sottovoce.experiments.reproduce.papers import Finding, statement

PAIRS = (("gossip merge", "federated"), ("gossip 10 %", "federated 10 %"))
GOSSIP, FEDERATED = ("gossip", "gossip merge", "gossip 10 %"), ("federated", "federated 10 %")
INITIAL, FEW = 6.0, 12.0
"""Hours in which an initial advantage shows, and after which it is gone."""


class _Pair(NamedTuple):
    """Two variants under the same conditions."""

    names: tuple[str, str]
    labels: Labels
    gossip: Sequence[Run]
    federated: Sequence[Run]

    @property
    def where(self) -> str:
        return f"{', '.join(self.labels)}: {' beside '.join(self.names)}"

    def lead(self, form: Reproduction, at: At) -> Figure:
        """By how much smaller the error of gossip is, seed by seed."""
        both = (self.gossip, self.federated)
        mine, theirs = (figures.values(form, runs, form.metric, at, None) for runs in both)
        return Figure.of([b - a for a, b in zip(mine, theirs, strict=True)])


@statement("hegedus.initial_advantage")
def initial_advantage(form: Reproduction, results: Results) -> list[Finding]:
    """Federation is ahead within the first hours, and no longer after a few."""
    return [_initial(form, pair) for pair in _pairs(form, results)]


@statement("hegedus.gap_shrinks")
def gap_shrinks(form: Reproduction, results: Results) -> list[Finding]:
    """The larger the network, the closer the two are, as the mean over the curve."""

    def gap(pair: _Pair) -> Figure:
        lead = pair.lead(form, "mean")
        return Figure(abs(lead.mean), lead.std)

    return list(_by_size(form, results, "apart by", gap, grows=False))


@statement("hegedus.lead_grows")
def lead_grows(form: Reproduction, results: Results) -> list[Finding]:
    """With one local epoch: the larger the network, the more gossip is ahead, as the mean over the curve."""
    one = {run: seeds for run, seeds in results.items() if "10 epochs" not in run}
    return list(_by_size(form, one, "gossip ahead by", lambda pair: pair.lead(form, "mean"), grows=True))


@statement("hegedus.no_clear_advantage")
def no_clear_advantage(form: Reproduction, results: Results) -> list[Finding]:
    """At the end, the best federated variant is not clearly ahead of the best gossip variant."""
    found, names = [], [*GOSSIP, *FEDERATED]
    for labels, runs in form.together(names, [], results):
        seeds = {name: results[run] for name, (run, _) in zip(names, runs, strict=True)}
        ends = {n: Figure.of(figures.values(form, seeds[n], form.metric, "final", None)) for n in names}
        best = [min(group, key=lambda name: ends[name].mean) for group in (GOSSIP, FEDERATED)]
        pair = _Pair((best[0], best[1]), labels, seeds[best[0]], seeds[best[1]])
        lead = pair.lead(form, "final")
        told = ", ".join(f"{name} {_say(ends[name])}" for name in best)
        ahead = "gossip" if lead.mean > 0 else "federation"
        said = f"{', '.join(labels)}: the best of each at the end: {told} ({ahead} ahead by {_size(lead)})"
        found.append(Finding(said, not Figure(-lead.mean, lead.std).clear))
    return found


def _pairs(form: Reproduction, results: Results) -> Iterator[_Pair]:
    for names in PAIRS:
        for labels, runs in form.together(names, [], results):
            (mine, _), (theirs, _) = runs
            yield _Pair(names, labels, results[mine], results[theirs])


def _initial(form: Reproduction, pair: _Pair) -> Finding:
    hours = figures.places(form, pair.gossip[0])
    leads = [pair.lead(form, int(event["round"])) for event in pair.gossip[0].curve]
    behind = [Figure(-lead.mean, lead.std) for lead in leads]
    ahead = {hour: lead for hour, lead in zip(hours, behind, strict=True) if hour and lead.clear}
    if not ahead:
        return Finding(f"{pair.where}: federation is never ahead", False)
    first, last, most = min(ahead), max(ahead), max(ahead, key=lambda hour: ahead[hour].mean)
    said = (
        f"{pair.where}: federation is ahead from {first:.1f} to {last:.1f} hours, in {len(ahead)} of "
        f"{len(hours) - 1} evaluations, most by {_size(ahead[most])} after {most:.1f}"
    )
    return Finding(said, first <= INITIAL and last <= FEW)


def _by_size(
    form: Reproduction, results: Results, what: str, read: Callable[[_Pair], Figure], *, grows: bool
) -> Iterator[Finding]:
    """Whether something grows or shrinks from each size of the network to the next, in the file's order."""
    place = list(form.axes).index("data")
    together: dict[tuple[tuple[str, str], Labels], dict[str, Figure]] = {}
    for pair in _pairs(form, results):
        rest = pair.labels[:place] + pair.labels[place + 1 :]
        together.setdefault((pair.names, rest), {})[pair.labels[place]] = read(pair)
    for (names, rest), sizes in together.items():
        steps = [_change(a, b) if grows else _change(b, a) for a, b in itertools.pairwise(sizes.values())]
        told = ", ".join(f"{figure.mean:+.4f} on {data}" for data, figure in sizes.items())
        said = f"{', '.join(rest)}: {' beside '.join(names)}, mean over the curve: {what} {told}"
        if steps:
            yield Finding(said, all(step.clear for step in steps))
        else:
            yield Finding(f"{said} (a single size decides nothing)", None)


def _change(a: Figure, b: Figure) -> Figure:
    """From `a` to `b`, which share no split: their spreads add up."""
    return Figure(b.mean - a.mean, math.hypot(a.std or 0.0, b.std or 0.0))


def _say(figure: Figure) -> str:
    return figures.say_over(figure, "rmse")


def _size(figure: Figure) -> str:
    return _say(Figure(abs(figure.mean), figure.std))
