"""F1: by hand and against ranx."""

import math

import pytest

from sottovoce.metrics.f1 import f1, f1_of_means, harmonic
from tests.metrics.conftest import HITS, RELEVANT, Listed


def test_by_hand() -> None:
    assert f1(HITS, RELEVANT, 3)[:2] == pytest.approx([2 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5), 0])
    assert math.isnan(f1(HITS, RELEVANT, 3)[2])  # a person without relevant items
    assert harmonic(0.0, 0.0) == 0
    assert harmonic(2 / 3, 2 / 5) == pytest.approx(0.5)


def test_agrees_with_ranx(listed: Listed) -> None:
    for k in (1, 5, 20):
        assert f1(listed.hits, listed.relevant, k) == pytest.approx(listed.by_ranx(f"f1@{k}"))


def test_of_means_is_not_the_mean_of_each() -> None:
    p, r = [0.5, 0.1, 0.0], [0.1, 0.4, 0.0]
    mean_p, mean_r = sum(p) / 3, sum(r) / 3
    assert f1_of_means(p, r) == pytest.approx(2 * mean_p * mean_r / (mean_p + mean_r))
    assert f1_of_means(p, r) > sum(harmonic(*both) for both in zip(p, r, strict=True)) / 3
    assert f1_of_means([0.0], [0.0]) == 0
