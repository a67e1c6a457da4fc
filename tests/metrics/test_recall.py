"""Recall: by hand and against ranx."""

import math

import pytest

from sottovoce.metrics.recall import recall, share_of_relevant
from tests.metrics.conftest import HITS, RELEVANT, Listed


def test_by_hand() -> None:
    assert recall(HITS, RELEVANT, 3) == pytest.approx([2 / 5, 0, math.nan], nan_ok=True)
    kernel = [share_of_relevant(found, n) for found, n in zip((2, 0, 1), RELEVANT, strict=True)]
    assert recall(HITS, RELEVANT, 3) == pytest.approx(kernel, nan_ok=True)


def test_agrees_with_ranx(listed: Listed) -> None:
    for k in (1, 5, 20):
        assert recall(listed.hits, listed.relevant, k) == pytest.approx(listed.by_ranx(f"recall@{k}"))
