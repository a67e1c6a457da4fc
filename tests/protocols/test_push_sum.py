"""Push-sum conserves what it sums, whatever it rounds, and everybody comes to know the mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.protocols.push_sum import Numerators, levels_of, message_bytes, numerators, push, pushes

ITEMS, ROW, HEAD = 6, 5, 5


AROUND = 68 + 1 + 4
"""Bytes of the header of a message, of its head's exponent, and of its check sum."""


def begun(nodes, seed, sizes=(-3, 3)):
    rng = np.random.default_rng(seed)
    sums = numerators(nodes, ITEMS, ROW, HEAD)
    shape = ITEMS, nodes, ROW
    sums.rows[:] = rng.normal(size=shape) * 10 ** rng.uniform(*sizes, (ITEMS, nodes, 1))
    known = rng.random((ITEMS, nodes)) < 0.5
    sums.rows[..., ROW - 1] = known
    sums.rows[~known] = 0
    sums.head[:] = rng.normal(size=sums.head.shape)
    sums.head[:, -1] = 1
    return sums


def copied(sums):
    return Numerators(sums.rows.copy(), sums.head.copy())


def among(nodes, sender, receiver):
    return pushes(nodes, np.array(sender, np.int32), np.array(receiver, np.int32))


@settings(max_examples=25)
@given(st.integers(2, 12), st.sampled_from([2, 4, 8, 32]), st.integers(1, 2), st.integers(0, 999))
def test_nothing_is_lost_or_made(nodes, bits, counts, seed):
    sums, rng = begun(nodes, seed), np.random.default_rng(seed)
    rows, head = sums.rows.astype(float).sum(axis=1), sums.head.astype(float).sum(axis=0)
    size = np.abs(sums.rows).sum(axis=1) + 1e-6
    for _ in range(3):
        sender = np.flatnonzero(rng.random(nodes) < 0.8)
        push(sums, counts, among(nodes, sender, rng.integers(0, nodes, len(sender))), bits)
    assert (np.abs(sums.rows.astype(float).sum(axis=1) - rows) <= 1e-5 * size).all()
    np.testing.assert_allclose(sums.head.astype(float).sum(axis=0), head, atol=1e-4)


@settings(max_examples=25)
@given(st.sampled_from([8, 32]), st.integers(1, 2), st.integers(0, 999))
def test_what_is_out_of_range_is_kept(bits, counts, seed):
    """Numbers from 1e-25 to 1e15, negative counts among them; no rounding is smaller than what is kept."""
    sums, rng = begun(5, seed, (-25, 15)), np.random.default_rng(seed)
    sums.rows[..., ROW - counts :] *= 10 ** rng.uniform(-20, 12, (ITEMS, 5, counts)) * rng.choice([1, -1])
    sums.head[:, :-1] *= 10 ** rng.uniform(-25, 25, (5, HEAD - 1))
    before = sums.rows.astype(float).sum(axis=1), sums.head.astype(float).sum(axis=0)
    size = np.abs(sums.rows).sum(axis=1), np.abs(sums.head).sum(axis=0)
    push(sums, counts, among(5, np.arange(5), rng.permutation(5)), bits)
    for array, total, most, axis in zip(sums, before, size, (1, 0), strict=True):
        assert np.isfinite(array).all()
        assert (np.abs(array.astype(float).sum(axis=axis) - total) <= 1e-5 * most).all()


def pushed_away(sums, bits, counts):
    """What one node sends, and how its rows were counted."""
    before = sums.rows[:, 0].copy(), sums.head[0].copy()
    held = push(sums, counts, among(len(sums.head), [0], [-1]), bits)
    return before[0] - sums.rows[:, 0], before[1] - sums.head[0], held[:, 0].tolist()


def test_small_counts_leave_rows_out_and_large_ones_are_sent_in_part():
    sums = numerators(2, ITEMS, ROW, HEAD)
    sums.rows[:, 0] = 1
    sums.rows[0, 0, -1] = 2.0**-38.5  # its half is too small: the row stays
    sums.rows[1, 0, -2] = 2.0**-38.5  # the numbers stay, and the last count goes
    sums.rows[2, 0, -1] = 2.0**30  # more than a message can say
    sums.rows[3, 0, :-2] = 2.0**-60  # a row of numbers that are too small
    sums.rows[4, 0, :-2] = 2.0**30
    sums.head[0] = 2.0**70, 1, 2.0**40, 2.0**-40, 1  # the last two are sent as they are
    rows, head, held = pushed_away(sums, 8, 2)
    most = 2.0**24 - 2.0**13
    assert held == [4, 1, 0]
    np.testing.assert_array_equal(rows[0], 0)
    assert rows[1].tolist() == [0, 0, 0, 0, 0.5]
    assert rows[2, -1] == most
    assert rows[3].tolist() == [0, 0, 0, 0.5, 0.5]
    np.testing.assert_allclose(rows[4, :3], most, rtol=1e-4)
    assert head[[0, 2, 4]].tolist() == [2.0**64 - 2.0**53, 2.0**39, 0.5]
    assert head[1] == 0  # more than 63 binades below the largest


@pytest.mark.parametrize("bits", [2, 8, 24, 26, 31])
def test_the_largest_code_fits_its_bits(bits):
    levels = levels_of(bits)
    assert 2 ** (bits - 1) * (1 - 2.0**-23) - 1 <= levels <= 2 ** (bits - 1) - 1


