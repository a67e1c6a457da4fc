"""Is a method better than popularity, and which one is best? In a sentence or two.

A model that is not better than popularity by any metric has learnt nothing personal, and neither has one
that is not better than random. The comparison in the
report's table decides whether it is: `chance.Difference.side`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from sottovoce.experiments.pages import words
from sottovoce.experiments.report import chance
from sottovoce.experiments.report.chance import Difference, Side
from sottovoce.experiments.report.methods import Method, Study, Subject
from sottovoce.experiments.runs import advice
from sottovoce.experiments.runs.trouble import Collapse, Divergence, models
from sottovoce.metrics import lower_is_better
from sottovoce.plural import count

_MANY = 3
Kind = Literal["good", "near", "bad"]
_KINDS: dict[Side, Kind] = {"better": "good", "level": "near", "untested": "near", "worse": "bad"}
_TURNED: dict[Side, Side] = {"better": "worse", "worse": "better", "level": "level", "untested": "untested"}
_ACCURATE: dict[Side, str] = {
    "better": "is better than popularity{learnt}.",
    "level": "cannot be told apart from popularity.",
    "untested": "cannot be compared with popularity: fewer than two people have a figure.",
    "worse": "is worse than popularity.",
}
_SPREAD: dict[Side, str] = {
    "better": "has a better {metric} than popularity.",
    "level": "cannot be told apart from popularity by its {metric}.",
    "untested": "cannot be compared with popularity: fewer than two people have a {metric}.",
    "worse": "has a worse {metric} than popularity.",
}
_LEARNT = ": it learnt people's personal taste"
_GUESSED = ", but not better than chance: it learnt nothing"
_SHORT: dict[Side, str] = {"level": "cannot be told apart from", "worse": "is worse than"}


class Verdict(NamedTuple):
    """How the best method compares with popularity and with the others."""

    kind: Kind
    headline: str
    sentence: str


def verdict(study: Study) -> Verdict:
    """The verdict on runs."""
    best = chance.best(study)
    return judge(study, best, chance.against(study, best) if best else {})


def judge(study: Study, best: Subject | None, differences: Mapping[str, Difference]) -> Verdict:
    """The verdict on runs; `best` is the best method, `differences` compare the others with it."""
    if best is None:
        return _nothing(study)
    popularity, metric = study.baselines[0], study.metric
    side = _stands(best, popularity, metric, differences)
    several, accurate = len(study.methods) > 1, words.accuracy(metric)
    learnt = not accurate or _beats_chance(study, best, differences)
    kind = _KINDS[side] if learnt else "bad"
    said = (_ACCURATE if accurate else _SPREAD)[side]
    headline = said.format(metric=words.name(metric).lower(), learnt=_LEARNT if learnt else _GUESSED)
    elsewhere = _elsewhere(study, best) if accurate else {}
    ahead = [name for name, other in elsewhere.items() if other == "better"]
    behind = [name for name, other in elsewhere.items() if other == "worse"]
    if ahead and side in _SHORT:
        headline = f"{_SHORT[side]} popularity by {words.name(metric)}, but it is better by other metrics."
    headline = f"{_first(study, best, differences)} It {headline}" if several else f"It {headline}"
    method = next(m for m in study.methods if m.name == best.name)
    lost = _worst(method)
    if lost is not None:
        kind, headline = "bad", f"{models(lost.people, lost.of)} diverged. {headline}"
    alike = _alike(method)
    if lost is None and alike is not None and alike.most:
        kind, headline = "bad", f"Most models do not tell items apart. {headline}"
    sentences = [
        *([_diverged(method, lost)] if lost is not None else []),
        str(alike) if lost is None and alike is not None else "",
        _compare(study, best),
        "That is no better than chance." if side != "better" and not learnt else "",
        _whom(best, popularity, metric),
        _central(study),
        f"It is better than popularity by {_named(ahead)}." if ahead and side != "better" else "",
        f"It is worse than popularity by {_named(behind)}." if behind and side != "worse" else "",
    ]
    if not accurate:
        sentences.append("This metric does not measure whether people like what they get.")
    if several:
        sentences.append(_weak(study, best))
    if accurate and side in _SHORT and lost is None:
        sentences.append(advice.below(method.runs[0].recipe, method.runs[0].curve, metric))
    return Verdict(kind, headline, " ".join(filter(None, sentences)))


def _nothing(study: Study) -> Verdict:
    """The verdict if no method has a figure at the end."""
    runs = [run for method in study.methods for run in method.runs]
    if all(run.curve[-1].get("online") == 0 for run in runs):
        sentence = "Only models of people who are online are judged."
        return Verdict("bad", "Nobody was online at the end.", sentence)
    # Runs of earlier versions do not say, and divergence is the only reason why they have no figure.
    if any(run.diverged is not None or "diverged" not in run.figures.model_fields_set for run in runs):
        headline = "The run diverged." if len(study.methods) == 1 else "All methods diverged."
        lost = [(method, _worst(method)) for method in study.methods]
        sentence = next((_diverged(method, one) for method, one in lost if one is not None), "")
        return Verdict(
            "bad", headline, sentence or "The last models predict no finite numbers; try a smaller step."
        )
    return Verdict("bad", "Nothing was measured at the end.", "Nobody with held-out items was online.")


def _worst(method: Method) -> Divergence | None:
    """The divergence of the worst seed."""
    return max((run.diverged for run in method.runs if run.diverged is not None), default=None)


def _alike(method: Method) -> Collapse | None:
    """The collapse of the worst seed."""
    return max((run.collapsed for run in method.runs if run.collapsed is not None), default=None)


def _diverged(method: Method, lost: Divergence) -> str:
    return f"{lost} {advice.diverged(method.runs[0].recipe)}"


def _stands(best: Subject, baseline: Subject, metric: str, differences: Mapping[str, Difference]) -> Side:
    """Whether the best method is better than a baseline by the main metric, as the table shows."""
    if baseline.name in differences:
        return _TURNED[differences[baseline.name].side(metric)]
    # A figure of the system as a whole: without figures of single people, nothing can be tested.
    ours, theirs = best.mean(metric), baseline.mean(metric)
    if ours is None or theirs is None or ours == theirs:
        return "level"
    return "better" if (ours < theirs) == lower_is_better(metric) else "worse"


def _elsewhere(study: Study, best: Subject) -> dict[str, Side]:
    """Whether a method is better than popularity by the other metrics of accuracy."""
    others = [metric for metric in study.metrics if metric != study.metric and words.accuracy(metric)]
    found = {metric: chance.difference(best, study.baselines[0], metric) for metric in others}
    known = {metric: one for metric, one in found.items() if one is not None}
    family = chance.corrected(list(known.values()))
    return {metric: one.side(metric) for metric, one in zip(known, family, strict=True)}


def _compare(study: Study, best: Subject) -> str:
    metric, rounds = study.metric, {run.figures.rounds for m in study.methods for run in m.runs}
    after = f"After {count(max(rounds), 'round')}, " if len(rounds) == 1 else ""
    figures = [words.figure(metric, s.mean(metric)) for s in study.baselines]
    by = "with every item's mean (popularity)" if metric in ("rmse", "mae") else "by popularity"
    sentence = f"{after}{words.said(metric, best.mean(metric))}, "
    sentence += f"against {figures[0]} {by} and {figures[1]} at random"
    seeds = len(best.figures)
    sentence += f" (means over {seeds} seeds)." if seeds > 1 else "."
    return sentence[0].upper() + sentence[1:]


def _beats_chance(study: Study, best: Subject, differences: Mapping[str, Difference]) -> bool:
    """Whether a method is better than random by the main metric."""
    random = study.baselines[1]
    if best.mean(study.metric) is None or random.mean(study.metric) is None:
        return True
    return _stands(best, random, study.metric, differences) in ("better", "untested")


def _whom(best: Subject, popularity: Subject, metric: str) -> str:
    ours, popular = (s.everybody(metric, best.people) for s in (best, popularity))
    if not len(ours) or len(ours) != len(popular) or not words.accuracy(metric):
        return ""
    gain = popular - ours if lower_is_better(metric) else ours - popular
    gain = gain[~np.isnan(gain)]
    better, worse = 100 * (gain > 0).mean(), 100 * (gain < 0).mean()
    return f"{better:.0f} % of people are better off than with popularity, and {worse:.0f} % are worse off."


def _central(study: Study) -> str:
    """How good the best central reference is, if any was measured."""
    sign = 1 if lower_is_better(study.metric) else -1
    known = [(sign * mean, s.name) for s in study.references if (mean := s.mean(study.metric)) is not None]
    if not known:
        return ""
    value, name = min(known)
    figure = words.figure(study.metric, sign * value)
    return f"The best central reference, {name.removesuffix(' (central)')}, reaches {figure}."


def _first(study: Study, best: Subject, differences: Mapping[str, Difference]) -> str:
    """Which method is best, and which others it cannot be told apart from."""
    others = [differences.get(m.name) for m in study.methods if m.name != best.name and not chance.lost(m)]
    level = [d.subject.name for d in others if d is not None and d.side(study.metric) in ("level", "better")]
    unknown = [m.name for m in study.methods if m.name != best.name and m.name not in differences]
    if level:
        return f"Best: {best.name}, but not clearly better than {_listed(level, ' or ')}."
    if unknown:
        return f"Best by {words.name(study.metric)}: {best.name}."
    return f"Best of {len(study.methods)} methods: {best.name}."


def _weak(study: Study, best: Subject) -> str:
    """Methods that do not beat popularity, and those that diverged."""
    others = [m for m in study.methods if m.name != best.name]
    found = [chance.difference(m.subject, study.baselines[0], study.metric) for m in others]
    family = chance.corrected([one for one in found if one is not None])
    sides = {one.subject.name: one.side(study.metric) for one in family}
    for m in others:
        sides.setdefault(m.name, _stands(m.subject, study.baselines[0], study.metric, {}))
    weak = [m.name for m in others if sides[m.name] != "better"]
    lost = [m.name for m in others if any(run.failed for run in m.runs)]
    return " ".join(
        f"{what}: {_listed(names, '; ')}."
        for what, names in (("Not better than popularity", weak), ("Diverged", lost))
        if names
    )


def _named(metrics: Sequence[str]) -> str:
    """Metrics in a sentence: `HR@5, HR@10 and NDCG@20`."""
    names = [words.name(metric) for metric in metrics]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _listed(names: Sequence[str], between: str) -> str:
    return between.join(names) if len(names) <= _MANY else f"{len(names)} others"
