"""Statements of Perifanis and Efraimidis (2022, Section 6.2 and Appendix E) about federated NCF.

Percentages are points of HR@10: the paper writes that 0.61 is 8 % below 0.69.
"""

import itertools
import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.reproduce.papers import Finding, statement
from sottovoce.experiments.reproduce.sections import At
from sottovoce.experiments.runs.run import Run

DROP = (0.15, 0.25)
"""What counts as about 20 %."""
LEAD = (0.03, 0.05)
"""By how much MF-FedAvg is ahead of FedAvg in the end."""
COSTS = {"MovieLens 100K": 0.08, "MovieLens 1M": 0.12, "Last.fm 2K as published": 0.16}
"""What federation costs NeuMF according to the text, for data sets that are the same as the paper's."""
PRINTED = COSTS | {"Last.fm 2K as published": 0.26}
"""The same according to Table 5."""
NEAR = 0.03
"""A difference up to this counts as equal to the printed number."""
TWO = 0.02
LOOK = 5
"""How many global rounds there are from one evaluation to the next."""
TENTH = 10


class _Gap(NamedTuple):
    """What federation costs on a data set, and how well central training does there."""

    data: str
    central: Figure
    cost: Figure


@statement("fedncf.everybody_drops")
def everybody_drops(form: Reproduction, results: Results) -> list[Finding]:
    """With everybody in one aggregation, the highest HR is about 20 points below that with C = 20."""
    found = []
    for model in ("FedGMF", "FedNeuMF"):
        for drop in _differences(form, results, f"{model}, C = 20", f"{model}, C = 943", "best"):
            said = f"{model}: from C = 20 to C = 943, HR@10 at its best falls by {_say(drop)}"
            found.append(Finding(said, _between(drop, DROP)))
    return found


@statement("fedncf.starts_at_a_tenth")
def starts_at_a_tenth(form: Reproduction, results: Results) -> list[Finding]:
    """Every run starts with an HR near 0.1."""
    found = []
    for run, seeds in results.items():
        start = Figure.of(figures.values(form, seeds, form.metric, 0, None))
        said = f"{', '.join(run)}: HR@10 at the start {figures.say_over(start, form.metric)}"
        found.append(Finding(said, abs(start.mean - 0.1) <= NEAR))
    return found


@statement("fedncf.lead_over_fedavg")
def lead_over_fedavg(form: Reproduction, results: Results) -> list[Finding]:
    """In the end MF-FedAvg is ahead of FedAvg by 3 to 5 points."""
    found = []
    for labels, pair in form.together(["MF-FedAvg", "FedAvg"], [], results):
        lead = _difference(form, [results[run] for run, _ in pair], "final")
        said = f"{', '.join(labels)}: HR@10 at the end: MF-FedAvg is ahead by {_say(lead)}"
        found.append(Finding(said, _between(lead, LEAD)))
    return found


@statement("fedncf.neumf_not_behind")
def neumf_not_behind(form: Reproduction, results: Results) -> list[Finding]:
    """The highest HR of federated NeuMF is not clearly below that of GMF."""
    names = (
        ["FedNeuMF", "FedGMF"] if "FedGMF" in form.axes["model"] else ["NeuMF, federated", "GMF, federated"]
    )
    found = []
    for labels, pair in form.together(names, [], results):
        lead = _difference(form, [results[run] for run, _ in pair], "best")
        where, which = ", ".join(labels), "ahead of" if lead.mean >= 0 else "behind"
        said = f"{where}: HR@10 at its best: {names[0]} is {which} {names[1]} by {_say(abs(lead))}"
        found.append(Finding(said, figures.opposite((-lead).clear)))
    return found


@statement("fedncf.cost_of_federation")
def cost_of_federation(form: Reproduction, results: Results) -> list[Finding]:
    """The differences in the text, for data sets that are the same as the paper's."""
    return list(_costs(form, results, "the text", COSTS))


@statement("fedncf.cost_in_table_5")
def cost_in_table_5(form: Reproduction, results: Results) -> list[Finding]:
    """The differences between the figures of Table 5, for data sets that are the same as the paper's."""
    return list(_costs(form, results, "Table 5", PRINTED))


@statement("fedncf.harder_is_closer")
def harder_is_closer(form: Reproduction, results: Results) -> list[Finding]:
    """Of two data sets, federation costs NeuMF less on the one where central training does worse."""
    gaps = sorted(_gaps(form, results), key=lambda gap: gap.central.mean)
    found = []
    for harder, easier in itertools.pairwise(gaps):
        more = easier.cost.minus(harder.cost)
        told = (
            f"{gap.data} {100 * gap.central.mean:.1f} % central, {_say(gap.cost)} lost"
            for gap in (harder, easier)
        )
        found.append(Finding("; ".join(told), more.clear))
    return found


@statement("fedncf.foursquare_overfits")
def foursquare_overfits(form: Reproduction, results: Results) -> list[Finding]:
    """On Foursquare, federated NeuMF and MLP are best before the end, and federated GMF at the end."""
    found = []
    for data in ("Foursquare NY", "Foursquare NY original"):
        for model in ("NeuMF", "MLP", "GMF"):
            for run in form.stands_for(f"{data}, {model}, federated", results):
                found.append(_shape(form, f"{data}: federated {model}", results[run], rises=model == "GMF"))
    return found


