"""From models and a split to metrics: by hand, beside ranx, and with splits that do not fit."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sottovoce import kernels
from sottovoce.data.interactions import Catalog
from sottovoce.errors import DataError, RecipeError
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.metrics import NAMES
from sottovoce.state import slots_of


def by_popularity(make_network: Any, people: int, scores: list[float]) -> Any:
    """People who share one model in which an item's score is given."""
    return make_network(1, len(scores), [0] * people, 0, [(0, s) for s in scores], [[]] * people)


def test_ranking_by_hand(make_network: Any, make_split: Any) -> None:
    net = by_popularity(make_network, 3, [5, 4, 3, 2, 1, 2])
    test = [[(0, 1.0), (3, 1.0)], [], [(4, 1.0)]]
    candidates = [[1, 2, 4], [0, 1, 4], [0, 1, -1]]  # ranks 0; 2; 2
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


def test_mae_and_a_choice_of_metrics(make_network: Any, make_split: Any) -> None:
    net = by_popularity(make_network, 3, [5, 4, 3])
    split = make_split(3, [[(0, 4.0), (1, 4.0), (2, 4.0)], [], [(2, 1.0)]], np.empty((4, 0)))
    found = evaluate(net.model, net.tables, net.people, split, metrics=["mae", "rmse", "mae"])
    assert list(found.metrics) == list(found.per_user) == ["mae", "rmse"]
    assert found.metrics["mae"] == pytest.approx(1)
    np.testing.assert_allclose(found.per_user["mae"], [2 / 3, math.nan, 2])


def test_lists_over_the_catalogue_by_hand(make_network: Any, make_split: Any) -> None:
    """Scores fall with the number; person 0 has trained on item 0, person 2 on items 1 and 3."""
    net = make_network(1, 6, [0] * 3, 0, [(0, s) for s in (9, 8, 7, 6, 5, 5)], [[0], [], [1, 3]])
    test = [[(1, 1.0), (4, 1.0), (1, 1.0)], [], [(1, 1.0), (0, 1.0)]]
    split = make_split(6, test, [[5]] * 5)
    names = [
        "precision",
        "recall",
        "f1",
        "item-coverage",
        "user-coverage",
        "gini",
        "evenness",
        "popularity-bias",
    ]
    found = evaluate(net.model, net.tables, net.people, split, (2,), metrics=names, candidates="all")
    # Lists of two: [1, 2] and [0, 2]. Relevant are {1, 4}, and {0, 1} although 1 was trained on.
    np.testing.assert_allclose(found.per_user["precision@2"], [0.5, math.nan, 0.5])
    np.testing.assert_allclose(found.per_user["recall@2"], [0.5, math.nan, 0.5])
    np.testing.assert_allclose(found.per_user["f1@2"], [0.5, math.nan, 0.5])
    np.testing.assert_allclose(found.per_user["user-coverage"], [1, math.nan, 1])
    # A third of people has item 0, a third item 1, a third item 3.
    np.testing.assert_allclose(found.per_user["popularity-bias@2"], [1 / 6, math.nan, 1 / 6])
    assert found.metrics["item-coverage@2"] == pytest.approx(3 / 6)
    assert found.metrics["gini@2"] == pytest.approx(gini := (1 * 1 + 3 * 1 + 5 * 2) / (6 * 4))
    assert found.metrics["evenness@2"] == pytest.approx(1 - gini * 6 / 5)
    assert list(found.metrics) == [n if n == "user-coverage" else f"{n}@2" for n in names]
    # 4 and 5 have the same score: what is under test comes last, so a fifth place does not hold it.
    longer = evaluate(net.model, net.tables, net.people, split, (4, 5), metrics=["recall"], candidates="all")
    np.testing.assert_allclose(longer.per_user["recall@4"], [0.5, math.nan, 0.5])
    np.testing.assert_allclose(longer.per_user["recall@5"], [1, math.nan, 0.5])


