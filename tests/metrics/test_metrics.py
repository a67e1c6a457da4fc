"""Metrics by hand, by their scalar kernels, and beside an independent library (ranx)."""

import doctest
import importlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.metrics.hr import hit, hr
from sottovoce.metrics.ndcg import gain, ndcg
from sottovoce.metrics.rank import LAST, rank
from sottovoce.metrics.rmse import rmse, squared_error

NAN = math.nan


@pytest.mark.parametrize("name", ["rank", "hr", "ndcg", "rmse"])
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
    assert ndcg(ranks, k) == pytest.approx([gain(r, k) for r in ranks], rel=1e-15)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1))
def test_rmse_equals_its_kernel(pairs: list[tuple[float, float]]) -> None:
    predicted, actual = zip(*pairs, strict=True)
    mean = math.fsum(squared_error(p, a) for p, a in pairs) / len(pairs)
    assert rmse(predicted, actual) == pytest.approx(math.sqrt(mean))


def test_hit_ratio_and_ndcg_agree_with_ranx() -> None:
    import ranx

    generator = np.random.default_rng(7)
    scores = generator.permuted(np.tile(np.arange(101.0), (60, 1)), axis=1)  # no ties: ranx leaves them open
    truth = ranx.Qrels({f"q{n:02}": {"0": 1} for n in range(60)})
    lists = {f"q{n:02}": {str(j): s for j, s in enumerate(row)} for n, row in enumerate(scores.tolist())}
    names = [f"{metric}@{k}" for k in (1, 5, 20) for metric in ("hit_rate", "ndcg")]
    theirs = ranx.evaluate(truth, ranx.Run(lists), names, return_mean=False)
    ranks = [rank(row[0], row[1:]) for row in scores]
    for k in (1, 5, 20):
        assert hr(ranks, k) == pytest.approx(theirs[f"hit_rate@{k}"])
        assert ndcg(ranks, k) == pytest.approx(theirs[f"ndcg@{k}"])
