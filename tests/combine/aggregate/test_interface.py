"""What a sum of changes is divided by."""

from typing import NamedTuple

import pytest

from sottovoce.combine.aggregate.interface import divisor, emphasis, stride


class Rule(NamedTuple):
    """A rule that says nothing but whose weights count."""


@pytest.mark.parametrize(
    ("over", "expected"), [("contributors", 2.0), ("participants", 5.0), ("nobody", 1.0)]
)
def test_the_divisor_is_what_the_rule_declares(monkeypatch, over, expected):
    monkeypatch.setattr(Rule, "over", over, raising=False)
    assert divisor(Rule(), 2.0, 5.0) == expected


def test_rules_go_all_of_the_way_and_weigh_rows_alike_by_default():
    assert stride(Rule()) == 1
    assert emphasis(Rule(), None, 0) == 1
