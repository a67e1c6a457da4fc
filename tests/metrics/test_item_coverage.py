"""Item coverage, by hand."""

import math

import pytest

from sottovoce.metrics.item_coverage import covered, item_coverage, items_covered


def test_by_hand() -> None:
    assert item_coverage([0, 1, 7, 0, 0]) == pytest.approx(0.4)
    assert items_covered([0, 1, 7, 0, 0]) == 2
    assert [covered(count) for count in (0, 1, 7)] == [0, 1, 1]
    assert math.isnan(item_coverage([]))
