"""Popularity bias: by hand and by its kernel."""

import math

import pytest

from sottovoce.metrics.popularity_bias import mean_popularity, popularity_bias

NAN = math.nan


def test_by_hand() -> None:
    lists, popularity = [[0, 1, 2], [2, -1, -1], [-1, -1, -1]], [1.0, 0.5, 0.1]
    assert popularity_bias(lists, popularity, 2) == pytest.approx([0.75, 0.1, NAN], nan_ok=True)
    for k in (1, 2, 3, 5):
        kernel = [mean_popularity(own, popularity, k) for own in lists]
        assert popularity_bias(lists, popularity, k) == pytest.approx(kernel, nan_ok=True)
