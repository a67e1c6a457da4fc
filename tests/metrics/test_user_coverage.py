"""User coverage, by hand."""

import math

from sottovoce.metrics.user_coverage import mean_of_served, served, user_coverage


def test_by_hand() -> None:
    assert user_coverage([0, 10, 10, 2]) == 0.75
    assert [served(length) for length in (0, 1, 10)] == [0, 1, 1]
    assert math.isnan(user_coverage([]))


def test_the_mean_over_those_with_a_list() -> None:
    values, lengths = [0.25, 0.0, 0.75, 0.0], [10, 0, 10, 10]
    assert mean_of_served(values, lengths) == 1 / 3
    assert mean_of_served(values, lengths) * user_coverage(lengths) == 0.25
    assert math.isnan(mean_of_served([0.0], [0]))