@pytest.mark.parametrize("bits", [8, 32])
def test_everybody_comes_to_know_the_mean(bits):
    nodes, rng = 30, np.random.default_rng(3)
    sums = begun(nodes, 1)
    rows = sums.rows.astype(float).mean(axis=1)
    for _ in range(40):
        receiver = (np.arange(nodes) + rng.integers(1, nodes, nodes)) % nodes
        push(sums, 1, among(nodes, np.arange(nodes), receiver), bits)
    found = sums.rows / sums.head[None, :, -1:]
    largest = np.abs(rows).max(axis=1)[:, None, None]
    assert (np.abs(found - rows[:, None]) <= (0.05 if bits == 8 else 0.005) * largest + 1e-6).all()


def slowly(sums, sender, receiver, bits, counts):
    """What a push does, one number after the other."""
    rows, head = sums.rows.astype(np.float64), sums.head.astype(np.float64)
    given = np.zeros_like(rows)
    levels = 2 ** (bits - 1) - 1
    for item in range(ITEMS):
        for one in sender:
            peak = np.abs(rows[item, one, : ROW - counts]).max() / 2
            if rows[item, one, -1] != 0:
                step = peak / levels if peak else 1
                given[item, one, : ROW - counts] = step * np.rint(rows[item, one, : ROW - counts] / 2 / step)
                given[item, one, ROW - counts :] = rows[item, one, ROW - counts :] / 2
    half = np.zeros_like(head)
    half[sender] = head[sender] / 2
    rows, head = rows - given, head - half
    for one, other in zip(sender, receiver, strict=True):
        if other >= 0:
            rows[:, other] += given[:, one]
            head[other] += half[one]
    return rows, head


@pytest.mark.parametrize("counts", [1, 2])
def test_a_push_is_what_its_definition_says(counts):
    """To within the 11 digits that scales, counts and heads have."""
    nodes = 9
    sums = begun(nodes, 7)
    sender = np.array([0, 2, 3, 5, 8])
    receiver = np.array([2, -1, 1, 1, 0])
    rows, head = slowly(sums, sender, receiver, 8, counts)
    size = np.abs(sums.rows).max(axis=(1, 2))[:, None, None]
    push(sums, counts, among(nodes, sender, receiver), 8)
    levels = 127  # a number at the edge of two levels may fall on either side
    assert (np.abs(sums.rows - rows) <= size / levels * 1.1).all()
    assert np.median(np.abs(sums.rows - rows) / size) < 1e-3
    np.testing.assert_allclose(sums.head, head, atol=2e-3)


def test_what_gets_lost_is_numerator_and_weight_together():
    sums = begun(4, 2)
    before = copied(sums)
    push(sums, 1, among(4, [0, 1, 2, 3], [1, 0, -1, -1]), 32)
    assert sums.head[:, -1].sum() == pytest.approx(before.head[:, -1].sum() - 1)
    np.testing.assert_allclose(sums.rows[:, 2:], 0.5 * before.rows[:, 2:], rtol=1e-6)


def test_who_does_not_send_keeps_everything():
    sums = begun(3, 8)
    before = copied(sums)
    push(sums, 1, among(3, [0], [-1]), 8)
    np.testing.assert_array_equal(sums.rows[:, 1:], before.rows[:, 1:])
    np.testing.assert_array_equal(sums.head[1:], before.head[1:])


def test_rows_without_a_count_are_not_sent():
    sums = begun(3, 5)
    known = sums.rows[..., ROW - 1].sum(axis=0)
    held = push(sums, 1, among(3, [0, 1, 2], [1, 2, 0]), 8)
    assert held.tolist() == [known.tolist(), [0, 0, 0], [0, 0, 0]]
    sizes = message_bytes(np.array([[0, 3, 6], [0, 0, 0], [0, 0, 0]]), 6, 33, 1, 1000, 8)
    rest = 2 * 998 + 125 + 8 + AROUND
    assert sizes.tolist() == [1 + rest, 3 * 36 + 1 + rest, 6 * 36 + rest]
    assert message_bytes(np.array([[6], [0], [0]]), 6, 34, 2, 1000, 8).tolist() == [6 * 38 + rest]
    assert message_bytes(np.array([[6], [0], [2]]), 6, 34, 2, 1000, 8).tolist() == [6 * 38 + 2 + rest]
    assert message_bytes(np.array([[6], [0], [2]]), 6, 34, 2, 1000, 32).tolist() == [6 * 34 * 4 + rest]


@pytest.mark.parametrize("bits", [8, 32])
def test_rows_whose_numbers_are_withheld_are_sent_as_a_count(bits):
    sums = begun(3, 5)
    sums.rows[..., ROW - 2] = sums.rows[..., ROW - 1]
    known = sums.rows[..., ROW - 1].sum(axis=0)
    item = np.flatnonzero(sums.rows[:, 0, ROW - 1])[0]
    sums.rows[item, 0, : ROW - 1] = 0
    held = push(sums, 2, among(3, [0, 1, 2], [1, 2, 0]), bits)
    assert held.tolist() == [(known - [1, 0, 0]).tolist(), [1, 0, 0], [0, 0, 0]]
    # 2 rows with numbers, 3 counts alone, a bit for each of 17 items and for each of 5 rows
    sizes = message_bytes(np.array([[2], [3], [0]]), 17, 34, 2, 1000, 8)
    assert sizes.tolist() == [2 * 38 + 3 * 2 + 3 + 1 + 2 * 998 + 125 + 8 + AROUND]
