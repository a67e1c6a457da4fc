"""Push-sum conserves what it sums, whatever it rounds, and everybody comes to know the mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.protocols.interface import Messages
from sottovoce.protocols.push_sum import message_bytes, push
from sottovoce.state import whole

ITEMS, ROW, HEAD = 6, 4, 5


def numerators(nodes, seed):
    rng = np.random.default_rng(seed)
    sums = whole(nodes, ITEMS, ROW, HEAD)
    sums.rows[:] = rng.normal(size=sums.rows.shape) * 10 ** rng.uniform(-3, 3, (len(sums.rows), 1))
    known = rng.random(len(sums.rows)) < 0.5
    sums.rows[:, ROW - 1] = known
    sums.rows[~known] = 0
    sums.head[:] = rng.normal(size=sums.head.shape)
    sums.head[:, -1] = 1
    return sums


def messages(sender, receiver):
    none = np.zeros(len(sender))
    both = np.array(sender, np.int32), np.array(receiver, np.int32)
    return Messages(*both, none, none, none.astype(np.int64), none.astype(np.int32))


@settings(max_examples=25)
@given(st.integers(2, 12), st.sampled_from([2, 4, 8, 32]), st.integers(0, 999))
def test_nothing_is_lost_or_made(nodes, bits, seed):
    sums, other = numerators(nodes, seed), whole(nodes, ITEMS, ROW, HEAD)
    rng = np.random.default_rng(seed)
    rows, head = (a.astype(float).sum(axis=0) for a in (sums.rows.reshape(nodes, ITEMS, ROW), sums.head))
    size = np.abs(sums.rows.reshape(nodes, ITEMS, ROW)).sum(axis=0) + 1e-6
    for _ in range(3):
        sent = rng.random(nodes) < 0.8
        sender = np.flatnonzero(sent)
        push(sums, other, sent, messages(sender, rng.integers(0, nodes, len(sender))), bits)
        sums, other = other, sums
    now = sums.rows.reshape(nodes, ITEMS, ROW).astype(float).sum(axis=0)
    assert (np.abs(now - rows) <= 1e-5 * size).all()
    np.testing.assert_allclose(sums.head.astype(float).sum(axis=0), head, atol=1e-4)


@pytest.mark.parametrize("bits", [8, 32])
def test_everybody_comes_to_know_the_mean(bits):
    nodes, rng = 30, np.random.default_rng(3)
    sums, other = numerators(nodes, 1), whole(nodes, ITEMS, ROW, HEAD)
    rows = sums.rows.reshape(nodes, ITEMS, ROW).astype(float).mean(axis=0)
    for _ in range(40):
        receiver = (np.arange(nodes) + rng.integers(1, nodes, nodes)) % nodes
        push(sums, other, np.ones(nodes, np.bool_), messages(np.arange(nodes), receiver), bits)
        sums, other = other, sums
    found = sums.rows.reshape(nodes, ITEMS, ROW) / sums.head[:, -1][:, None, None]
    largest = np.abs(rows).max(axis=1, keepdims=True)
    assert (np.abs(found - rows) <= (0.05 if bits == 8 else 0.005) * largest + 1e-6).all()


def test_what_gets_lost_is_numerator_and_weight_together():
    sums, other = numerators(4, 2), whole(4, ITEMS, ROW, HEAD)
    before = sums.head[:, -1].sum()
    push(sums, other, np.ones(4, np.bool_), messages([0, 1], [1, 0]), 32)
    assert other.head[:, -1].sum() == pytest.approx(before - 1)
    np.testing.assert_allclose(other.rows[2 * ITEMS :], 0.5 * sums.rows[2 * ITEMS :], rtol=1e-6)


def test_rows_without_a_count_are_not_sent():
    sums, other = numerators(3, 5), whole(3, ITEMS, ROW, HEAD)
    known = sums.rows[:, ROW - 1].reshape(3, ITEMS).sum(axis=1)
    held = push(sums, other, np.ones(3, np.bool_), messages([0, 1, 2], [1, 2, 0]), 8)
    assert held.tolist() == known.tolist()
    sizes = message_bytes(np.array([0, 3, 6]), 6, 33, 1000, 8)
    assert sizes.tolist() == [1 + 2 * 998 + 16, 3 * 36 + 1 + 2 * 998 + 16, 6 * 36 + 2 * 998 + 16]
