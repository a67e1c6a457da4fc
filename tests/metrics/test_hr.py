"""Hit ratio: by hand, by its kernel, and against ranx."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.metrics.hr import hit, hr
from sottovoce.metrics.rank import LAST
from tests.metrics.conftest import Ranked


def test_by_hand() -> None:
    assert hr([0, 9, 10, 19, 20, LAST], k=10).tolist() == [1, 1, 0, 0, 0, 0]


@given(st.lists(st.integers(0, 200) | st.just(LAST), min_size=1), st.integers(1, 100))
def test_equals_its_kernel(ranks: list[int], k: int) -> None:
    assert hr(ranks, k) == pytest.approx([hit(r, k) for r in ranks], rel=1e-15)


def test_agrees_with_ranx(ranked: Ranked) -> None:
    for k in (1, 5, 20):
        assert hr(ranked.ranks, k) == pytest.approx(ranked.by_ranx(f"hit_rate@{k}"))
