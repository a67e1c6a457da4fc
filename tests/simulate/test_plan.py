"""A plan delivers every message, with the sender as it was, and copies little."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.kernels import set_threads, threads
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.interface import Messages, exchanges
from sottovoce.simulate.plan import _schedule, schedule
from sottovoce.timing import synchronous as all_at_once


def at_once(sender, receiver):
    count = len(sender)
    times, none = np.zeros(count), np.full(count, -1, np.int32)
    return Messages(sender, receiver, times, times + 1, np.zeros(count, np.int64), none)


def synchronous(slots, sender, receiver):
    plan, underway, places = schedule(slots, at_once(sender, receiver), 1.0)
    assert len(underway.sender) == 0
    assert places == len(set(plan.into.tolist()))
    return plan


@st.composite
def rounds(draw):
    slots = draw(st.integers(1, 12))
    pairs = draw(
        st.lists(st.tuples(st.integers(-1, slots - 1), st.integers(0, slots - 1)), min_size=1, max_size=30)
    )
    sender, receiver = np.array(pairs, np.int32).T
    return slots, np.ascontiguousarray(sender), np.ascontiguousarray(receiver)


@given(rounds())
def test_every_message_arrives_in_order_and_carries_the_model_of_the_beginning(case):
    slots, sender, receiver = case
    plan = synchronous(slots, sender, receiver)
    taken: dict[int, list[int]] = {}
    changed_at: dict[int, int] = {}
    for level in range(len(plan.level) - 1):
        for n in range(plan.level[level], plan.level[level + 1]):
            changed_at[int(plan.receiver[n])] = level
    for level in range(len(plan.level) - 1):
        for n in range(plan.level[level], plan.level[level + 1]):
            r = int(plan.receiver[n])
            assert r not in taken
            taken[r] = []
            for source in plan.source[plan.first[n] : plan.first[n + 1]]:
                if source < slots:
                    # Read before it changes: in an earlier level than its own, and never by itself.
                    assert source == -1 or changed_at.get(int(source), level + 1) > level
                    taken[r].append(int(source))
                else:
                    held = [n for n in range(plan.copies[level + 1]) if plan.into[n] == source - slots]
                    taken[r].append(int(plan.copied[held[-1]]))
                    # It was copied before it changed.
                    taken_at = np.searchsorted(plan.copies, held[-1], "right") - 1
                    assert changed_at.get(taken[r][-1], level) >= taken_at
    expected: dict[int, list[int]] = {}
    for s, r in zip(sender, receiver, strict=True):
        expected.setdefault(int(r), []).append(int(s))
    assert taken == expected
    assert plan.copies[0] == 0
    assert plan.copies[-1] == len(plan.copied)


def parts(plan):
    level, reads, copies, *rest = plan
    return [level, *reads, *copies, *rest]


@given(rounds())
def test_compiled_planner_equals_plain(case):
    slots, sender, receiver = case
    nobody, some = np.empty(0, np.bool_), np.arange(slots) % 2 == 0
    cases = (False, nobody, 100, 0), (False, nobody, 1, 2), (True, nobody, 100, 0), (False, some, 100, 0)
    for each, observed, *limits in cases:
        arguments = slots, at_once(sender, receiver), 1.0, each, observed, 0, *limits
        both = parts(_schedule(*arguments)), parts(_schedule.plain(*arguments))
        for fast, slow in zip(*both, strict=True):
            np.testing.assert_array_equal(fast, slow)


@pytest.mark.parametrize("nodes", [943, 6040])
def test_one_push_copies_hardly_anything(nodes):
    """One thread copies only where slots wait in a circle; several trade copies for fewer levels."""
    for round in range(5):
        none = np.empty((0, 0), np.int32)
        sent, _ = exchanges(Gossip(), Uniform(), none, all_at_once(nodes), 1.0, round, 0)
        sender, receiver = sent.sender, sent.receiver
        with set_threads(1):
            plan = synchronous(nodes, sender, receiver)
        assert len(plan.copied) <= 20
        assert len(plan.source) == nodes
        wide = synchronous(nodes, sender, receiver)
        assert len(wide.copied) < 0.1 * nodes
        assert threads() == 1 or len(wide.level) < len(plan.level)


@given(rounds())
def test_cutting_chains_keeps_the_promise(case):
    """The first test again with every chain cut, as far as copies are allowed."""
    with mock.patch.multiple("sottovoce.simulate.plan", DEEPEST=1, SPARE=1):
        test_every_message_arrives_in_order_and_carries_the_model_of_the_beginning.hypothesis.inner_test(case)


def test_messages_that_take_no_time_are_refused():
    """Two nodes that each need the other's answer first would wait forever."""
    none = np.full(2, -1, np.int32)
    times = np.ones(2)
    pair = Messages(np.array([0, 1], np.int32), np.array([1, 0], np.int32), times, times, np.arange(2), none)
    with pytest.raises(ValueError, match="must arrive after it was sent"):
        schedule(2, pair, 2.0)
