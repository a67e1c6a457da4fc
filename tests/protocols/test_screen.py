"""Robust sums: bounded whatever a group says, the plain sum where nothing is odd, and as a slow one says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.protocols import screen as screening
from sottovoce.protocols.push_sum import Numerators, numerators
from sottovoce.protocols.screen import BEYOND, ENOUGH, LONG, LOW, NEAR, ODD, memory, screen

ITEMS, NUMBERS, HEAD, MEMBERS = 30, 3, 5, 50


def honest(groups, seed):
    """Groups of people who are alike, with items from rare to common; rare rows are withheld."""
    rng, sums = np.random.default_rng(seed), numerators(groups, ITEMS, NUMBERS + 2, HEAD)
    share = np.linspace(0.0, 0.8, ITEMS)[:, None]
    counts = rng.binomial(MEMBERS, np.broadcast_to(share, (ITEMS, groups)))
    taste = rng.normal(size=(ITEMS, 1, NUMBERS))
    taste /= np.linalg.norm(taste, axis=2, keepdims=True)
    noise = rng.normal(size=(ITEMS, groups, NUMBERS)) / np.sqrt(np.maximum(counts, 1))[..., None]
    summed = counts >= 4
    sums.rows[..., :NUMBERS] = (counts[..., None] * (taste + 0.3 * noise)) * summed[..., None]
    sums.rows[..., NUMBERS] = counts * summed
    sums.rows[..., NUMBERS + 1] = counts
    sums.head[:] = MEMBERS * (rng.normal(size=HEAD) + 0.1 * rng.normal(size=(groups, HEAD)))
    sums.head[:, -1] = MEMBERS
    return sums


def together(sums, bits=32, remembered=None):
    members = np.full(len(sums.head), MEMBERS)
    return screen(sums, members, bits, remembered or memory(ITEMS, len(members)))


def rounded(row, bits):
    levels, peak = 2 ** (bits - 1) - 1, np.abs(row).max()
    return row if bits == 32 or peak == 0 else np.rint(row / peak * levels) * peak / levels


def judged(sums, accepted, limits, bits):
    """By item and group: the mean vectors that count, their lengths, and distances from their median."""
    means, lengths, distances = {}, {}, {}
    for item in range(ITEMS):
        for g in np.flatnonzero(accepted):
            row = sums.rows[item, g].astype(float)
            if 0 < row[-2] <= row[-1] <= min(limits[item], MEMBERS):
                means[item, g] = rounded(row[:NUMBERS], bits) / row[-2]
                lengths[item, g] = np.linalg.norm(means[item, g])
        here = [g for g in range(len(accepted)) if (item, g) in means]
        if len(here) >= ENOUGH:
            middle = np.median([means[item, g] for g in here], axis=0)
            for g in here:
                away = np.linalg.norm(means[item, g] - middle)
                distances[item, g] = away * np.sqrt(sums.rows[item, g, -2])
    return means, lengths, distances


def shortened(vector, most):
    length = np.linalg.norm(vector)
    return vector if length <= most else vector * most / length


def slowly(sums, bits, heard):
    """What `screen` must equal, row by row; `heard` are the counts of earlier sweeps, by item."""
    head, rows = sums.head.astype(float), sums.rows
    sound = np.array(
        [
            np.isfinite(head[g]).all() and np.isfinite(rows[:, g]).all() and 0 < head[g, -1] <= MEMBERS
            for g in range(len(head))
        ]
    )
    limits = []
    for item in range(ITEMS):
        heard[item] += rows[item, sound, -1].tolist()
        usual = sorted(heard[item])[int(LOW * len(heard[item]))]
        limits.append(usual + max(NEAR, BEYOND * np.sqrt(usual)))
    means, lengths, distances = judged(sums, sound, limits, bits)
    typical, usual = np.median(list(lengths.values())), np.median(list(distances.values()))
    accepted = sound.copy()
    for g in np.flatnonzero(sound):
        summed = [item for item in range(ITEMS) if rows[item, g, -2] > 0]
        odd = [
            (item, g) not in means
            or lengths[item, g] > LONG * typical
            or distances.get((item, g), 0) > NEAR * usual
            for item in summed
        ]
        accepted[g] = sum(odd) <= ODD * len(summed)
    means, lengths, distances = judged(sums, accepted, limits, bits)
    typical, usual = np.median(list(lengths.values())), np.median(list(distances.values()))
    total = np.zeros((ITEMS, NUMBERS + 2))
    for item in range(ITEMS):
        here = {
            g: shortened(means[item, g], LONG * typical)
            for g in np.flatnonzero(accepted)
            if (item, g) in means
        }
        middle = np.median(list(here.values()), axis=0) if len(here) >= ENOUGH else None
        for g, mean in here.items():
            count = rows[item, g, -2]
            if middle is not None:
                mean = middle + shortened(mean - middle, NEAR * usual / np.sqrt(count))
            total[item, :NUMBERS] += count * mean
            total[item, NUMBERS] += count
        counts = rows[item, accepted, -1]
        total[item, -1] = np.clip(counts, 0, min(limits[item], MEMBERS)).sum()
    means = head[accepted] / head[accepted, -1:]
    middle = np.median(means, axis=0)
    near = NEAR * 1.4826 * np.median(np.abs(means - middle), axis=0)
    return total, (np.clip(means, middle - near, middle + near) * head[accepted, -1:]).sum(axis=0)


def attacked(sums, seed, size):
    """One group or two say anything, about some items or all."""
    rng = np.random.default_rng(seed)
    for g in rng.choice(len(sums.head), rng.integers(1, 3), replace=False):
        about = rng.random(ITEMS) < rng.choice([0.05, 1.0])
        claims = rng.integers(1, 20)
        sums.rows[about, g, :NUMBERS] += claims * size * rng.normal(size=(about.sum(), NUMBERS))
        sums.rows[about, g, NUMBERS:] += claims
        sums.head[g, :-1] -= size * rng.normal(size=HEAD - 1)
    return sums


@settings(max_examples=20, deadline=None)
@given(st.integers(5, 9), st.sampled_from([8, 32]), st.sampled_from([0.5, 100.0]), st.integers(0, 999))
def test_robust_sums_are_what_a_slow_reading_says(groups, bits, size, seed):
    remembered, heard = memory(ITEMS, groups), [[] for _ in range(ITEMS)]
    for sweep in range(2):
        sums = attacked(honest(groups, seed + sweep), seed, size)
        rows, head = together(sums, bits, remembered)
        expected, heads = slowly(sums, bits, heard)
        np.testing.assert_allclose(rows, expected, rtol=1e-4, atol=1e-3)
        np.testing.assert_allclose(head, heads, rtol=1e-4, atol=1e-3)


def test_without_attackers_nearly_everything_is_in_the_sum():
    sums = honest(7, 1)
    rows, head = together(sums)
    exact = sums.rows.sum(axis=1)
    common = exact[:, -1] > 140
    difference = np.linalg.norm(rows[common] - exact[common], axis=1) / np.linalg.norm(exact[common], axis=1)
    assert np.median(difference) < 1e-6
    assert difference.max() < 0.2
    assert head[-1] >= 5 * MEMBERS


@pytest.mark.parametrize("size", [1e2, 1e6])
def test_one_group_cannot_move_the_sum_far(size):
    """Neither by huge numbers about everything, nor by a crowd that only it has heard of."""
    clean, _ = together(honest(7, 2))
    sums = honest(7, 2)
    sums.rows[:, 3, :NUMBERS] += size
    sums.rows[:, 3, NUMBERS:] += 10
    rows, _ = together(sums)
    common = clean[:, -1] > 70
    assert (
        np.linalg.norm(rows - clean, axis=1)[common].max() < 0.3 * np.linalg.norm(clean[common], axis=1).max()
    )
    sums = honest(7, 2)
    sums.rows[0, 3] = [*[40 * size] * NUMBERS, 40, 40]  # an item that nobody has
    rows, _ = together(sums)
    assert (rows[0, :-1] == 0).all()
    assert rows[0, -1] <= NEAR


def test_a_crowd_in_most_groups_is_doubted_if_earlier_sweeps_had_none():
    remembered = memory(ITEMS, 7)
    together(honest(7, 3), remembered=remembered)
    for sweep in range(4):
        sums = honest(7, 4 + sweep)
        sums.rows[0, :5] = [20, 20, 20, 20, 20]
        rows, _ = together(sums, remembered=remembered)
    assert (rows[0, :-1] == 0).all()


@pytest.mark.parametrize("lie", [np.nan, np.inf, 1e30])
def test_what_cannot_be_is_refused_and_if_that_is_all_there_is_no_sum(lie):
    sums = honest(6, 5)
    sums.head[2, -1] = lie
    others = Numerators(np.delete(sums.rows, 2, axis=1), np.delete(sums.head, 2, axis=0))
    for found, expected in zip(together(sums), together(others), strict=True):
        assert expected.any()
        np.testing.assert_array_equal(found, expected)
    sums.head[:, -1] = lie
    rows, head = together(sums)
    assert not rows.any()
    assert not head.any()


def test_memory_keeps_the_last_counts():
    remembered = memory(ITEMS, 7)
    for sweep in range(2 + screening.KEPT // 7):
        together(honest(7, sweep), remembered=remembered)
    kept = remembered.counts.shape[1]
    assert kept == screening.KEPT
    latest = honest(7, 1 + screening.KEPT // 7).rows[..., -1]
    last = (np.arange(remembered.heard[0] - 7, remembered.heard[0])) % kept
    np.testing.assert_array_equal(remembered.counts[:, last], latest)
