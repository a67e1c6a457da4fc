"""Counts and lists in words."""

import pytest

from sottovoce.plural import count, listed


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (0, "message", "0 messages"),
        (1, "node", "1 node"),
        (2, "round", "2 rounds"),
        (1, "person", "1 person"),
        (1000, "person", "1,000 people"),
    ],
)
def test_counts(number: int, noun: str, said: str) -> None:
    assert count(number, noun) == said


def test_many_names_are_cut_short() -> None:
    names = [f"n{n}" for n in range(610)]
    assert listed(names[:10]) == "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9"
    assert listed(names) == "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 600 others"
    assert listed(names[:3], most=2, between="; ") == "n0; n1 and 1 other"
