"""`simple` is the plain mean over participants (SimpleAvg, Perifanis and Efraimidis 2022)."""

from sottovoce.combine.aggregate.simple import Simple
from tests.combine.aggregate.serving import assert_moved, one_round


def test_all_participants_have_the_same_weight(uncompiled):
    found = one_round(Simple())
    assert_moved(found, found.rows.mean(axis=0), found.heads.mean(axis=0))
