"""Has a method learnt something personal, and which one is best? In a sentence or two.

A model that ends near popularity by every metric has learnt nothing personal. The difference to
popularity is taken per person, and counts when its mean is more than three standard errors from zero.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.experiments.report import words
from sottovoce.experiments.report.chance import ALPHA, Difference
from sottovoce.experiments.report.methods import Study, Subject
from sottovoce.metrics import lower_is_better
from sottovoce.plural import count

_ERRORS, _MANY = 3.0, 3
Kind = Literal["good", "near", "bad"]
_HEADLINES: dict[tuple[bool, Kind], str] = {
    (True, "good"): "learnt what people like personally.",
    (True, "near"): "ends near popularity: nothing personal was learnt.",
    (True, "bad"): "is worse than popularity.",
    (False, "good"): "has a better {metric} than popularity.",
    (False, "near"): "has the {metric} of popularity.",
    (False, "bad"): "has a worse {metric} than popularity.",
}
_SHORT: dict[Kind, str] = {"near": "ends near", "bad": "is worse than"}


class Verdict(NamedTuple):
    """How the best method did against popularity, and against the others."""

    kind: Kind
    headline: str
    sentence: str


def judge(study: Study, best: Subject | None, differences: Mapping[str, Difference]) -> Verdict:
    """The verdict on runs, of which `best` is best; `differences` are those of others to it."""
    if best is None and all(run.curve[-1].get("online") == 0 for m in study.methods for run in m.runs):
        told = "The last models are those of people who were away, and only those online are judged."
        return Verdict("bad", "Nobody was online at the end.", told)
    if best is None:
        return Verdict(
            "bad",
            "The run diverged." if len(study.methods) == 1 else "All methods diverged.",
            "The last models predict nothing finite; try a smaller step.",
        )
    popularity, metric = study.baselines[0], study.metric
    kind = _kind(best, popularity, metric)
    several = len(study.methods) > 1
    headline = _HEADLINES[words.accuracy(metric), kind].format(metric=words.name(metric).lower())
    elsewhere = _elsewhere(study, best) if words.accuracy(metric) and kind != "good" else []
    if elsewhere:
        headline = f"{_SHORT[kind]} popularity by {words.name(metric)}, and ahead of it by other metrics."
    headline = f"{_first(study, best, differences)} It {headline}" if several else f"It {headline}"
    sentences = [_compare(study, best), _whom(best, popularity, metric), _central(study)]
    if elsewhere:
        sentences.append(f"Better than popularity: {', '.join(map(words.name, elsewhere))}.")
    if not words.accuracy(metric):
        sentences.append(
            "Whether people like what they get is another question, which this metric does not ask."
        )
    if several:
        sentences.append(_weak(study, best))
    return Verdict(kind, headline, " ".join(filter(None, sentences)))


def _gain(ours: NDArray[np.float64], popular: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    gain = popular - ours if lower_is_better(metric) else ours - popular
    return gain[~np.isnan(gain)]


def _kind(subject: Subject, popularity: Subject, metric: str) -> Kind:
    ours, popular = (s.everybody(metric, subject.people) for s in (subject, popularity))
    if len(ours) and len(ours) == len(popular):
        gain = _gain(ours, popular, metric)
        noise = _ERRORS * gain.std() / math.sqrt(len(gain)) if len(gain) else 0.0
    else:
        # A figure of the system as a whole, without anybody's own: no errors to compare with.
        means = [
            np.array([np.nan if s.mean(metric) is None else s.mean(metric)]) for s in (subject, popularity)
        ]
        gain, noise = _gain(means[0], means[1], metric), 0.0
    mean = gain.mean() if len(gain) else 0.0
    return "good" if mean > noise else "bad" if mean < -noise else "near"


def _elsewhere(study: Study, best: Subject) -> list[str]:
    """The other metrics of accuracy by which a method is better than popularity."""
    others = (metric for metric in study.metrics if metric != study.metric and words.accuracy(metric))
    return [metric for metric in others if _kind(best, study.baselines[0], metric) == "good"]


def _compare(study: Study, best: Subject) -> str:
    metric, rounds = study.metric, {run.result["rounds"] for m in study.methods for run in m.runs}
    after = f"After {count(max(rounds), 'round')}, " if len(rounds) == 1 else ""
    figures = [words.figure(metric, s.mean(metric)) for s in study.baselines]
    by = "with every item's mean (popularity)" if metric in ("rmse", "mae") else "by popularity"
    told = f"{after}{words.said(metric, best.mean(metric))}, "
    told += f"against {figures[0]} {by} and {figures[1]} at random"
    seeds = len(best.figures)
    told += f" (means over {seeds} seeds)." if seeds > 1 else "."
    return told[0].upper() + told[1:]


def _whom(best: Subject, popularity: Subject, metric: str) -> str:
    ours, popular = (s.everybody(metric, best.people) for s in (best, popularity))
    if not len(ours) or len(ours) != len(popular) or not words.accuracy(metric):
        return ""
    gain = _gain(ours, popular, metric)
    better, worse = 100 * (gain > 0).mean(), 100 * (gain < 0).mean()
    return f"{better:.0f} % of people are better off than with popularity, {worse:.0f} % worse."


def _central(study: Study) -> str:
    """What a central service would reach, if that was measured."""
    sign = 1 if lower_is_better(study.metric) else -1
    known = [(sign * mean, s.name) for s in study.references if (mean := s.mean(study.metric)) is not None]
    if not known:
        return ""
    value, name = min(known)
    told = words.figure(study.metric, sign * value)
    return f"The best central reference, {name.removesuffix(' (central)')}, reaches {told}."


def _first(study: Study, best: Subject, differences: Mapping[str, Difference]) -> str:
    """Which method is ahead, and of which others that cannot be said."""
    others = [differences.get(m.name) for m in study.methods if m.name != best.name]
    level = [d.subject.name for d in others if d is not None and d.t_test >= ALPHA]
    unknown = [m.name for m in study.methods if m.name != best.name and m.name not in differences]
    if level:
        return f"Ahead, though not clearly of {_listed(level, ' or ')}: {best.name}."
    if unknown:
        return f"The best {words.name(study.metric)}: {best.name}."
    return f"Best of {len(study.methods)} methods: {best.name}."


def _weak(study: Study, best: Subject) -> str:
    """Methods that do not beat popularity."""
    others = [m.subject for m in study.methods if m.name != best.name]
    weak = [s.name for s in others if _kind(s, study.baselines[0], study.metric) != "good"]
    return f"Not better than popularity: {_listed(weak, '; ')}." if weak else ""


def _listed(names: Sequence[str], between: str) -> str:
    return between.join(names) if len(names) <= _MANY else f"{len(names)} others"
