"""Participants who decrypt: what is recorded is the sum of the aggregation before theirs, row by row."""

import numpy as np
import pytest

from sottovoce.combine.sums.homomorphic import Homomorphic
from sottovoce.combine.sums.secure import Secure
from sottovoce.protocols.federated import Federated
from tests.combine.sums.federations import federation
from tests.simulate.test_observe import watching

pytestmark = pytest.mark.usefixtures("uncompiled")
PEOPLE = 8
PAIRS = Federated(participants=3, selection="in-turn")


def watched(sum=None, first=1, last=4, fewest=2):
    """A federation in which the server and everybody observe, and what they see."""
    watch, seen = watching(server=True, nodes=range(PEOPLE), first=first, last=last)
    sum = Homomorphic(fewest=fewest) if sum is None else sum
    return federation(PEOPLE, sum, protocol=PAIRS, observation=watch), seen


def opened(seen):
    return [record for _, record in seen if "sum_observer" in record]


def test_a_participant_decrypts_what_the_group_before_added(monkeypatch):
    from sottovoce.simulate import served

    sent = {}

    def noting(sum, task, records, participants, run):
        sent[int(records[0]["clock"][0])] = records[0]
        return records

    monkeypatch.setattr(served, "server_sees", noting)
    world, seen = watched()
    world.advance(3)
    records = opened(seen)
    assert [int(one["sum_clock"][0]) for one in records] == list(range(int(world.tables.clock[0]) - 1))
    for one in records:
        clock = int(one["sum_clock"][0])
        lines, there = sent[clock], np.bincount(sent[clock]["ids"], minlength=world.items)
        np.testing.assert_array_equal(one["sum_senders"], np.sort(lines["sender"]))
        np.testing.assert_array_equal(one["sum_counts"], there)
        np.testing.assert_array_equal(one["sum_items"], np.flatnonzero(there))
        assert one["sum_totals"].tolist() == [lines["size"].sum()]
        true = np.zeros((world.items, world.shape.row))
        np.add.at(true, lines["ids"], lines["rows"].astype(np.float64))
        np.testing.assert_allclose(one["sum_rows"], true[one["sum_items"]], atol=3 * 2.0**-24, rtol=1e-6)
        head = lines["size"] @ lines["head"].astype(np.float64)
        np.testing.assert_allclose(one["sum_head"], head, atol=3 * 2.0**-12, rtol=0)
        assert np.isin(one["sum_observer"], sent[clock + 1]["sender"]).all()


def test_observing_changes_nothing_and_goes_on_after_a_checkpoint():
    whole, seen = watched(first=2)
    part, _ = watched(first=2)
    rest, later = watched(first=2)
    free = federation(PEOPLE, Homomorphic(), protocol=PAIRS)
    whole.advance(3), free.advance(3), part.advance(1)
    rest.restore({name: array.copy() for name, array in part.state().items()})
    rest.advance(2)
    np.testing.assert_array_equal(whole.tables.rows, free.tables.rows)
    assert whole.bytes == free.bytes
    assert len(opened(seen)) == len(opened(later)) > 0
    for one, other in zip(opened(seen), opened(later), strict=True):
        assert one.keys() == other.keys()
        for name in one:
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_without_a_new_sum_the_earlier_one_is_decrypted_again():
    world, seen = watched(fewest=3)  # the last group of each round has two people
    world.advance(2)
    clocks = [int(one["sum_clock"][0]) for one in opened(seen)]
    assert clocks == [0, 1, 1, 3, 4]


def test_where_nobody_decrypts_nothing_is_recorded():
    world, seen = watched(Secure(fewest=2))
    world.advance(2)
    assert not opened(seen)
    assert not any(name.startswith("last sum") for name in world.state())
