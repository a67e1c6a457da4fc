"""Statements of Hegedűs et al. (2019, Sections 6.5 and 7) about gossip beside federation.

Compared are variants that send equally much: gossip with merging and federation, both with whole models or
both at 10 %. At equal hours they have used the same bandwidth.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Labels, Reproduction
from sottovoce.experiments.reproduce.papers import Finding, statement
from sottovoce.experiments.reproduce.sections import At
from sottovoce.experiments.runs.run import Run

PAIRS = (("gossip merge", "federated"), ("gossip 10 %", "federated 10 %"))
GOSSIP, FEDERATED = ("gossip", "gossip merge", "gossip 10 %"), ("federated", "federated 10 %")
INITIAL, FEW = 6.0, 12.0
"""Hours in which an initial advantage shows, and after which it is gone."""
FAR = 0.05
"""An RMSE that is smaller by this much is far better."""
LARGEST = ("MovieLens 10M", "as large as MovieLens 10M")
"""The largest network, and one that stands in for it."""


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
    """With ten local epochs: the larger the network, the closer the two are, as the mean over the curve."""

    def gap(pair: _Pair) -> Figure:
        return abs(pair.lead(form, "mean"))

    ten = {run: seeds for run, seeds in results.items() if "10 epochs" in run}
    return [
        Finding(*_judged(f"{where}: apart by", sizes, list(itertools.pairwise(sizes)), grows=False))
        for where, sizes in _by_size(form, ten, gap)
    ]


@statement("hegedus.lead_grows")
def lead_grows(form: Reproduction, results: Results) -> list[Finding]:
    """The larger the network, the better gossip is compared with federation, as the mean over the curve."""
    return _leads(form, results, "data", grows=True)


@statement("hegedus.most_on_largest")
def most_on_largest(form: Reproduction, results: Results) -> list[Finding]:
    """With one local epoch: gossip is ahead most on the largest network, as the mean over the curve."""
    one = {run: seeds for run, seeds in results.items() if "10 epochs" not in run}
    found = []
    for where, sizes in _by_size(form, one, lambda pair: pair.lead(form, "mean")):
        steps = [(other, size) for size in sizes if size in LARGEST for other in sizes if other != size]
        found.append(Finding(*_judged(f"{where}: gossip ahead by", sizes, steps, grows=True)))
    return found


@statement("hegedus.behind_where_sparse")
def behind_where_sparse(form: Reproduction, results: Results) -> list[Finding]:
    """The more items there are for as many ratings, the further whole gossip is behind whole federation."""
    return _leads(form, _whole(results), "items", grows=False)


@statement("hegedus.behind_where_large")
def behind_where_large(form: Reproduction, results: Results) -> list[Finding]:
    """The more people there are, the further whole gossip is behind whole federation."""
    return _leads(form, _whole(results), "people", grows=False)


@statement("hegedus.far_better")
def far_better(form: Reproduction, results: Results) -> list[Finding]:
    """Ten times the bandwidth makes the error smaller by at least FAR, over the curve and at the end."""
    places: tuple[At, ...] = ("mean", "final")
    found, names = [], ("10× bandwidth", "low bandwidth")
    for at in places:
        for labels, runs in form.together(names, [], results):
            fast, slow = (figures.values(form, results[run], form.metric, at, None) for run, _ in runs)
            gain = Figure.of([b - a for a, b in zip(fast, slow, strict=True)])
            both = zip(names, (fast, slow), strict=True)
            told = ", ".join(f"{name} {_say(Figure.of(values))}" for name, values in both)
            ahead = f"{'ahead' if gain.mean > 0 else 'behind'} by {_size(gain)}, at least {FAR:g} is far"
            said = f"{', '.join(labels)}: {figures.say_read(form.metric, at)}: {told} ({ahead})"
            found.append(Finding(said, gain._replace(mean=gain.mean - FAR).clear))
    return found


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
        found.append(Finding(said, figures.opposite((-lead).clear)))
    return found


def _leads(form: Reproduction, results: Results, axis: str, *, grows: bool) -> list[Finding]:
    """Whether gossip gets better, or worse, against federation from each label of an axis to the next."""
    return [
        Finding(*_judged(f"{where}: gossip ahead by", sizes, list(itertools.pairwise(sizes)), grows=grows))
        for where, sizes in _by_size(form, results, lambda pair: pair.lead(form, "mean"), axis)
    ]


def _whole(results: Results) -> Results:
    """The runs that send whole models."""
    return {run: seeds for run, seeds in results.items() if not set(PAIRS[0]).isdisjoint(run)}


def _pairs(form: Reproduction, results: Results) -> Iterator[_Pair]:
    for names in PAIRS:
        for labels, runs in form.together(names, [], results):
            (mine, _), (theirs, _) = runs
            yield _Pair(names, labels, results[mine], results[theirs])


def _initial(form: Reproduction, pair: _Pair) -> Finding:
    hours = figures.places(form, pair.gossip[0])
    leads = [pair.lead(form, int(event["round"])) for event in pair.gossip[0].curve]
    if len(pair.gossip) < 2:
        return Finding(f"{pair.where}: a single seed decides nothing", None)
    ahead = {hour: -lead for hour, lead in zip(hours, leads, strict=True) if hour and (-lead).clear}
    if not ahead:
        return Finding(f"{pair.where}: federation is never ahead", False)
    first, last, most = min(ahead), max(ahead), max(ahead, key=lambda hour: ahead[hour].mean)
    said = (
        f"{pair.where}: federation is ahead from {first:.1f} to {last:.1f} hours, in {len(ahead)} of "
        f"{len(hours) - 1} evaluations, most by {_size(ahead[most])} after {most:.1f}"
    )
    return Finding(said, first <= INITIAL and last <= FEW)


def _by_size(
    form: Reproduction, results: Results, read: Callable[[_Pair], Figure], axis: str = "data"
) -> Iterator[tuple[str, dict[str, Figure]]]:
    """A figure for each label of an axis, in the file's order; a stand-in only if it is needed."""
    place = list(form.axes).index(axis)
    together: dict[tuple[tuple[str, str], Labels], dict[str, Figure]] = {}
    for pair in _pairs(form, results):
        rest = pair.labels[:place] + pair.labels[place + 1 :]
        together.setdefault((pair.names, rest), {})[pair.labels[place]] = read(pair)
    for (names, rest), sizes in together.items():
        if LARGEST[0] in sizes:
            sizes.pop(LARGEST[1], None)
        yield f"{', '.join(rest)}: {' beside '.join(names)}, mean over the curve", sizes


