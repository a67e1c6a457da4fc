"""Statements of Belal et al. (2022, Sections 5.5 and 6): averages, tails, sparsity, computation, churn.

The limits for "about as much" are our own choice and are defined here. Differences are points of the metric.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sottovoce.experiments.reproduce import figures
from sottovoce.experiments.reproduce.figures import Figure, Results
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.reproduce.papers import Finding, statement
from sottovoce.experiments.reproduce.sections import At
from sottovoce.experiments.runs.run import Run

FEDERATED = ("FedAvg", "Reptile", "FedFast")
DECENTRALIZED = ("Decentralized FedAvg", "Model-Age-Based", "Decentralized Reptile", "PEPPER")
BEST = ("Reptile", "FedFast")
"""The methods with the best short tail in Figure 6."""
KS = (20, 10, 5)
MOST = 0.5
"""What counts as most: more than half."""
MARGINS = {"hr@20": 0.0893, "ndcg@20": 0.0435}
"""By how much PEPPER is ahead of decentralized FedAvg in Tables 2 and 3."""
NEAR = 0.02
"""A difference up to this counts as equal to the margin, or as zero."""
THRICE = (2.0, 4.0)
"""What counts as about three times."""
LONG_TAIL = (0.15, 0.4)
"""The paper's 60th to 85th percentile, counted from the people served best."""
TWICE = (1.5, 3.0)
"""What counts as about twice."""
ALIKE = 0.03
"""Losses that differ by at most this many points of HR@20 are alike."""
FIFTH = (0.1, 0.3)
"""What counts as about a fifth: the paper has 21 %."""
FEWER = (0.32, 0.52)
"""What counts as 42 % fewer rounds."""
SHORT_TAIL: At = "cdf 0.001"
SLOWEST: At = "cdf 0.1"
ROUNDS = "rounds to converge"


@statement("pepper.usually_ahead")
def usually_ahead(form: Reproduction, results: Results) -> list[Finding]:
    """PEPPER is ahead of federated methods in most cases: three methods at three K."""
    return _usually(form, results, 1)


@statement("pepper.usually_behind")
def usually_behind(form: Reproduction, results: Results) -> list[Finding]:
    """PEPPER is behind federated methods in most cases: three methods at three K."""
    return _usually(form, results, -1)


def _usually(form: Reproduction, results: Results, sign: int) -> list[Finding]:
    found = []
    for where, runs in _methods(form, results, "PEPPER"):
        cases = {}
        for name, k in itertools.product([name for name in FEDERATED if name in runs], KS):
            metric = f"{form.metric.partition('@')[0]}@{k}"
            lead = Figure.of(_leads(form, runs["PEPPER"], runs[name], metric))
            cases[f"{name} at {k}"] = (lead if sign > 0 else -lead).clear
        if cases and None in cases.values():
            found.append(Finding(f"{where}a single seed decides nothing", None))
        elif cases:
            clear, way = sum(map(bool, cases.values())), "ahead of" if sign > 0 else "behind"
            rest = ", ".join(case for case, holds in cases.items() if clear and not holds)
            said = f"{where}PEPPER is {way} federated methods in {clear} of {len(cases)} cases"
            found.append(Finding(f"{said}{rest and f', not {rest}'}", clear > MOST * len(cases)))
    return found


@statement("pepper.margin")
def margin(form: Reproduction, results: Results) -> list[Finding]:
    """PEPPER is ahead of decentralized FedAvg by about the paper's margin."""
    found, paper = [], MARGINS[form.metric]
    for where, runs in _methods(form, results, "PEPPER", "Decentralized FedAvg"):
        lead = Figure.of(_leads(form, runs["PEPPER"], runs["Decentralized FedAvg"], form.metric))
        said = f"{where}PEPPER is ahead of Decentralized FedAvg by {_say(form, lead)}, allowed"
        limits = f"{figures.say(paper, form.metric)} ± {figures.say(NEAR, form.metric)}"
        found.append(Finding(f"{said} {limits}", lead.within(NEAR, around=paper)))
    return found


