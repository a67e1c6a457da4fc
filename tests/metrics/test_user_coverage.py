"""User coverage, by hand."""

import math

from sottovoce.metrics.user_coverage import served, user_coverage


def test_by_hand() -> None:
    assert user_coverage([0, 10, 10, 2]) == 0.75
    assert [served(length) for length in (0, 1, 10)] == [0, 1, 1]
    assert math.isnan(user_coverage([]))
