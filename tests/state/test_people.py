"""People by slot, what a receiver remembers, and where people are."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import state
from sottovoce.state import (
    all_together,
    each_alone,
    hosted_by,
    new_people,
    new_receivers,
    new_weighting,
    remember,
    set_location,
    slots_of,
)

NONE = np.empty(0, np.int32)


def people(hosts, count=4, **more):
    return new_people(1, np.zeros(count + 1, np.int64), NONE, NONE.astype(np.float32), hosts, **more)


def test_people_are_listed_by_slot():
    found = people(hosted_by(np.array([1, 0, 1, 0], np.int32), 3))
    assert found.member.tolist() == [1, 3, 0, 2]
    assert found.first.tolist() == [0, 2, 4, 4]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_slots_are_found_again(slot):
    hosts = hosted_by(np.array(slot, np.int32), 5)
    assert hosts.slots == 5
    assert slots_of(people(hosts, len(slot))).tolist() == slot
    for n in range(5):
        own = hosts.member[hosts.first[n] : hosts.first[n + 1]].tolist()
        assert own == [person for person, at in enumerate(slot) if at == n], "in order"


def test_everybody_alone_or_all_together():
    assert slots_of(people(each_alone(4))).tolist() == [0, 1, 2, 3]
    assert slots_of(people(all_together(4))).tolist() == [0, 0, 0, 0]
    assert (each_alone(4).slots, all_together(4).slots) == (4, 1)
    twice = state.Hosts(np.array([0, 3, 5]), np.array([0, 1, 2, 1, 3], np.int32))
    assert slots_of(people(twice)).tolist() == [0, 1, 0, 1], "of several slots the last"


def test_new_people_have_learnt_nothing_and_hold_their_data():
    indptr, item, value = np.array([0, 2, 3]), np.array([5, 1, 4]), np.array([1.5, 2.5, 3.5])
    weighting = new_weighting(2, SimpleNamespace(indptr=np.array([0, 0, 1]), item=np.array([7])), NONE)
    found = new_people(3, indptr, item, value, each_alone(2), weighting, optimizer=4)
    assert found.user.tolist() == [[0, 0, 0], [0, 0, 0]]
    assert found.key.tolist() == [0, 1]
    assert (found.steps.tolist(), found.optimizer.shape) == ([0, 0], (2, 4))
    assert (found.item.tolist(), found.value.tolist()) == ([5, 1, 4], [1.5, 2.5, 3.5])
    assert (found.weighting_indptr.tolist(), found.weighting_item.tolist()) == ([0, 0, 1], [7])
    assert (found.here.tolist(), found.away.tolist(), len(found.before)) == ([-1, -1], [0, 0], 0)
    kinds = {name: getattr(found, name).dtype for name in ("item", "value", "indptr", "user", "key")}
    assert kinds == {
        "item": "int32",
        "value": "float32",
        "indptr": "int64",
        "user": "float32",
        "key": "int64",
    }
    assert new_weighting(2).indptr.tolist() == [0, 0, 0]


def test_where_people_are():
    places = SimpleNamespace(
        here=np.array([3, 4], np.int32),
        away=np.array([10, 20], np.int32),
        before=np.array([-1, 2], np.int32),
        gap=np.array([0, 5], np.int32),
        place=np.ones((9, 3), np.float32),
        weighting_before=np.array([8], np.int32),
        weighting_gap=np.array([60], np.int32),
    )
    found = people(each_alone(2), 2, places=places)
    assert (found.here.tolist(), found.before.tolist(), found.gap.tolist()) == ([3, 4], [-1, 2], [0, 5])
    assert (found.weighting_before.tolist(), found.weighting_gap.tolist()) == ([8], [60])
    set_location(found, 1, 7, 90)
    assert (found.here.tolist(), found.away.tolist()) == ([3, 7], [10, 90])


@pytest.mark.parametrize("room", [1, 3, 5])
@given(news=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=25))
def test_the_best_senders_are_remembered(room, news):
    """By a list that is sorted anew each time: the latest first among equals, one entry for a sender.

    A new sender takes the place of the worst, if it is not worse.
    """
    receivers, expected = new_receivers(2, remembered=room), []
    for sender, quality in news:
        remember(receivers, 1, sender, np.float32(quality))
        known = [entry for entry in expected if entry[0] != sender]
        if len(known) == room:
            if known[-1][1] > quality:
                continue
            known.pop()
        at = sum(other > quality for _, other in known)
        expected = [*known[:at], (sender, quality), *known[at:]]
        filler = room - len(expected)
        assert receivers.heard[1].tolist() == [who for who, _ in expected] + [-1] * filler
        assert receivers.quality[1, : len(expected)].tolist() == [quality for _, quality in expected]
    assert (receivers.heard[0] == -1).all()
    assert len(receivers.relayed) == 0