def test_one_list_of_all_test_items_and_candidates(make_network: Any, make_split: Any) -> None:
    """PEPPER's F1: items 1 and 4 under test together with the candidates 0, 2 and 5 of the first."""
    net = by_popularity(make_network, 1, [9, 8, 7, 6, 5, 4])
    split = make_split(6, [[(1, 1.0), (4, 1.0)]], [[5, 0, 2], [3, 3, 3]])
    names = ["f1-list", "f1", "precision", "recall"]
    found = evaluate(net.model, net.tables, net.people, split, (3, 4), metrics=names)
    # The list is 0, 1, 2, 4, 5.
    expected = {"precision@3": 1 / 3, "recall@3": 1 / 2, "f1@3": 0.4}
    expected |= {"precision@4": 1 / 2, "recall@4": 1, "f1@4": 2 / 3}
    expected |= {"f1-list@3": 0.4, "f1-list@4": 2 / 3}
    assert found.metrics == pytest.approx(expected)
    other = evaluate(net.model, net.tables, net.people, split, (3,), metrics=names, candidates="all")
    assert other.metrics == pytest.approx(
        {"f1-list@3": 0.4, "f1@3": 0.4, "precision@3": 1 / 3, "recall@3": 1 / 2}
    )


def test_ranks_over_the_catalogue(make_network: Any, make_split: Any) -> None:
    """Among what a person has not met: neither training data nor other test items are rivals."""
    net = make_network(1, 6, [0], 0, [(0, s) for s in (9, 8, 7, 6, 5, 5)], [[0]])
    split = make_split(6, [[(1, 1.0), (3, 1.0), (4, 1.0)]], np.empty((3, 0)))
    found = evaluate(
        net.model, net.tables, net.people, split, (1, 3), metrics=["mrr", "hr"], candidates="all"
    )
    # Rivals are 2 and 5, so the ranks are 0, 1 and 2.
    assert found.metrics == pytest.approx(
        {"mrr@1": 1 / 3, "mrr@3": (1 + 1 / 2 + 1 / 3) / 3, "hr@1": 1 / 3, "hr@3": 1}
    )
    assert (
        found.metrics
        == evaluate(net.model, net.tables, net.people, split, (1, 3), metrics=["mrr", "hr"]).metrics
    )


def test_bias_disparity_by_category(make_network: Any, make_split: Any) -> None:
    net = make_network(1, 4, [0] * 2, 0, [(0, s) for s in (9, 8, 7, 6)], [[0, 3], [0, 2]])
    split = make_split(4, [[(1, 1.0)], [(1, 1.0)]], np.empty((2, 0)))
    with pytest.raises(DataError, match="has no categories"):
        evaluate(net.model, net.tables, net.people, split, metrics=["bias-disparity"], candidates="all")
    catalog = Catalog("small", split.test.catalog.ids, categories=[("a", "b"), ("a",), ("b",), ()])
    split = replace(split, test=replace(split.test, catalog=catalog))
    found = evaluate(
        net.model, net.tables, net.people, split, (1, 2), metrics=["bias-disparity", "f1"], candidates="all"
    )
    # Training: a has 2 of 4, b has 3 of 4. Lists: [1, 2] and [1, 3].
    assert found.by_category["bias-disparity@1"] == pytest.approx({"a": 1.0, "b": -1.0})
    assert found.by_category["bias-disparity@2"] == pytest.approx({"a": 0.0, "b": (1 / 4) / (3 / 4) - 1})
    assert found.metrics["bias-disparity@1"] == pytest.approx(1)
    assert found.metrics["bias-disparity@2"] == pytest.approx(1 / 3)
    assert "bias-disparity@1" not in found.per_user


