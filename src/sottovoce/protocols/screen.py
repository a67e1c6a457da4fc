"""Robust sums of masked groups: what a group's sum cannot be is refused, and no group moves the sum far.

Nobody sees one person's part of a masked sum, so one attacker can make a group's sum anything. But everybody
can hear the sum of every group, which all of its members know, and confirm. Groups are random and drawn anew
in each sweep, so honest ones are alike. Group g has a head hᵍ of weight nᵍ, and a row of aᵍ contributors; its
numbers are the sum bᵍ over cᵍ of them, or are withheld.

- A group is refused if a number is not finite, or its weight is not that of one to all of its members.
- aᵍ is cut off at the number of members, and at q + max(NEAR, BEYOND √q): more than chance explains. q is a
  low count of the item, with LOW of all counts below it that a node heard of in this sweep and before. Lies
  make counts larger, so a low one is honest even where most groups have an attacker. The numbers of a row
  whose count is cut off are refused.
- vᵍ = bᵍ / cᵍ is cut off at LONG times the median length of all rows of all groups.
- Where at least ENOUGH groups have numbers of an item, vᵍ is moved towards their median v, number by number,
  until |vᵍ − v| √cᵍ is at most NEAR times the median of this over all items and groups. This is centred
  clipping (Karimireddy, He and Jaggi 2021) around a median.
- A group is refused if more than ODD of its rows are out of these bounds.
- hᵍ / nᵍ is moved into median ± NEAR · 1.48 · (median distance from the median), number by number.

What is left is summed. Everybody computes the same from the same sums.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.kernels import driver, helper, prange
from sottovoce.protocols.push_sum import Numerators
from sottovoce.state import Bools, Doubles, Floats, Longs

NEAR = 3.0
"""How many times the usual distance from the median is accepted."""
LONG = 2.0
"""How many times the usual length is accepted."""
FEWEST = 5
"""How many groups there must be at least."""
LOW = 0.1
"""What is usual of counts: lies make them larger, so a low one is taken, with so many of them below."""
BEYOND = 4.0
"""How many times its root a count may be above this; it may be above by NEAR in any case."""
KEPT = 64
"""Of how many groups a node remembers counts."""
ODD = 0.1
"""The share of a group's rows that may be out of bounds before the group is refused."""
ENOUGH = 3
"""How many groups must have the numbers of a row before they are compared."""
ATTESTED = 9
"""How many members of a group confirm its sum to each listener, each by a hash."""


class Spread(NamedTuple):
    """What is usual among the rows of all groups."""

    length: float  # of vᵍ
    distance: float  # |vᵍ − v| √cᵍ