@statement("fedncf.random_within_two")
def random_within_two(form: Reproduction, results: Results) -> list[Finding]:
    """Under every seed, the highest HR with random selection is near the highest one in turn.

    The highest of more values is higher by chance alone, so both are read equally often.
    """
    found = []
    for labels, pair in form.together(["at random", "in turn"], [], results):
        random, turn = (results[run] for run, _ in pair)
        highest = figures.values(form, turn, form.metric, "best", None)
        apart = [_highest(run, form.metric) - other for run, other in zip(random, highest, strict=True)]
        told = ", ".join(f"{100 * value:+.1f}" for value in apart)
        said = f"{', '.join(labels)}: HR@10 at its best, at random against in turn: {told} points by seed"
        found.append(Finding(said, max(map(abs, apart)) <= TWO))
    return found


@statement("fedncf.first_hundred")
def first_hundred(form: Reproduction, results: Results) -> list[Finding]:
    """The first 100 aggregations bring half of all that random selection gains."""
    found = []
    for run in form.stands_for("at random", results):
        at = [figures.values(form, results[run], form.metric, place, None) for place in (0, 100, "best")]
        share = Figure.of([(early - start) / (best - start) for start, early, best in zip(*at, strict=True)])
        told = f"{100 * share.mean:.0f} %" + (f" ± {100 * share.std:.0f} %" if share.std else "")
        said = f"{run[0]}: the first 100 aggregations bring {told} of the gain in HR@10"
        found.append(Finding(said, share.mean >= 0.5))
    return found


def _highest(run: Run, metric: str) -> float:
    """The highest value of a run whose rounds are aggregations, read once per LOOK global rounds."""
    people, participants = run.figures.data.people, run.recipe.protocol.settings["participants"]
    looks: dict[int, float] = {}
    for event in run.curve:
        looks.setdefault(event["round"] * participants // (LOOK * people), event[metric])
    return max(looks.values())


def _costs(form: Reproduction, results: Results, where: str, costs: Mapping[str, float]) -> Iterator[Finding]:
    """What federation costs NeuMF, compared with the printed costs."""
    for gap in _gaps(form, results):
        said = f"{gap.data}: NeuMF loses {_say(gap.cost)}"
        if gap.data not in costs:
            yield Finding(f"{said} (other data than the paper's, not judged)", None)
            continue
        printed = costs[gap.data]
        holds = abs(gap.cost.mean - printed) <= NEAR
        yield Finding(f"{said}, {where} has {100 * printed:.0f} points", holds)


def _gaps(form: Reproduction, results: Results) -> Iterator[_Gap]:
    """What federation costs NeuMF, by data set."""
    for labels, pair in form.together(["NeuMF, central", "NeuMF, federated"], [], results):
        runs = [results[run] for run, _ in pair]
        central = Figure.of(figures.values(form, runs[0], form.metric, "best", None))
        yield _Gap(labels[0], central, _difference(form, runs, "best"))


def _differences(form: Reproduction, results: Results, one: str, other: str, at: At) -> Iterator[Figure]:
    for _, pair in form.together([one, other], [], results):
        yield _difference(form, [results[run] for run, _ in pair], at)


def _difference(form: Reproduction, pair: Sequence[Sequence[Run]], at: At) -> Figure:
    """By how much the first is ahead, seed by seed."""
    first, second = (figures.values(form, runs, form.metric, at, None) for runs in pair)
    return Figure.of([a - b for a, b in zip(first, second, strict=True)])


def _shape(form: Reproduction, what: str, runs: Sequence[Run], *, rises: bool) -> Finding:
    """Whether a curve falls from its best tenth to its last, or still rises in the last."""
    windows = [_windows([event[form.metric] for event in run.curve[1:]]) for run in runs]
    rounds = [int(event["round"]) for event in runs[0].curve[1:]]
    size = len(rounds) - len(windows[0]) + 1
    mean = [statistics.fmean(column) for column in zip(*windows, strict=True)]
    top = max(range(len(mean)), key=mean.__getitem__)
    fall = Figure.of([window[top] - window[-1] for window in windows])
    rise = Figure.of([window[-1] - window[max(0, len(window) - 1 - size)] for window in windows])
    said = (
        f"{what}: best over rounds {rounds[top]} to {rounds[top + size - 1]}, then falls by {_say(fall)} "
        f"until the end; in the last tenth it {'rises' if rise.mean >= 0 else 'falls'} by {_say(abs(rise))}"
    )
    return Finding(said, figures.every([rise.clear, figures.opposite(fall.clear)]) if rises else fall.clear)


def _windows(values: Sequence[float]) -> list[float]:
    """The mean over each tenth of a curve."""
    size = max(1, len(values) // TENTH)
    return [statistics.fmean(values[n : n + size]) for n in range(len(values) - size + 1)]


def _between(figure: Figure, limits: tuple[float, float]) -> bool:
    return limits[0] <= figure.mean <= limits[1]


def _say(figure: Figure) -> str:
    spread = f" ± {100 * figure.std:.1f}" if figure.std else ""
    return f"{100 * figure.mean:.1f}{spread} points"
