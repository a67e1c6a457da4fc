"""Metrics by hand, by their scalar kernels, and beside an independent library (ranx)."""

import doctest
import importlib
import math
from pathlib import Path

import numpy as np
import pytest
import ranx
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import metrics
from sottovoce.metrics.bias_disparity import bias, bias_disparity
from sottovoce.metrics.f1 import f1, harmonic
from sottovoce.metrics.gini import evenness, gini, inequality
from sottovoce.metrics.hr import hit, hr
from sottovoce.metrics.item_coverage import item_coverage
from sottovoce.metrics.mae import absolute_error, mae
from sottovoce.metrics.mrr import mrr, reciprocal
from sottovoce.metrics.ndcg import gain, ndcg
from sottovoce.metrics.popularity_bias import mean_popularity, popularity_bias
from sottovoce.metrics.precision import precision
from sottovoce.metrics.rank import LAST, rank
from sottovoce.metrics.recall import recall
from sottovoce.metrics.rmse import rmse, squared_error
from sottovoce.metrics.user_coverage import user_coverage

NAN = math.nan


FILES = [p.stem for p in Path(metrics.__file__).parent.glob("*.py") if p.stem != "__init__"]


@pytest.mark.parametrize("name", FILES)
def test_examples_in_the_documentation_hold(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"sottovoce.metrics.{name}"))
    assert done.attempted > 0
    assert done.failed == 0


@pytest.mark.parametrize(
    ("score", "rivals", "expected"),
    [
        (0.5, [0.1, 0.2], 0),
        (0.5, [0.9, 0.1], 1),
        (0.5, [0.5, 0.5], 2),  # ties count against the item under test
        (0.5, [], 0),
        (0.5, [NAN, 0.6, NAN], 1),  # a candidate without a score stands behind
        (NAN, [0.1, 0.2], LAST),
        (NAN, [NAN], LAST),
        (NAN, [], LAST),  # even alone
        (-math.inf, [-math.inf, 0.0], 2),
        (math.inf, [1e30], 0),
    ],
)
def test_rank(score: float, rivals: list[float], expected: int) -> None:
    assert rank(score, rivals) == expected


def test_hit_ratio_by_hand() -> None:
    assert hr([0, 9, 10, 19, 20, LAST], k=10).tolist() == [1, 1, 0, 0, 0, 0]


def test_ndcg_by_hand() -> None:
    expected = [1.0, 1 / math.log2(3), 0.5, 1 / math.log2(6), 0.0, 0.0]
    assert ndcg([0, 1, 2, 4, 5, LAST], k=5) == pytest.approx(expected)


def test_mrr_by_hand() -> None:
    assert mrr([0, 1, 3, 4, 5, LAST], k=5) == pytest.approx([1, 1 / 2, 1 / 4, 1 / 5, 0, 0])


def test_lists_by_hand() -> None:
    hits = np.array([[1, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], bool)
    relevant = [5, 2, 0]
    assert precision(hits, 3).tolist() == pytest.approx([2 / 3, 0, 1 / 3])
    assert recall(hits, relevant, 3) == pytest.approx([2 / 5, 0, NAN], nan_ok=True)
    assert f1(hits, relevant, 3)[:2] == pytest.approx([2 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5), 0])
    assert precision(hits, 10)[0] == pytest.approx(0.3)  # a short list is not a better one
    assert harmonic(0.0, 0.0) == 0


def test_mae_by_hand() -> None:
    assert mae([1.0, 2.0, 5.0], [1.0, 4.0, 1.0]) == 2
    assert math.isnan(mae([], []))
    assert mae([NAN, 3.0], [3.0, 3.0]) == absolute_error(NAN, 3.0) == math.inf


def test_coverage_by_hand() -> None:
    assert item_coverage([0, 1, 7, 0, 0]) == pytest.approx(0.4)
    assert user_coverage([0, 10, 10, 2]) == 0.75
    assert math.isnan(item_coverage([]))
    assert math.isnan(user_coverage([]))


def test_gini_by_hand() -> None:
    assert gini([1, 1, 1, 1]) == 0
    assert gini([0, 0, 0, 9]) == pytest.approx(3 / 4)
    assert gini([1, 3]) == pytest.approx(1 / 4)
    assert math.isnan(gini([0, 0]))
    assert math.isnan(evenness([3]))


def test_evenness_is_what_fpl_prints_for_top_pop() -> None:
    """Table 2, Anelli et al. 2020: nearly the same ten of the 25,522 venues of Italy for everybody."""
    counts = np.zeros(25_522)
    counts[:10] = 1353
    assert round(evenness(counts), 5) == 0.00035
    assert round(1 - gini(counts), 5) == 0.00039


@given(st.lists(st.integers(0, 50), min_size=2, max_size=40).filter(any))
def test_gini_is_half_the_relative_mean_difference(counts: list[int]) -> None:
    differences = sum(abs(a - b) for a in counts for b in counts)
    expected = differences / (2 * len(counts) * sum(counts))
    assert gini(counts) == pytest.approx(expected)
    assert inequality(sorted(counts)) == pytest.approx(expected)
    assert -1e-12 <= evenness(counts) <= 1 + 1e-12


