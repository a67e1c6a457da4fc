"""Mean reciprocal rank: by hand, by its kernel, and against ranx."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.metrics.mrr import mrr, reciprocal
from sottovoce.metrics.rank import LAST
from tests.metrics.conftest import Ranked


def test_by_hand() -> None:
    assert mrr([0, 1, 3, 4, 5, LAST], k=5) == pytest.approx([1, 1 / 2, 1 / 4, 1 / 5, 0, 0])


@given(st.lists(st.integers(0, 200) | st.just(LAST), min_size=1), st.integers(1, 100))
def test_equals_its_kernel(ranks: list[int], k: int) -> None:
    assert mrr(ranks, k) == pytest.approx([reciprocal(r, k) for r in ranks], rel=1e-15)


def test_agrees_with_ranx(ranked: Ranked) -> None:
    for k in (1, 5, 20):
        assert mrr(ranked.ranks, k) == pytest.approx(ranked.by_ranx(f"mrr@{k}"))