def test_people_without_a_list_count_as_zero(make_network: Any, make_split: Any) -> None:
    rows = [(0, 1), (0, 2), (0, math.nan), (0, math.nan)]
    net = make_network(2, 2, [0, 1], 0, rows, [[], []])
    split = make_split(2, [[(1, 1.0)], [(1, 1.0)]], np.empty((2, 0)))
    names = ["precision", "user-coverage", "popularity-bias"]
    found = evaluate(net.model, net.tables, net.people, split, (1,), metrics=names)
    assert found.metrics == {"precision@1": 0.5, "user-coverage": 0.5, "popularity-bias@1": 0.0}
    assert found.per_user["user-coverage"].tolist() == [1, 0]


def test_names_are_checked(make_network: Any, make_split: Any) -> None:
    net = by_popularity(make_network, 1, [1, 2, 3])
    split = make_split(3, [[(0, 1.0)]], np.empty((1, 0)))
    with pytest.raises(RecipeError, match=r"no metric called 'precison'\. Did you mean 'precision'"):
        evaluate(net.model, net.tables, net.people, split, metrics=["precison"])
    for metrics, candidates in ((["hr"], "sampled"), (["f1-list"], "all")):
        with pytest.raises(RecipeError, match="draws no candidates"):
            evaluate(net.model, net.tables, net.people, split, metrics=metrics, candidates=candidates)


def test_constant_scores_are_as_good_as_chance_and_missing_ones_hit_nothing(
    make_network: Any, make_split: Any
) -> None:
    people = 2000
    split = make_split(30, [[(0, 3.0)]] * people, [range(1, 25)] * people)
    for score, expected in ((1.0, 10 / 25), (math.inf, 10 / 25), (math.nan, 0)):
        net = by_popularity(make_network, people, [score] * 30)
        found = evaluate(net.model, net.tables, net.people, split, ks=(10,))
        assert found.metrics["hr@10"] == pytest.approx(expected, abs=0.03), score


def test_a_baseline_full_of_ties_is_not_behind_chance(make_network: Any, make_split: Any) -> None:
    """On pure noise, popularity and scores by chance are equally good, although popularity has ties."""
    generator = np.random.default_rng(1)
    people, items = 1500, 40
    scores = generator.integers(1, 3, items).astype(float).tolist()
    drawn = [generator.permutation(items)[:21] for _ in range(people)]
    split = make_split(items, [[(int(own[0]), 1.0)] for own in drawn], [own[1:] for own in drawn])
    net = by_popularity(make_network, people, scores)
    found = evaluate(net.model, net.tables, net.people, split, ks=(10,))
    assert found.metrics["hr@10"] == pytest.approx(10 / 21, abs=0.03)


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
    names = [name for name in NAMES if name not in ("f1-list", "bias-disparity")]
    found = evaluate(net.model, net.tables, net.people, split, metrics=names, candidates="all")
    none = {name for name, value in found.metrics.items() if value == 0}
    assert none == {f"{kind}@{k}" for kind in ("item-coverage", "items-covered") for k in (5, 10, 20)}
    assert all(math.isnan(value) for name, value in found.metrics.items() if name not in none)


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


def test_lists_agree_with_ranx(make_network: Any, make_split: Any) -> None:
    """Each person is a query; the list is what the person has not trained on."""
    import ranx

    generator = np.random.default_rng(12)
    people, items = 15, 60
    rows = np.stack([np.zeros(people * items), np.tile(np.arange(items), people)], axis=1)
    for slot in range(people):
        generator.shuffle(rows[slot * items : (slot + 1) * items])
    chosen = [generator.permutation(items).tolist() for _ in range(people)]
    net = make_network(people, items, list(range(people)), 0, rows, [own[:20] for own in chosen])
    test = [[(j, 1.0) for j in own[20 : 21 + n % 7]] for n, own in enumerate(chosen)]
    split = make_split(items, test, np.empty((sum(map(len, test)), 0)))
    names = ["precision", "recall", "f1"]
    found = evaluate(net.model, net.tables, net.people, split, metrics=names, candidates="all")
    truth = {f"q{n:02}": {str(j): 1 for j, _ in own} for n, own in enumerate(test)}
    lists = {f"q{n:02}": {str(j): net.scores(n)[j] for j in own[20:]} for n, own in enumerate(chosen)}
    for name in [f"{name}@{k}" for name in names for k in (5, 10, 20)]:
        theirs = ranx.evaluate(ranx.Qrels(truth), ranx.Run(lists), name, return_mean=False)
        np.testing.assert_allclose(found.per_user[name], theirs, err_msg=name)


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
        (2, [[(0, 1.0)]], [[1]], "is for 1 person, but there are models of 2 people"),
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


