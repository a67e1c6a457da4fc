"""From models and a split to metrics: by hand, beside ranx, and with splits that do not fit."""

import math
from typing import Any

import numpy as np
import pytest

from sottovoce import kernels
from sottovoce.errors import DataError
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.scoring import slots_of


def by_popularity(make_network: Any, people: int, scores: list[float]) -> Any:
    """People who share one model in which an item's score is given."""
    return make_network(1, len(scores), [0] * people, 0, [(0, s) for s in scores], [[]] * people)


def test_ranking_by_hand(make_network: Any, make_split: Any) -> None:
    net = by_popularity(make_network, 3, [5, 4, 3, 2, 1, 2])
    test = [[(0, 1.0), (3, 1.0)], [], [(4, 1.0)]]
    candidates = [[1, 2, 4], [0, 5, 4], [0, 1, -1]]  # ranks 0; 2 (a tie with item 5); 2
    found = evaluate(net.model, net.tables, net.people, make_split(6, test, candidates), ks=(1, 3))
    assert list(found.metrics) == ["hr@1", "hr@3", "ndcg@1", "ndcg@3"]
    assert found.metrics == pytest.approx({"hr@1": 0.25, "hr@3": 1, "ndcg@1": 0.25, "ndcg@3": 0.625})
    np.testing.assert_allclose(found.per_user["hr@1"], [0.5, math.nan, 0])
    np.testing.assert_allclose(found.per_user["ndcg@3"], [0.75, math.nan, 0.5])


def test_rating_by_hand(make_network: Any, make_split: Any) -> None:
    net = by_popularity(make_network, 3, [5, 4, 3])
    test = [[(0, 4.0), (1, 4.0), (2, 4.0)], [], [(2, 1.0)]]  # errors 1, 0, -1; 2
    found = evaluate(net.model, net.tables, net.people, make_split(3, test, np.empty((4, 0))))
    assert found.metrics == pytest.approx({"rmse": math.sqrt(6 / 4)})  # over ratings, not over people
    np.testing.assert_allclose(found.per_user["rmse"], [math.sqrt(2 / 3), math.nan, 2])


def test_constant_and_missing_scores_never_look_good(make_network: Any, make_split: Any) -> None:
    split = make_split(30, [[(0, 3.0)]], [range(1, 25)])
    for score in (1.0, math.nan, math.inf):
        net = by_popularity(make_network, 1, [score] * 30)
        found = evaluate(net.model, net.tables, net.people, split)
        assert set(found.metrics.values()) == {0.0}, score


def test_a_diverged_model_has_infinite_rmse(make_network: Any, make_split: Any) -> None:
    net = make_network(2, 1, [0, 1], 0, [(0, math.nan), (0, 3)], [[], []])
    found = evaluate(
        net.model, net.tables, net.people, make_split(1, [[(0, 3.0)], [(0, 3.0)]], np.empty((2, 0)))
    )
    assert found.metrics == {"rmse": math.inf}
    assert found.per_user["rmse"].tolist() == [math.inf, 0]


@pytest.mark.parametrize("candidates", [0, 2])
def test_nothing_held_out_at_all(make_network: Any, make_split: Any, candidates: int) -> None:
    net = by_popularity(make_network, 2, [1, 2])
    split = make_split(2, [[], []], np.empty((0, candidates)))
    found = evaluate(net.model, net.tables, net.people, split)
    assert all(math.isnan(value) for value in found.metrics.values())
    assert all(np.isnan(values).all() for values in found.per_user.values())


def test_everybody_is_evaluated_with_the_own_model(make_network: Any, make_split: Any) -> None:
    net = make_network(3, 2, [2, 0, 1, 2], 0, [(0, j) for j in (1, 0, 0, 1, 1, 0)], [[]] * 4)
    assert slots_of(net.people).tolist() == [2, 0, 1, 2]
    split = make_split(2, [[(0, 1.0)]] * 4, [[1]] * 4)
    found = evaluate(net.model, net.tables, net.people, split, ks=(1,))
    assert found.per_user["hr@1"].tolist() == [1, 1, 0, 1]


def test_ranking_agrees_with_ranx(make_network: Any, make_split: Any) -> None:
    """Each held-out item is a query; a person's figure is the mean over the person's queries."""
    import ranx

    generator = np.random.default_rng(11)
    people, items = 12, 150
    rows = np.stack([np.zeros(people * items), np.tile(np.arange(items), people)], axis=1)
    for slot in range(people):
        generator.shuffle(rows[slot * items : (slot + 1) * items])  # no ties: ranx leaves them open
    net = make_network(people, items, list(range(people)), 0, rows, [[]] * people)
    counts = generator.integers(0, 7, people)
    chosen = [generator.permutation(items) for _ in range(counts.sum())]
    owner = np.repeat(np.arange(people), counts)
    test = [[(int(chosen[n][0]), 1.0) for n in np.flatnonzero(owner == p)] for p in range(people)]
    found = evaluate(net.model, net.tables, net.people, make_split(items, test, [c[1:101] for c in chosen]))

    truth = {f"q{n:03}": {str(c[0]): 1} for n, c in enumerate(chosen)}
    lists = {
        f"q{n:03}": {str(j): net.scores(owner[n])[j] for j in c[:101].tolist()} for n, c in enumerate(chosen)
    }
    for k in (5, 10, 20):
        names = [f"hit_rate@{k}", f"ndcg@{k}"]
        theirs = ranx.evaluate(ranx.Qrels(truth), ranx.Run(lists), names, return_mean=False)
        for ours, name in ((f"hr@{k}", names[0]), (f"ndcg@{k}", names[1])):
            means = [theirs[name][owner == p].mean() if counts[p] else math.nan for p in range(people)]
            np.testing.assert_allclose(found.per_user[ours], means)
            assert found.metrics[ours] == pytest.approx(np.nanmean(means))


def test_results_do_not_depend_on_threads(make_network: Any, make_split: Any) -> None:
    generator = np.random.default_rng(5)
    people, items = 40, 70
    net = make_network(
        people,
        items,
        list(range(people)),
        generator.normal(size=(people, 2)),
        generator.normal(size=(people * items, 2)),
        [[]] * people,
    )
    test = [[(int(j), 3.0) for j in generator.integers(0, items, 3)] for _ in range(people)]
    for candidates in (generator.integers(0, items, (120, 20)), np.empty((120, 0))):
        split, results = make_split(items, test, candidates), []
        for threads in (1, 2):
            with kernels.set_threads(threads):
                results.append(evaluate(net.model, net.tables, net.people, split))
        assert results[0].metrics == results[1].metrics
        for name, values in results[0].per_user.items():
            np.testing.assert_array_equal(values, results[1].per_user[name])


@pytest.mark.parametrize(
    ("people", "test", "candidates", "complaint"),
    [
        (2, [[(0, 1.0)]], [[1]], "for 1 people, the models are those of 2"),
        (1, [[(0, 1.0), (1, 1.0)]], [[1]], "2 test items and 1 rows of candidates"),
        (1, [[(3, 1.0)]], [[1]], "items that are not in the catalogue of 3"),
        (1, [[(0, 1.0)]], [[3]], "items that are not in the catalogue of 3"),
        (1, [[(-1, 1.0)]], [[1]], "items that are not in the catalogue of 3"),
    ],
)
def test_a_split_that_does_not_fit(
    make_network: Any, make_split: Any, people: int, test: Any, candidates: Any, complaint: str
) -> None:
    net = by_popularity(make_network, people, [1, 2, 3])
    with pytest.raises(DataError, match=complaint):
        evaluate(net.model, net.tables, net.people, make_split(3, test, candidates))