@helper
def _median(values, count):
    """The median of the first numbers; sorts them."""
    for a in range(1, count):
        b, value = a, values[a]
        while b > 0 and values[b - 1] > value:
            values[b] = values[b - 1]
            b -= 1
        values[b] = value
    return (values[(count - 1) // 2] + values[count // 2]) * 0.5


@helper
def _round_row(row, numbers, levels):
    """Round the numbers of a row to so many levels of the largest, as a message does."""
    peak = 0.0
    for d in range(numbers):
        peak = max(peak, abs(row[d]))
    if peak > 0 and levels > 0:
        for d in range(numbers):
            row[d] = np.rint(row[d] / peak * levels) * peak / levels


@helper
def _means(own, members, accepted, levels, limit, means):
    """Write the means vᵍ [G, k] of a row whose groups have `own` [G, w]; return which groups have one [G]."""
    numbers, there = own.shape[1] - 2, np.zeros(len(own), np.bool_)
    for g in range(len(own)):
        count, people = own[g, numbers], own[g, numbers + 1]
        there[g] = accepted[g] and count > 0 and people <= limit and people <= members[g] and count <= people
        if there[g]:
            for d in range(numbers):
                means[g, d] = own[g, d]
            _round_row(means[g], numbers, levels)
            for d in range(numbers):
                means[g, d] /= count
    return there


@helper
def _centre(means, there, some, out):
    """The median of the means, number by number; returns whether there are enough."""
    enough = np.count_nonzero(there) >= ENOUGH
    for d in range(len(out) if enough else 0):
        count = 0
        for g in range(len(there)):
            if there[g]:
                some[count] = means[g, d]
                count += 1
        out[d] = _median(some, count)
    return enough


@helper
def _shorten(row, most):
    """Cut a vector off at a length."""
    length = 0.0
    for d in range(len(row)):
        length += row[d] * row[d]
    length = np.sqrt(length)
    if length > most:
        for d in range(len(row)):
            row[d] *= most / length
    return length


@helper
def _look(own, members, accepted, levels, limit, lengths, distances):
    """Measure an item's row in each group: its length, and its distance from the median; NaN: none."""
    numbers, some = own.shape[1] - 2, np.empty(len(own))
    means, middle = np.empty((len(own), numbers)), np.empty(numbers)
    there = _means(own, members, accepted, levels, limit, means)
    enough = _centre(means, there, some, middle)
    for g in range(len(own)):
        lengths[g] = distances[g] = np.nan
        if there[g]:
            lengths[g] = _shorten(means[g], np.inf)
            if enough:
                for d in range(numbers):
                    means[g, d] -= middle[d]
                distances[g] = _shorten(means[g], np.inf) * np.sqrt(own[g, numbers])


@helper
def _combine(own, members, accepted, levels, limit, spread, out):
    """Write the robust sum of an item's row over groups, `own` [G, w], into `out` [w]."""
    numbers, some = own.shape[1] - 2, np.empty(len(own))
    means, middle, total = np.empty((len(own), numbers)), np.empty(numbers), np.zeros(len(out))
    there = _means(own, members, accepted, levels, limit, means)
    for g in range(len(own)):
        if there[g]:
            _shorten(means[g], LONG * spread.length)
    enough = _centre(means, there, some, middle)
    for g in range(len(own)):
        if accepted[g]:
            total[numbers + 1] += min(max(own[g, numbers + 1], 0.0), limit, float(members[g]))
        if there[g]:
            count = own[g, numbers]
            if enough:
                for d in range(numbers):
                    means[g, d] -= middle[d]
                _shorten(means[g], NEAR * spread.distance / np.sqrt(count))
                for d in range(numbers):
                    means[g, d] += middle[d]
            for d in range(numbers):
                total[d] += count * means[g, d]
            total[numbers] += count
    for d in range(len(out)):
        out[d] = total[d]


@driver
def _look_at(rows, members, accepted, levels, limits, lengths, distances):
    for item in prange(len(rows)):
        _look(rows[item], members, accepted, levels, limits[item], lengths[item], distances[item])


@driver
def _combine_all(rows, members, accepted, levels, limits, spread, out):
    for item in prange(len(rows)):
        _combine(rows[item], members, accepted, levels, limits[item], spread, out[item])


def _sound(sums: Numerators, members: Longs) -> Bools:
    """Which groups' sums can be what they say they are."""
    weight = sums.head[:, -1]
    finite = np.isfinite(sums.head).all(axis=1) & np.isfinite(sums.rows).all(axis=(0, 2))
    sound: Bools = finite & (weight > 0) & (weight <= members)
    return sound


def _heads(head: Floats) -> Floats:
    """The robust sum of heads [G, h]."""
    weight = head[:, -1:].astype(float)
    means = head / weight
    middle = np.median(means, axis=0)
    near = NEAR * 1.4826 * np.median(np.abs(means - middle), axis=0)
    total: Floats = (np.clip(means, middle - near, middle + near) * weight).sum(axis=0).astype(np.float32)
    return total


class Memory(NamedTuple):
    """The counts of contributors that a node heard of last: its own estimate of what is usual."""

    counts: Floats  # [items, M]
    heard: Longs  # [1], of how many groups, the last M of which are kept


def memory(items: int, groups: int) -> Memory:
    """Room for counts of so many items in so many groups at a time, and of groups before."""
    return Memory(np.zeros((items, max(KEPT, groups)), np.float32), np.zeros(1, np.int64))


def _limits(memory: Memory, counts: Floats) -> Doubles:
    """Remember counts [items, G], and tell above which number a count of each item is not due to chance."""
    kept, heard = memory.counts.shape[1], int(memory.heard[0])
    memory.counts[:, (heard + np.arange(counts.shape[1])) % kept] = counts
    memory.heard[0] += counts.shape[1]
    known = memory.counts[:, : min(int(memory.heard[0]), kept)]
    at = int(LOW * known.shape[1])
    usual = np.partition(known, at, axis=1)[:, at].astype(float)
    limits: Doubles = usual + np.maximum(NEAR, BEYOND * np.sqrt(usual))
    return limits


class Screen(NamedTuple):
    """Sums of groups, and what they are judged by."""

    rows: Floats  # [items, G, w]
    members: Longs  # [G]
    accepted: Bools  # [G]
    levels: float  # of numbers in messages; 0: they are not rounded
    limits: Doubles  # [items], of counts


def _spread(seen: Screen) -> tuple[Spread, Bools]:
    """What is usual among accepted groups, and which rows of which groups are out of bounds, [items, G]."""
    shape = seen.rows.shape[:2]
    lengths, distances = np.empty(shape), np.empty(shape)
    _look_at(*seen, lengths, distances, batch=len(lengths))
    found = [each[~np.isnan(each)] for each in (lengths, distances)]
    spread = Spread(*(float(np.median(each)) if len(each) else np.inf for each in found))
    refused = (seen.rows[:, :, -2] > 0) & np.isnan(lengths)
    return spread, refused | (lengths > LONG * spread.length) | (distances > NEAR * spread.distance)


def _usual(seen: Screen) -> Bools:
    """Which of the accepted groups have few rows that are out of bounds."""
    _, odd = _spread(seen)
    summed = (seen.rows[:, :, -2] > 0).sum(axis=0)
    usual: Bools = seen.accepted & (odd.sum(axis=0) <= ODD * summed)
    return usual


def _levels(bits: int) -> float:
    return float(2 ** (bits - 1) - 1 if bits < 32 else 0)


def compile_screen(sums: Numerators) -> None:
    """Compile, or load from the cache, what `screen` needs."""
    items, groups, row = sums.rows.shape
    ones = np.ones(groups, np.int64), np.ones(groups, np.bool_)
    seen, each = Screen(sums.rows, *ones, 0.0, np.empty(items)), np.empty((items, groups))
    _look_at.compile(*seen, each, each, batch=items)
    _combine_all.compile(*seen, Spread(0.0, 0.0), np.empty((items, row), np.float32), batch=items)


def screen(sums: Numerators, members: Longs, bits: int, memory: Memory) -> tuple[Floats, Floats]:
    """The robust sum of groups with so many `members` [G] each: rows [items, w] and head [h].

    Numbers of rows are heard in messages of so many `bits` a number. If no group is accepted, all is 0.
    """
    sound, rows = _sound(sums, members), np.zeros(sums.rows.shape[::2], np.float32)
    nothing = rows, np.zeros(sums.head.shape[1], np.float32)
    if not sound.any():
        return nothing
    limits = _limits(memory, sums.rows[:, sound, -1])
    seen = Screen(sums.rows, members, sound, _levels(bits), limits)
    accepted = _usual(seen)
    if not accepted.any():
        return nothing
    seen = seen._replace(accepted=accepted)
    _combine_all(*seen, _spread(seen)[0], rows, batch=len(rows))
    return rows, _heads(sums.head[accepted])