@statement("pepper.three_times")
def three_times(form: Reproduction, results: Results) -> list[Finding]:
    """At CDF 0.001 PEPPER has about three times what federated averaging has."""
    found = []
    for where, runs in _methods(form, results, "PEPPER", "FedAvg"):
        ours, theirs = (_figure(form, runs[name], SHORT_TAIL) for name in ("PEPPER", "FedAvg"))
        said = f"{where}CDF 0.001: PEPPER {_say(form, ours)}, FedAvg {_say(form, theirs)}"
        if ours.mean == theirs.mean == 0:
            found.append(Finding(f"{said} (both at zero, which decides nothing)", None))
            continue
        ratio = ours.mean / theirs.mean if theirs.mean else math.inf
        allowed = f"{ratio:.2f} times, allowed {THRICE[0]:g} to {THRICE[1]:g}".replace(
            "inf", "infinitely many"
        )
        found.append(Finding(f"{said} ({allowed})", THRICE[0] <= ratio <= THRICE[1]))
    return found


@statement("pepper.towards_zero")
def towards_zero(form: Reproduction, results: Results) -> list[Finding]:
    """At CDF 0.001 all decentralized methods are near zero."""
    found = []
    for where, runs in _methods(form, results):
        at = {name: _figure(form, runs[name], SHORT_TAIL) for name in DECENTRALIZED if name in runs}
        if at:
            said = f"{where}CDF 0.001: {_list(form, at)}, allowed {figures.say(NEAR, form.metric)}"
            found.append(Finding(said, figures.every(one.within(NEAR) for one in at.values())))
    return found


@statement("pepper.short_tail")
def short_tail(form: Reproduction, results: Results) -> list[Finding]:
    """At CDF 0.001 FedFast and Reptile are ahead of all other methods."""
    found = []
    for where, runs in _methods(form, results):
        there = [name for name in FEDERATED + DECENTRALIZED if name in runs]
        best, rest = [name for name in there if name in BEST], [name for name in there if name not in BEST]
        at = {name: _figure(form, runs[name], SHORT_TAIL) for name in there}
        if best and rest and not any(one.mean for one in at.values()):
            found.append(Finding(f"{where}CDF 0.001: all are at zero, which decides nothing", None))
        elif best and rest:
            pairs = itertools.product(best, rest)
            leads = [Figure.of(_leads(form, runs[a], runs[b], form.metric, SHORT_TAIL)) for a, b in pairs]
            holds = figures.every(lead.clear for lead in leads)
            found.append(Finding(f"{where}CDF 0.001: {_list(form, at)}", holds))
    return found


@statement("pepper.long_tail")
def long_tail(form: Reproduction, results: Results) -> list[Finding]:
    """Between CDF 0.15 and 0.4 PEPPER is ahead of federated methods."""
    found = []
    for where, runs in _methods(form, results, "PEPPER", *FEDERATED):
        means = {name: [_between(form, run) for run in runs[name]] for name in ("PEPPER", *FEDERATED)}
        told = {name: Figure.of(values) for name, values in means.items()}
        leads = [zip(means["PEPPER"], means[name], strict=True) for name in FEDERATED]
        clear = [Figure.of([ours - theirs for ours, theirs in lead]).clear for lead in leads]
        span = f"CDF {LONG_TAIL[0]:g} to {LONG_TAIL[1]:g}"
        found.append(Finding(f"{where}{span}: {_list(form, told)}", figures.every(clear)))
    return found


