"""NDCG: by hand, by its kernel, and against ranx."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.metrics.ndcg import gain, ndcg
from sottovoce.metrics.rank import LAST
from tests.metrics.conftest import Ranked


def test_by_hand() -> None:
    expected = [1.0, 1 / math.log2(3), 0.5, 1 / math.log2(6), 0.0, 0.0]
    assert ndcg([0, 1, 2, 4, 5, LAST], k=5) == pytest.approx(expected)


@given(st.lists(st.integers(0, 200) | st.just(LAST), min_size=1), st.integers(1, 100))
def test_equals_its_kernel(ranks: list[int], k: int) -> None:
    assert ndcg(ranks, k) == pytest.approx([gain(r, k) for r in ranks], rel=1e-15)


def test_agrees_with_ranx(ranked: Ranked) -> None:
    for k in (1, 5, 20):
        assert ndcg(ranked.ranks, k) == pytest.approx(ranked.by_ranx(f"ndcg@{k}"))
