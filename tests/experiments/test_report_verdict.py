"""Verdicts speak sensibly about every metric, and chance is not taken for a difference."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from sottovoce.experiments.report import chance, words
from sottovoce.experiments.report.chance import holm
from sottovoce.experiments.report.methods import Method, Study, Subject
from sottovoce.experiments.report.verdict import judge
from sottovoce.metrics import LISTED, NAMES, RANKED, lower_is_better

NOISE = np.linspace(-0.3, 0.3, 200)
AT = {*RANKED, *LISTED} - {"user-coverage"}


def subject(name, metric, mean, people=True):
    everybody = {metric: mean + NOISE} if people else {}
    return Subject(name, {1: {metric: mean}}, {1: everybody})


def compared(metric, means, popular=0.5, people=True):
    run = SimpleNamespace(result={"rounds": 5}, curve=[{"round": 5, "online": 3}])
    methods = [Method(subject(f"m{n}", metric, mean, people), (run,), {}) for n, mean in enumerate(means)]
    beside = subject("popularity", metric, popular, people)
    beside = beside._replace(people={1: {metric: np.full(200, popular)} if people else {}})
    return Study(
        tuple(methods), (beside, subject("random", metric, 0.2, False)), (), metric, (metric,), None, ()
    )


def verdict(study):
    best = chance.best(study)
    return judge(study, best, chance.against(study, best) if best else {})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("people", [True, False])
@pytest.mark.parametrize(("shift", "kind"), [(0.2, "good"), (0.0, "near"), (-0.2, "bad")])
def test_every_metric(name, shift, kind, people):
    metric = f"{name}@10" if name in AT else name
    sign = -1 if lower_is_better(metric) else 1
    found = verdict(compared(metric, [0.5 + sign * shift], people=people))
    assert found.kind == kind
    assert found.sentence.startswith("After 5 rounds, ")
    assert words.figure(metric, 0.5 + sign * shift) in found.sentence
    assert "{" not in found.sentence
    assert (words.name(metric).lower() in found.headline) != words.accuracy(metric)
    assert words.explained(metric).endswith(".")
    assert words.name(metric)[0].isupper()


@pytest.mark.parametrize(("shift", "told"), [(0.0, "ends near"), (-0.2, "is worse than")])
def test_what_another_metric_shows_is_not_denied(shift, told):
    plain = compared("hr@20", [0.5 + shift])
    method, popularity = plain.methods[0], plain.baselines[0]
    method.subject.people[1].update({"ndcg@5": 0.5 + NOISE, "gini@20": 0.1 + NOISE})
    popularity.people[1].update({"ndcg@5": np.full(200, 0.3), "gini@20": np.full(200, 0.5)})
    found = verdict(plain._replace(metrics=("hr@20", "ndcg@5", "gini@20")))
    assert found.headline == f"It {told} popularity by HR@20, and ahead of it by other metrics."
    assert found.sentence.endswith("Better than popularity: NDCG@5.")
    assert "other metrics" not in verdict(plain).headline


def test_the_best_of_several():
    found = verdict(compared("hr@20", [0.6, 0.9, 0.4]))
    assert found.headline == "Best of 3 methods: m1. It learnt what people like personally."
    assert found.sentence.endswith("Not better than popularity: m2.")
    assert verdict(compared("rmse", [0.6, 0.9, 0.4])).headline.startswith("Best of 3 methods: m2.")


def test_a_central_reference_is_mentioned():
    study = compared("hr@20", [0.7])._replace(references=(subject("als (central)", "hr@20", 0.8),))
    assert "The best central reference, als, reaches 80.0 %." in verdict(study).sentence


def test_a_difference_that_may_be_chance_is_no_victory():
    study = compared("hr@20", [0.7, 0.7])
    wobble = np.random.default_rng(1).normal(0, 0.2, 200)
    second = study.methods[1].subject
    second.people[1]["hr@20"] = 0.7 + NOISE + wobble - wobble.mean() - 0.001
    second.figures[1]["hr@20"] = 0.699
    assert verdict(study).headline.startswith("Ahead, though not clearly of m1: m0.")


def test_without_common_seeds_nothing_is_tested():
    study = compared("hr@20", [0.7, 0.9])
    other = study.methods[1].subject
    other = other._replace(figures={2: other.figures[1]}, people={2: other.people[1]})
    study = study._replace(methods=(study.methods[0], study.methods[1]._replace(subject=other)))
    best = chance.best(study)
    assert best is other
    assert "m0" not in chance.against(study, best)


def test_all_diverged():
    study = compared("hr@20", [0.7])
    study.methods[0].subject.figures[1]["hr@20"] = None
    found = verdict(study)
    assert (found.kind, found.headline) == ("bad", "The run diverged.")
    study.methods[0].runs[0].curve[-1]["online"] = 0
    assert verdict(study).headline == "Nobody was online at the end."


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    corrected = holm([math.nan, 0.02])
    assert math.isnan(corrected[0])
    assert corrected[1] == 0.02
    assert holm([]) == []


def test_an_interval_is_of_the_figure_or_of_nothing():
    one = subject("x", "hr@20", 0.6)
    low, high = chance.interval(one, "hr@20")
    error = NOISE.std() / math.sqrt(200)
    assert (low, high) == pytest.approx((0.6 - 1.96 * error, 0.6 + 1.96 * error), abs=0.2 * error)
    one.figures[1]["hr@20"] = 0.65  # not the mean over people
    assert chance.interval(one, "hr@20") is None
    errors = np.abs(NOISE) + 0.5
    rmse = Subject("x", {1: {"rmse": math.sqrt((errors**2).mean())}}, {1: {"rmse": errors}})
    low, high = chance.interval(rmse, "rmse")
    assert low < rmse.mean("rmse") < high


def test_many_people_are_drawn_less_often():
    assert chance.samples(np.zeros(1000)) == 10_000
    assert chance.samples(np.zeros(1_000_000)) == 200
