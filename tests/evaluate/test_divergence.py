"""Models that are no longer finite are found, whatever is measured, and others are left in peace."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.evaluate.divergence import LIMIT, bounded, diverged
from sottovoce.evaluate.evaluation import evaluate

NUMBERS = st.lists(st.lists(st.floats(width=32), min_size=5, max_size=5), min_size=1, max_size=30)


def test_what_is_not_finite_or_too_large() -> None:
    edge = np.nextafter(LIMIT, np.float32(0), dtype=np.float32)
    rows = [
        [0, -1],
        [np.nan, 1],
        [1, -np.inf],
        [1e30, 0],
        [-1e30, 0],
        [edge, -edge],
        [LIMIT, 0],
        [-0.0, 1e-40],
    ]
    assert bounded(np.array(rows, np.float32)).tolist() == [
        True,
        False,
        False,
        False,
        False,
        True,
        False,
        True,
    ]
    with np.errstate(over="ignore"):
        assert np.isfinite(edge * edge)
        assert not np.isfinite(LIMIT * LIMIT)
    assert bounded(np.empty((3, 0), np.float32)).tolist() == [True] * 3


@given(NUMBERS)
def test_the_same_as_numpy_says(rows: list[list[float]]) -> None:
    numbers = np.array(rows, np.float32)
    expected = (np.abs(numbers) < LIMIT).all(axis=1)
    assert bounded(numbers).tolist() == expected.tolist()
    short = (numbers.view(np.uint32) >> 16).astype(np.uint16)
    cut = (short.astype(np.uint32) << 16).view(np.float32)
    assert bounded(short).tolist() == (np.abs(cut) < LIMIT).all(axis=1).tolist()


def test_people_share_the_fate_of_their_table(make_network: Any) -> None:
    """Three people on two models: the second model breaks, then the vector of the first person."""
    user, rows = [[1, 0], [1, 0], [1, 0]], [[1, 0]] * 8
    train: list[list[int]] = [[0], [1], [2]]
    net = make_network(2, 4, [0, 1, 1], user, rows, train)
    assert not diverged(net.tables, net.people).any()
    net.tables.rows[5, 1] = np.nan
    assert diverged(net.tables, net.people).tolist() == [False, True, True]
    net.people.user[0, 0] = 1e30
    assert diverged(net.tables, net.people).tolist() == [True, True, True]


CANDIDATES = [[3], [3], [3], [3]]
TEST = [[(1, 5.0), (2, 3.0)], [(1, 4.0)], [], [(2, 1.0)]]


@pytest.mark.parametrize(
    ("names", "candidates"),
    [
        (["hr"], None),
        (["hr"], "all"),
        (["precision"], None),
        (["recall"], "all"),
        (["rmse"], None),
        (["mae"], None),
    ],
)
def test_every_metric_tells_whose_model_has_no_scores(
    make_network: Any, make_split: Any, names: list[str], candidates: Any
) -> None:
    """The first has no score at all, the second all, the third is not tested, the fourth one for item 2."""
    rows = np.ones((4, 4, 2))
    rows[0] = rows[2] = np.nan
    rows[3, [0, 1, 3]] = np.nan
    net = make_network(4, 4, [0, 1, 2, 3], np.ones((4, 2)), rows, [[0]] * 4)
    split = make_split(4, TEST, CANDIDATES)
    found = evaluate(net.model, net.tables, net.people, split, (1,), metrics=names, candidates=candidates)
    assert found.lost.tolist() == [True, False, False, False]


def test_ratings_far_from_the_scale_are_lost(make_network: Any, make_split: Any) -> None:
    """Predictions are b + c + x·y = 2 + y on a scale of 1 to 5: errors up to 50 are merely bad."""
    rows = np.zeros((3, 4, 2))
    rows[:, :, 0] = [[2] * 4, [40] * 4, [60] * 4]
    net = make_network(3, 4, [0, 1, 2], [[1, 2]] * 3, rows, [[0]] * 3)
    split = make_split(4, [[(1, 4.0)]] * 3, np.empty((3, 0)))
    found = evaluate(net.model, net.tables, net.people, split)
    assert found.per_user["rmse"].tolist() == [0, 38, 58]
    assert found.lost.tolist() == [False, False, True]


def test_who_has_met_everything_gets_no_list_and_has_not_diverged(make_network: Any, make_split: Any) -> None:
    net = make_network(2, 2, [0, 1], np.ones((2, 2)), np.ones((4, 2)), [[0, 1], [0]])
    split = make_split(2, [[(1, 5.0)], [(1, 5.0)]], [[-1], [-1]])
    found = evaluate(net.model, net.tables, net.people, split, (1,), metrics=["recall"], candidates="all")
    assert found.per_user["recall@1"].tolist() == [0, 1]
    assert not found.lost.any()


def test_figures_are_left_out_on_demand(make_network: Any, make_split: Any) -> None:
    net = make_network(1, 4, [0, 0, 0, 0], np.ones((4, 2)), np.ones((4, 2)), [[0]] * 4)
    split = make_split(4, TEST, CANDIDATES)
    found = evaluate(net.model, net.tables, net.people, split, (1, 2), without={"hr@2"})
    assert list(found.metrics) == list(found.per_user) == ["hr@1", "ndcg@1", "ndcg@2"]
