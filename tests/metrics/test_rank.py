"""The rank of a held-out item: ties, and scores that are no numbers."""

import math

import pytest

from sottovoce.metrics.rank import LAST, lot, rank

NAN = math.nan


@pytest.mark.parametrize(
    ("score", "rivals", "expected"),
    [
        (0.5, [0.1, 0.2], 0),
        (0.5, [0.9, 0.1], 1),
        (0.5, [0.5, 0.5], 2),  # without a lot, behind all that are equal
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


def test_a_lot_decides_among_equals() -> None:
    """Every place among those with the same score is as likely as any other."""
    lots = [lot(person, 7) for person in range(4000)]
    places = [rank(0.5, [0.9, 0.5, 0.5, 0.1, NAN], one) for one in lots]
    assert set(places) == {1, 2, 3}
    assert all(abs(places.count(place) / 4000 - 1 / 3) < 0.03 for place in (1, 2, 3))
    assert {rank(0.5, [0.9, 0.1], one) for one in lots} == {1}
    assert {rank(NAN, [0.5], one) for one in lots} == {LAST}