def test_test_items_outside_of_the_catalogue_count_as_missed(make_network: Any, make_split: Any) -> None:
    """Person 0 misses one item of two, person 1 the only one, and person 2 none. Person 3 is not tested."""
    net = by_popularity(make_network, 4, [5, 4, 3, 2, 1])
    test = [[(0, 1.0)], [], [(1, 1.0)], []]
    split = make_split(5, test, np.empty((2, 0)))
    beyond = make_split(9, [[(8, 1.0), (8, 1.0)], [(7, 1.0)], [], []], np.empty((3, 0))).test
    split = replace(split, beyond=beyond)
    names = [
        "hr",
        "ndcg",
        "mrr",
        "precision",
        "recall",
        "f1",
        "user-coverage",
        "items-covered",
        "f1-of-means",
    ]
    found = evaluate(net.model, net.tables, net.people, split, (2,), metrics=names, candidates="all")
    nan = math.nan
    np.testing.assert_allclose(found.per_user["hr@2"], [1 / 3, 0, 1, nan])  # of entries: one of three
    np.testing.assert_allclose(found.per_user["precision@2"], [0.5, 0, 0.5, nan])
    np.testing.assert_allclose(found.per_user["recall@2"], [0.5, 0, 1, nan])  # of distinct items: one of two
    np.testing.assert_allclose(found.per_user["user-coverage"], [1, 1, 1, nan])
    assert found.metrics["recall@2"] == pytest.approx(0.5)
    assert found.metrics["items-covered@2"] == 2
    assert found.metrics["f1-of-means@2"] == pytest.approx(2 * (1 / 3) * 0.5 / (1 / 3 + 0.5))
    assert not found.lost.any()


def test_no_candidates_for_people_whose_test_items_are_all_missed(make_network: Any, make_split: Any) -> None:
    net = by_popularity(make_network, 2, [5, 4, 3, 2, 1])
    split = make_split(5, [[(0, 1.0)], []], [[1, 2, 3]])
    split = replace(split, beyond=make_split(9, [[], [(7, 1.0)]], np.empty((1, 0))).test)
    names = ["hr", "precision", "recall", "user-coverage"]
    found = evaluate(net.model, net.tables, net.people, split, (2,), metrics=names, candidates="sampled")
    np.testing.assert_allclose(found.per_user["hr@2"], [1, 0])
    np.testing.assert_allclose(found.per_user["recall@2"], [1, 0])
    np.testing.assert_allclose(found.per_user["user-coverage"], [1, math.nan])
    assert not found.lost.any()


def test_overlap_with_popularity(make_network: Any, make_split: Any) -> None:
    """All train on item 0, two on item 1 and one on item 2. Person 2 is recommended 3 and 1."""
    scores = [(0, s) for s in (1, 3, 2, 4, 0)]
    net = make_network(1, 5, [0] * 3, 0, scores, [[0, 1], [0, 1, 2], [0]])
    split = make_split(5, [[(3, 1.0)], [], [(1, 1.0)]], np.empty((2, 0)))
    names = ["top-pop-overlap"]
    found = evaluate(net.model, net.tables, net.people, split, (2,), metrics=names, candidates="all")
    # Person 0 gets 3 and 2; the second most popular of 2, 3, 4 has nobody, so all of them tie.
    np.testing.assert_allclose(found.per_user["top-pop-overlap@2"], [1, math.nan, 0.5])