@statement("pepper.sparsity")
def sparsity(form: Reproduction, results: Results) -> list[Finding]:
    """From each data set to the next, sparser one, PEPPER gains on federated averaging."""
    leads: dict[str, Figure] = {}
    for labels, ((ours, _), (theirs, _)) in form.together(["PEPPER", "FedAvg"], [], results):
        both = (results[ours], results[theirs])
        mine, other = (figures.values(form, runs, form.metric, "final", None) for runs in both)
        leads[", ".join(labels)] = Figure.of([a - b for a, b in zip(mine, other, strict=True)])
    said = ", ".join(
        f"{figures.say_over(lead, form.metric)} on {data}".replace("-", "−") for data, lead in leads.items()
    )
    told = f"PEPPER ahead of FedAvg by {said}"
    if len(leads) < 2:
        return [Finding(f"{told} (a single data set decides nothing)", None)]
    steps = [b.minus(a) for a, b in itertools.pairwise(leads.values())]
    return [Finding(told, figures.every(step.clear for step in steps))]


@statement("pepper.fewer_rounds")
def fewer_rounds(form: Reproduction, results: Results) -> list[Finding]:
    """Nodes of PEPPER converge with up to 42 % fewer rounds on average."""
    saved = {}
    for name, ours, theirs in _beside(form, results):
        few, many = (_figure(form, runs, "final", ROUNDS).mean for runs in (ours, theirs))
        saved[name] = 1 - few / many
    said = ", ".join(f"{_number(100 * share)} % fewer rounds than {name}" for name, share in saved.items())
    allowed = f"the most allowed to be {100 * FEWER[0]:.0f} to {100 * FEWER[1]:.0f} %"
    holds = FEWER[0] <= max(saved.values(), default=0.0) <= FEWER[1]
    return [Finding(f"{said} ({allowed})", holds)] if saved else []


@statement("pepper.gap_grows")
def gap_grows(form: Reproduction, results: Results) -> list[Finding]:
    """PEPPER is ahead by more rounds among the slowest nodes than on average."""
    found = []
    for name, ours, theirs in _beside(form, results):
        mean, slow = _leads(form, theirs, ours, ROUNDS), _leads(form, theirs, ours, ROUNDS, SLOWEST)
        grows = Figure.of([b - a for a, b in zip(mean, slow, strict=True)])
        few, many = (_number(Figure.of(gap).mean) for gap in (mean, slow))
        said = f"{few} rounds fewer than {name} on average, {many} fewer where the slowest tenth begins"
        found.append(Finding(said, grows.clear))
    return found


@statement("pepper.overhead")
def overhead(form: Reproduction, results: Results) -> list[Finding]:
    """On average a node computes about twice as long, and most compute longer than the others' median."""
    found = []
    for name, ours, theirs in _beside(form, results):
        pairs = [(_seconds(a), _seconds(b)) for a, b in zip(ours, theirs, strict=True)]
        ratio = Figure.of([float(a.mean() / b.mean()) for a, b in pairs])
        longer = Figure.of([float((a > np.median(b)).mean()) for a, b in pairs])
        said = f"{ratio.mean:.2f} times the computation of {name}, longer than its median on"
        holds = TWICE[0] <= ratio.mean <= TWICE[1] and longer.mean > MOST
        found.append(Finding(f"{said} {100 * longer.mean:.0f} % of the nodes", holds))
    return found


@statement("pepper.left_alone")
def left_alone(form: Reproduction, results: Results) -> list[Finding]:
    """About a fifth of nodes compute less than the others' median; nodes with little data receive little."""
    found = []
    for name, ours, theirs in _beside(form, results):
        pairs = [(_seconds(a), _seconds(b)) for a, b in zip(ours, theirs, strict=True)]
        share = Figure.of([float((a < np.median(b)).mean()) for a, b in pairs])
        said = f"{100 * share.mean:.0f} % of PEPPER's nodes compute less than the median of {name}"
        found.append(Finding(said, FIFTH[0] <= share.mean <= FIFTH[1]))
    runs = next((runs for _, runs, _ in _beside(form, results)), [])
    if runs:
        linked = Figure.of([_correlation(run) for run in runs])
        said = f"models received and own interactions are correlated by {linked.mean:+.2f} over nodes"
        found.append(Finding(said.replace("-", "−"), linked.clear))
    return found


