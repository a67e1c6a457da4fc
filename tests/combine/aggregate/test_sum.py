"""`sum` adds what all participants change (Equation 8, Anelli et al. 2020)."""

from sottovoce.combine.aggregate.sum import Sum
from tests.combine.aggregate.serving import assert_moved, one_round


def test_changes_are_added_and_divided_by_nobody(uncompiled):
    found = one_round(Sum())
    rows = found.before[: found.rows.shape[1]] + (found.rows - found.before).sum(axis=0)
    assert_moved(found, rows, found.head_before + (found.heads - found.head_before).sum(axis=0))
