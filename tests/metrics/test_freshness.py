"""Freshness: rpe and nFresh in Table 3 of Anelli et al. 2020, which cuts rpe off and rounds nFresh."""

import pytest

from sottovoce.metrics.freshness import freshness, normalized_freshness

PEOPLE, POSITIVE = 17_473, 599_958


@pytest.mark.parametrize(("clients", "rounds", "share"), [(1, 599_958, "100.00%"), (PEOPLE, 34, "0.0057%")])
def test_table_3(clients: int, rounds: int, share: str) -> None:
    found = freshness(POSITIVE, clients)
    digits = len(share.partition(".")[2]) - 1
    assert int(found) == rounds
    assert f"{normalized_freshness(found, POSITIVE):.{digits}%}" == share
    assert normalized_freshness(found, POSITIVE) == pytest.approx(1 / clients)
