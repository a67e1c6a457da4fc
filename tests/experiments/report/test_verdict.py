"""Verdicts speak sensibly about every metric, and chance is not taken for a difference."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.experiments.pages import words
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.report import chance, quality
from sottovoce.experiments.report.chance import holm
from sottovoce.experiments.report.methods import Method, Study, Subject
from sottovoce.experiments.report.verdict import verdict
from sottovoce.experiments.runs.run import Run
from sottovoce.metrics import LISTED, NAMES, RANKED, lower_is_better
from tests.small import result

NOISE = np.linspace(-0.3, 0.3, 200)
AT = {*RANKED, *LISTED} - {"user-coverage"}


def subject(name, metric, mean, people=True):
    everybody = {metric: mean + NOISE} if people else {}
    return Subject(name, {1: {metric: mean}}, {1: everybody})


def run(**changes):
    curve = [{"round": 5, "online": 3}]
    recipe = Recipe.parse({"data": {"name": "synthetic"}, "model": {"name": "mf"}}).resolved()
    return Run(recipe, result(rounds=5, **changes), curve)


def compared(metric, means, popular=0.5, people=True):
    methods = [Method(subject(f"m{n}", metric, mean, people), (run(),), {}) for n, mean in enumerate(means)]
    beside = subject("popularity", metric, popular, people)
    beside = beside._replace(people={1: {metric: np.full(200, popular)} if people else {}})
    random = subject("random", metric, 0.9 if lower_is_better(metric) else 0.2, False)
    return Study(tuple(methods), (beside, random), (), metric, (metric,), None, ())


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


@pytest.mark.parametrize(("shift", "told"), [(0.0, "cannot be told apart from"), (-0.2, "is worse than")])
def test_what_another_metric_shows_is_not_denied(shift, told):
    plain = compared("hr@20", [0.5 + shift])
    method, popularity = plain.methods[0], plain.baselines[0]
    method.subject.people[1].update({"ndcg@5": 0.5 + NOISE, "gini@20": 0.1 + NOISE})
    popularity.people[1].update({"ndcg@5": np.full(200, 0.3), "gini@20": np.full(200, 0.5)})
    found = verdict(plain._replace(metrics=("hr@20", "ndcg@5", "gini@20")))
    assert found.headline == f"It {told} popularity by HR@20, but it is better by other metrics."
    assert "It is better than popularity by NDCG@5." in found.sentence
    assert "other metrics" not in verdict(plain).headline


def test_the_best_of_several():
    found = verdict(compared("hr@20", [0.6, 0.9, 0.4]))
    assert found.headline == (
        "Best of 3 methods: m1. It is better than popularity: it learnt people's personal taste."
    )
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
    assert verdict(study).headline.startswith("Best: m0, but not clearly better than m1.")


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


LOST = {"people": 200, "of": 200, "round": 3}


def replaced(study, n, **result):
    """The study with another outcome of method n."""
    methods = list(study.methods)
    methods[n] = methods[n]._replace(runs=(run(**result),))
    return study._replace(methods=tuple(methods))


def test_a_run_that_diverged_says_when_and_what_to_do():
    """Although its hit rate is a number, for example 0."""
    study = replaced(compared("hr@20", [0.0]), 0, diverged=LOST)
    found = verdict(study)
    assert (found.kind, found.headline) == ("bad", "The run diverged.")
    assert found.sentence == (
        "Since round 3, some models have held numbers that are not finite. "
        "At the end, the models of all 200 people hold some. "
        "Try a smaller step (--set model.step=0.001) or more regularization (--set model.regularization=1)."
    )


def test_a_part_that_diverged_is_told_with_its_share():
    study = replaced(compared("hr@20", [0.9]), 0, diverged=LOST | {"people": 3})
    found = verdict(study)
    assert found.kind == "bad"
    assert found.headline.startswith("The models of 3 of 200 people diverged. It is better than popularity")
    assert "At the end, the models of 3 of 200 people (1.5 %) hold some." in found.sentence


def test_nothing_measured_is_not_called_divergence():
    study = replaced(compared("hr@20", [0.9]), 0, diverged=None)
    study.methods[0].subject.figures[1]["hr@20"] = None
    assert verdict(study).headline == "Nothing was measured at the end."


def test_a_method_that_diverged_is_not_the_best_by_a_metric_of_few_items():
    study = replaced(compared("popularity-bias@10", [0.0, 0.4]), 0, diverged=LOST)
    found = verdict(study)
    assert found.headline.startswith("Best of 2 methods: m1.")
    assert "Diverged: m0." in found.sentence


def test_models_that_tell_nothing_apart():
    study = replaced(compared("hr@20", [0.0]), 0, collapsed={"people": 200, "of": 200})
    found = verdict(study)
    assert found.headline == "Most models do not tell items apart. It is worse than popularity."
    assert found.sentence.startswith(
        "The models of all 200 people give all recommended items the same score."
    )


def test_below_popularity_says_what_to_try():
    study = compared("hr@20", [0.3])
    study.methods[0].runs[0].curve[:] = [{"round": r, "hr@20": 0.1 * r} for r in range(1, 4)]
    found = verdict(study)
    assert found.headline == "It is worse than popularity."
    assert found.sentence.endswith(
        "To try: more rounds, because it was still improving (--set run.rounds=400); a model that learns "
        "what people choose, not how they rate (--set model.name=ials); less regularization "
        "(--set model.regularization=0.025)."
    )
    assert "To try" not in verdict(compared("hr@20", [0.7])).sentence
    study.methods[0].subject.figures[1]["hr@20"] = 0.2
    assert "That is no better than chance." in verdict(study).sentence


def test_one_person_is_no_test():
    study = compared("hr@20", [0.9])
    for one in (study.methods[0].subject, study.baselines[0]):
        one.people[1]["hr@20"] = one.people[1]["hr@20"][:1]
    found = verdict(study)
    assert found.kind == "near"
    assert "cannot be compared with popularity: fewer than two people" in found.headline


def shown(study):
    """What the table of figures says about popularity beside the best: both ends of the interval, and p."""
    best = chance.best(study)
    differences = chance.against(study, best)
    parts = quality.figures(study, best, differences).parts
    table = next(p for p in parts if any(c.name == "p (t-test)" for c in getattr(p, "columns", ())))
    row = next(row for row in table.rows if row[0].text == "popularity")
    low, high = row[-3].values[1:]
    return low, high, row[-2].values[0]


def worded(headline):
    """What a headline says about the best method."""
    said = {"is better than": 1, "is worse than": -1, "cannot be told apart from": 0}
    return next(side for text, side in said.items() if text in headline)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(2, 300),
    st.floats(-4.5, 4.5),
    st.sampled_from(["hr@20", "rmse"]),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_the_headline_says_what_the_table_says(seed, people, errors, metric, methods, seeds):
    """Random figures, with differences to popularity of up to 4.5 standard errors, by some methods."""
    random = np.random.default_rng(seed)
    popular = random.uniform(0.2, 0.8, (seeds, people))
    sign = -1 if lower_is_better(metric) else 1
    made = []
    for n in range(methods):
        shift = sign * (errors if n == 0 else random.uniform(-4.5, 4.5)) * 0.3 / math.sqrt(people * seeds)
        own = np.abs(popular + shift + random.choice([0, 0.3, -0.3], (seeds, people)))
        made.append(own)

    def of(name, own):
        columns = {s + 1: {metric: own[s]} for s in range(seeds)}
        return Subject(name, {s: {metric: float(c[metric].mean())} for s, c in columns.items()}, columns)

    chosen = tuple(Method(of(f"m{n}", own), (run(),) * seeds, {}) for n, own in enumerate(made))
    beside = (of("popularity", popular), of("random", popular / 10)._replace(people={}))
    study = Study(chosen, beside, (), metric, (metric,), None, ())
    low, high, p = shown(study)
    told = worded(verdict(study).headline)
    better = (high < 0) if sign > 0 else (low > 0)
    worse = (low > 0) if sign > 0 else (high < 0)
    assert told == (1 if better and p < 0.05 else -1 if worse and p < 0.05 else 0)
    if told == 0 and len(chosen) == 1 and not (low <= 0 <= high):
        assert p >= 0.05, "an interval without zero, and yet no word of it"


def test_two_standard_errors_are_a_difference():
    """What lay between two and three standard errors was called near, above a table with p = 0.02."""
    noise = np.random.default_rng(3).normal(0, 0.3, 200)
    noise -= noise.mean()
    study = compared("hr@20", [0.5])
    study.methods[0].subject.people[1]["hr@20"] = 0.5 + noise - 2.4 * noise.std(ddof=1) / math.sqrt(200)
    found = verdict(study)
    low, high, p = shown(study)
    assert (found.kind, found.headline) == ("bad", "It is worse than popularity.")
    assert 0 < low < high
    assert p == pytest.approx(0.0173, abs=0.002)


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


def test_better_than_popularity_is_not_learnt_unless_better_than_chance():
    study = compared("hr@20", [0.7])
    assert verdict(study).headline == "It is better than popularity: it learnt people's personal taste."
    found = verdict(study._replace(baselines=(study.baselines[0], subject("random", "hr@20", 0.71))))
    assert found.headline == "It is better than popularity, but not better than chance: it learnt nothing."
    assert found.kind == "bad"


def test_sentences_are_whole():
    study = compared("hr@20", [0.3])
    method, popularity = study.methods[0], study.baselines[0]
    for metric in ("ndcg@5", "ndcg@10", "mrr@5"):
        method.subject.people[1][metric] = 0.5 + NOISE
        popularity.people[1][metric] = np.full(200, 0.3)
    told = verdict(study._replace(metrics=("hr@20", "ndcg@5", "ndcg@10", "mrr@5"))).sentence
    assert "It is better than popularity by NDCG@5, NDCG@10 and MRR@5." in told
    assert "% of people are better off than with popularity, and " in told
    one = verdict(replaced(study, 0, diverged=LOST | {"people": 1}))
    assert one.headline.startswith("The model of 1 of 200 people diverged.")
    assert "At the end, the model of 1 of 200 people (0.5 %) holds some." in one.sentence


def test_one_comparison_needs_no_correction():
    def caption(study):
        best = chance.best(study)
        parts = quality.figures(study, best, chance.against(study, best)).parts
        return next(p.caption for p in parts if "Differences to" in getattr(p, "caption", ""))

    one, two = caption(compared("hr@20", [0.7])), caption(compared("hr@20", [0.7, 0.6]))
    assert "in percentage points" in one
    assert "orrected" not in one
    assert "corrected for 2 comparisons (Holm)" in two
    assert "percentage" not in caption(compared("rmse", [0.4]))