def _judged(
    said: str, sizes: Mapping[str, Figure], steps: Sequence[tuple[str, str]], *, grows: bool
) -> tuple[str, bool | None]:
    """Whether a figure grows, or shrinks, in every step from one size to another; None without a step."""
    told = ", ".join(f"{_signed(figure)} on {data}" for data, figure in sizes.items())
    if not steps:
        missing = "a single size" if len(sizes) == 1 else "without the largest network this"
        return f"{said} {told} ({missing} decides nothing)", None
    changes = [sizes[b].minus(sizes[a]) for a, b in steps]
    clear = [(c if grows else -c).clear for c in changes]
    why = ", ".join(
        f"{_signed(change)} from {a} to {b}{_doubt(change, holds) if (change.mean > 0) is grows else ''}"
        for (a, b), change, holds in zip(steps, changes, clear, strict=True)
    )
    return f"{said} {told} ({why})", figures.every(clear)


def _doubt(change: Figure, holds: bool | None) -> str:
    """Why a change that goes the right way does not count."""
    if change.error is None:
        return ", and a single seed decides nothing"
    return "" if holds else ", which may be chance"


def _signed(figure: Figure) -> str:
    return ("+" if figure.mean >= 0 else "") + _say(figure)


def _say(figure: Figure) -> str:
    return figures.say_over(figure, "rmse")


def _size(figure: Figure) -> str:
    return _say(abs(figure))