def test_popularity_bias_by_hand() -> None:
    lists, popularity = [[0, 1, 2], [2, -1, -1], [-1, -1, -1]], [1.0, 0.5, 0.1]
    assert popularity_bias(lists, popularity, 2) == pytest.approx([0.75, 0.1, NAN], nan_ok=True)
    for k in (1, 2, 3, 5):
        kernel = [mean_popularity(own, popularity, k) for own in lists]
        assert popularity_bias(lists, popularity, k) == pytest.approx(kernel, nan_ok=True)


def test_bias_disparity_by_hand() -> None:
    """Four items; the first two are of category 0, the last three of category 1."""
    item, category = [0, 1, 1, 2, 3], [0, 0, 1, 1, 1]
    training = bias([2, 2, 3, 1], item, category, 2)  # shares 4/8 and 6/8 over sizes 1/2 and 3/4
    assert training == pytest.approx([1, 1])
    recommended = bias([6, 0, 1, 1], item, category, 2)  # shares 6/8 and 2/8
    assert recommended == pytest.approx([1.5, 1 / 3])
    assert bias_disparity(recommended, training) == pytest.approx([0.5, -2 / 3])


def test_bias_without_members_or_choices() -> None:
    assert bias([1, 1], [0], [0], 2) == pytest.approx([1, NAN], nan_ok=True)
    assert bias([0, 0], [0, 1], [0, 1], 2) == pytest.approx([NAN, NAN], nan_ok=True)
    assert bias_disparity([NAN, 1.0], [1.0, 0.0]) == pytest.approx([NAN, NAN], nan_ok=True)


def test_which_way_is_better() -> None:
    worse_when_high = {"rmse", "mae", "gini", "popularity-bias", "bias-disparity"}
    assert {name for name in metrics.NAMES if metrics.lower_is_better(f"{name}@10")} == worse_when_high
    assert metrics.lower_is_better("rmse")
    assert not metrics.lower_is_better("f1-list@20")


def test_rmse_by_hand() -> None:
    assert rmse([1.0, 2.0, 5.0], [1.0, 4.0, 1.0]) == pytest.approx(math.sqrt(20 / 3))
    assert math.isnan(rmse([], []))


@pytest.mark.parametrize("bad", [NAN, math.inf, -math.inf])
def test_a_prediction_that_is_no_number_is_infinitely_wrong(bad: float) -> None:
    assert rmse([bad, 3.0], [3.0, 3.0]) == math.inf
    assert squared_error(bad, 3.0) == math.inf


@given(st.lists(st.integers(0, 200) | st.just(LAST), min_size=1), st.integers(1, 100))
def test_wrappers_equal_their_kernels(ranks: list[int], k: int) -> None:
    assert hr(ranks, k).tolist() == [hit(r, k) for r in ranks]
    assert mrr(ranks, k).tolist() == [reciprocal(r, k) for r in ranks]
    assert ndcg(ranks, k) == pytest.approx([gain(r, k) for r in ranks], rel=1e-15)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1))
def test_rmse_equals_its_kernel(pairs: list[tuple[float, float]]) -> None:
    predicted, actual = zip(*pairs, strict=True)
    mean = math.fsum(squared_error(p, a) for p, a in pairs) / len(pairs)
    assert rmse(predicted, actual) == pytest.approx(math.sqrt(mean))


def test_metrics_of_ranks_agree_with_ranx() -> None:
    generator = np.random.default_rng(7)
    scores = generator.permuted(np.tile(np.arange(101.0), (60, 1)), axis=1)  # no ties: ranx leaves them open
    truth = ranx.Qrels({f"q{n:02}": {"0": 1} for n in range(60)})
    lists = {f"q{n:02}": {str(j): s for j, s in enumerate(row)} for n, row in enumerate(scores.tolist())}
    names = [f"{metric}@{k}" for k in (1, 5, 20) for metric in ("hit_rate", "ndcg", "mrr")]
    theirs = ranx.evaluate(truth, ranx.Run(lists), names, return_mean=False)
    ranks = [rank(row[0], row[1:]) for row in scores]
    for k in (1, 5, 20):
        assert hr(ranks, k) == pytest.approx(theirs[f"hit_rate@{k}"])
        assert ndcg(ranks, k) == pytest.approx(theirs[f"ndcg@{k}"])
        assert mrr(ranks, k) == pytest.approx(theirs[f"mrr@{k}"])


def test_metrics_of_lists_agree_with_ranx() -> None:
    generator = np.random.default_rng(8)
    lists = np.array([generator.permutation(60)[:20] for _ in range(50)])
    relevant = [generator.permutation(60)[: generator.integers(1, 15)].tolist() for _ in range(50)]
    truth = ranx.Qrels({f"q{n:02}": {str(j): 1 for j in own} for n, own in enumerate(relevant)})
    run = ranx.Run(
        {f"q{n:02}": {str(j): 100.0 - p for p, j in enumerate(own)} for n, own in enumerate(lists.tolist())}
    )
    hits = np.array([np.isin(own, some) for own, some in zip(lists, relevant, strict=True)])
    counts = [len(own) for own in relevant]
    for k in (1, 5, 20):
        names = [f"precision@{k}", f"recall@{k}", f"f1@{k}"]
        theirs = ranx.evaluate(truth, run, names, return_mean=False)
        ours = precision(hits, k), recall(hits, counts, k), f1(hits, counts, k)
        for name, values in zip(names, ours, strict=True):
            assert values == pytest.approx(theirs[name]), name
