"""Precision: by hand and against ranx."""

import pytest

from sottovoce.metrics.precision import precision, share_of_list
from tests.metrics.conftest import HITS, Listed


def test_by_hand() -> None:
    assert precision(HITS, 3).tolist() == pytest.approx([2 / 3, 0, 1 / 3])
    assert precision(HITS, 3).tolist() == [share_of_list(found, 3) for found in (2, 0, 1)]


def test_a_short_list_is_not_a_better_one() -> None:
    assert precision(HITS, 10)[0] == pytest.approx(0.3)


def test_agrees_with_ranx(listed: Listed) -> None:
    for k in (1, 5, 20):
        assert precision(listed.hits, k) == pytest.approx(listed.by_ranx(f"precision@{k}"))
