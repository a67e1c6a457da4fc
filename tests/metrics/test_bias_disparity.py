"""Bias disparity, by hand."""

import math

import pytest

from sottovoce.metrics.bias_disparity import bias, bias_disparity

NAN = math.nan


def test_by_hand() -> None:
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
