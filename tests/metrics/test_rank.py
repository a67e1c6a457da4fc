"""The rank of a held-out item: ties, and scores that are no numbers."""

import math

import pytest

from sottovoce.metrics.rank import LAST, rank

NAN = math.nan


@pytest.mark.parametrize(
    ("score", "rivals", "expected"),
    [
        (0.5, [0.1, 0.2], 0),
        (0.5, [0.9, 0.1], 1),
        (0.5, [0.5, 0.5], 2),  # ties count against the item under test
        (0.5, [], 0),
        (0.5, [NAN, 0.6, NAN], 1),  # a candidate without a score stands behind
        (NAN, [0.1, 0.2], LAST),
        (NAN, [NAN], LAST),
        (NAN, [], LAST),  # even alone
        (-math.inf, [-math.inf, 0.0], 2),
        (math.inf, [1e30], 0),
    ],
)
def test_rank(score: float, rivals: list[float], expected: int) -> None:
    assert rank(score, rivals) == expected