@statement("pepper.churn_is_alike")
def churn_is_alike(form: Reproduction, results: Results) -> list[Finding]:
    """Churn costs the other methods as much as it costs PEPPER."""
    return _alike(form, results, "phones")


@statement("pepper.unequal_links_are_alike")
def unequal_links_are_alike(form: Reproduction, results: Results) -> list[Finding]:
    """Unequal links cost the other methods as much as they cost PEPPER."""
    return _alike(form, results, "unequal links")


def _alike(form: Reproduction, results: Results, network: str) -> list[Finding]:
    """What PEPPER loses in a network, compared with what each other method loses."""
    losses: dict[str, list[float]] = {}
    for method in form.axes["method"]:
        texts = [f"{method}, always online", f"{method}, {network}"]
        for _, pair in form.together(texts, [], results):
            calm, there = (figures.values(form, results[run], form.metric, "final", None) for run, _ in pair)
            losses[method] = [a - b for a, b in zip(calm, there, strict=True)]
    own = losses.pop("PEPPER", [])
    found = []
    for name, values in losses.items() if own else ():
        apart = Figure.of([a - b for a, b in zip(own, values, strict=True)])
        mine, other = (_say(form, Figure.of(each)) for each in (own, values))
        found.append(Finding(f"PEPPER loses {mine}, {name} {other}", apart.within(ALIKE)))
    return found or [Finding(f"PEPPER was not run with others, both always online and with {network}", None)]


def _methods(
    form: Reproduction, results: Results, *needed: str
) -> list[tuple[str, dict[str, Sequence[Run]]]]:
    """For every combination of the other axes with these methods, its name and the runs of each method."""
    place, found = list(form.axes).index("method"), dict[str, dict[str, Sequence[Run]]]()
    for run, runs in results.items():
        where = ", ".join(run[:place] + run[place + 1 :])
        found.setdefault(f"{where}: " if where else "", {})[run[place]] = runs
    return [(where, runs) for where, runs in found.items() if runs.keys() >= set(needed)]


def _leads(
    form: Reproduction, ours: Sequence[Run], theirs: Sequence[Run], metric: str, at: At = "final"
) -> list[float]:
    """Ours less theirs, seed by seed."""
    columns = (figures.values(form, runs, metric, at, None) for runs in (ours, theirs))
    return [a - b for a, b in zip(*columns, strict=True)]


def _figure(form: Reproduction, runs: Sequence[Run], at: At, metric: str | None = None) -> Figure:
    return Figure.of(figures.values(form, runs, metric or form.metric, at, None))


def _between(form: Reproduction, run: Run) -> float:
    """The mean over the people of the long tail."""
    known = figures.of_everybody(run, form.metric)
    known = np.sort(known[~np.isnan(known)])
    first, last = (int(share * len(known)) for share in LONG_TAIL)
    return float(known[first:last].mean())


def _say(form: Reproduction, figure: Figure) -> str:
    return figures.say_over(figure, form.metric).replace("-", "−")


def _list(form: Reproduction, told: dict[str, Figure]) -> str:
    return ", ".join(f"{name} {_say(form, figure)}" for name, figure in told.items())


def _number(value: float) -> str:
    return f"{value:.0f}".replace("-", "−")


def _beside(form: Reproduction, results: Results) -> list[tuple[str, list[Run], list[Run]]]:
    """The runs of PEPPER beside those of each other method."""
    names = [label for label in form.axes["method"] if label != "PEPPER"]
    return [
        (name, list(results[ours]), list(results[theirs]))
        for name in names
        for _, ((ours, _), (theirs, _)) in form.together(["PEPPER", name], [], results)
    ]


def _seconds(run: Run) -> NDArray[np.float64]:
    return figures.of_everybody(run, "seconds per node")


def _correlation(run: Run) -> float:
    received = figures.of_everybody(run, "models received")
    return float(np.corrcoef(received, run.people()["history"].to_numpy())[0, 1])
