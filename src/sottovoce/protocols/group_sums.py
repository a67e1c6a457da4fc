"""The first numerators of push-sum: contributions of single people, or sums over masked groups.

A masked group makes two sums (`exchange.secure.two_sums`). The first tells how many people contribute to each
row, and how large their numbers are. A row takes part in the second sum only if it has `fewest` contributors
even after `spare` of them dropped out. The numerators of a row end with the weight of those whose numbers are
in it, and of all who contributed, withheld rows included: `complete` then makes up for what is withheld, as
if it were like the rest. How numbers become integers is told in `exchange.secure.row_steps`: each person
clips to a bound B that follows from the first sum. Nobody checks that. Somebody who lies can fill the sum of
a row with n contributors up to about n B, where the modulus ends, and can make B itself large.

Masks cancel exactly in sums of integers, so none are drawn here: `_collect` gathers what the members
have, `_add_up` sums it, and real clients (`exchange.secure.row_steps.StepPlan`) come to the same integers.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.exchange.secure.ranges import (
    COUNT_PLACES,
    LARGEST,
    PLACES,
    bound,
    enough,
    largest_count,
    levels_of,
)
from sottovoce.kernels import driver, helper, inlined, operation, prange
from sottovoce.models.instances import room
from sottovoce.protocols.contribution import own_update, write_head, write_row
from sottovoce.state import Floats, Ints, Longs
from sottovoce.state.scratch import room_for_changes


class Groups(NamedTuple):
    """Who sums with whom, and where the sums go."""

    first: Longs  # [G + 1], where each group's people begin
    member: Ints  # people by group
    stays: Ints  # [members], 1: also in the second sum; 0: drops out after the first
    begins: Longs  # [G + 1], where the places begin that get each group's sum
    place: Ints  # places of numerators; each gets an equal part of the sum
    began: Longs  # [G], how many people each group had at first; more than members: it began again


class Unmasked(NamedTuple):
    """Nobody sums with anybody: a person's contribution goes to the own place."""


class Masks(NamedTuple):
    """How groups sum."""

    fewest: int  # a row that is summed has so many contributors at least
    spare: int  # even after so many people dropped out
    most: int  # 2^(bits − 1) − 1
    places: int = 0  # binary places of numbers that carry shares of noise; 0: none do
    least: int = 0  # a sum is of so many people at least, whoever drops out


@helper
def _grown(ids, values, needed):
    """Larger arrays with the same content, if there is no room for so many rows."""
    if needed <= len(ids):
        return ids, values
    size = max(needed, 2 * len(ids))
    more, larger = np.empty(size, np.int32), np.empty((size, values.shape[1]), np.float32)
    for n in range(len(ids)):
        more[n] = ids[n]
        for d in range(values.shape[1]):
            larger[n, d] = values[n, d]
    return more, larger


@helper
def _largest(values, head, people):
    """The largest of these numbers in size, counts aside; infinity if one of all is too large for a sum."""
    most, fits, last = 0.0, True, values.shape[1] - 1
    for n in range(len(values)):
        for d in range(last):
            number = abs(float(values[n, d]))
            fits &= number * 2.0**PLACES <= LARGEST  # not if it is NaN
            most = max(most, number)
        fits &= abs(float(values[n, last])) <= largest_count(people)
    for d in range(len(head)):
        fits &= abs(float(head[d])) * 2.0**PLACES <= LARGEST
    return most if fits else np.inf


@operation
def _sum(masks, model, rule, steps, tables, slots, people, members, stays, places, run, rows, head):
    """Write the contributions of a group to the places; returns how many rows its masked sum has."""


@_sum.rule(Unmasked)
def _plain(masks, model, rule, steps, tables, slots, people, members, stays, places, run, rows, head):
    """Everybody's contribution goes to their place as it is."""
    updates = room_for_changes(tables, len(rows), room(model, len(rows)))
    row, one = np.empty(rows.shape[2], np.float32), np.empty(head.shape[1], np.float32)
    for m in range(len(members)):
        person, place = members[m], places[m]
        own_update(model, steps, tables, slots[person], updates, people, person, run)
        write_head(model, rule, updates, 0, one)
        for d in range(len(one)):
            head[place, d] += one[d]
        for n in range(updates.offset[1]):
            write_row(model, rule, updates, 0, n, row)
            for d in range(len(row)):
                rows[updates.ids[n], place, d] += row[d]
    return 0


class Collected(NamedTuple):
    """What the members of a group have, and what the first sum tells of it."""

    ids: Ints  # [n], items of all members' rows, member by member
    values: Floats  # [n, w]
    ends: Longs  # [members + 1], where each member's rows end; who adds nothing has none
    heads: Floats  # [members, h]
    counts: Longs  # [items], contributors
    senders: int  # members who add something
    peak: int  # the sum of their largest numbers, times 2^PLACES


class Added(NamedTuple):
    """The second sum, in integers."""

    rows: Longs  # [items, w]
    head: Longs  # [h]
    counts: Longs  # [items], contributors in the first sum
    levels: Longs  # [items], L
    bound: float  # B
    last: float  # the step of the last number of a row


@helper
def _collect(model, rule, steps, masks, tables, slots, people, members, run, items, wide, long):
    """Let the members of a group contribute.

    Shares of noise hide a person in sums alone, so where they are added nobody tells their largest number.
    """
    updates = room_for_changes(tables, items, room(model, items))
    ids, values, used = np.empty(1024, np.int32), np.empty((1024, wide), np.float32), 0
    ends, heads = np.zeros(len(members) + 1, np.int64), np.empty((len(members), long), np.float32)
    counts, senders, peak = np.zeros(items, np.int64), 0, 0
    for m in range(len(members)):
        person = members[m]
        own_update(model, steps, tables, slots[person], updates, people, person, run)
        ids, values = _grown(ids, values, used + updates.offset[1])
        write_head(model, rule, updates, 0, heads[m])
        for n in range(updates.offset[1]):
            ids[used + n] = updates.ids[n]
            write_row(model, rule, updates, 0, n, values[used + n])
        most = 0.0
        if masks.places == 0:
            most = _largest(values[used : used + updates.offset[1]], heads[m], len(members))
        if updates.offset[1] > 0 and most < np.inf:  # who has nothing, or too large numbers, adds nothing
            for n in range(updates.offset[1]):
                counts[ids[used + n]] += 1
            used += updates.offset[1]
            senders, peak = senders + 1, peak + np.int64(np.ceil(most * 2.0**PLACES))
        ends[m + 1] = used
    return Collected(ids, values, ends, heads, counts, senders, peak)


@inlined
def _modulo(number, most):
    """A sum as masks leave it, between −most − 1 and most, which is one less than a power of 2."""
    return ((number + most + 1) & (2 * most + 1)) - most - 1 if most < 2**62 else number


@helper
def _add_up(masks, found, stays):
    """The second sum of a group, of those members who stay.

    Numbers with shares of noise stay as they are, multiples of 2^-places, and their sums are modulo 2^bits.
    """
    wide, most, noisy = found.values.shape[1], bound(found.peak, found.senders), masks.places > 0
    levels, last_step = levels_of(masks.most, found.counts), 2.0**-COUNT_PLACES
    if noisy:
        levels[:], most, last_step = 2**masks.places, 1.0, 2.0**-masks.places
    rows, head = np.zeros((len(found.counts), wide), np.int64), np.zeros(found.heads.shape[1], np.int64)
    for m in range(len(stays)):
        if stays[m] and found.ends[m + 1] > found.ends[m]:
            for n in range(found.ends[m], found.ends[m + 1]):
                item = found.ids[n]
                if found.counts[item] >= masks.fewest + masks.spare:
                    for d in range(wide - 1):
                        scaled = float(found.values[n, d]) / most
                        scaled = scaled if noisy else min(max(scaled, -1.0), 1.0)
                        rows[item, d] += np.int64(np.rint(float(levels[item]) * scaled))
                    rows[item, wide - 1] += np.int64(np.rint(float(found.values[n, wide - 1]) / last_step))
            for d in range(len(head)):
                head[d] += np.int64(np.rint(float(found.heads[m, d]) * 2.0**PLACES))
    for item in range(len(rows) if noisy else 0):
        for d in range(wide):
            rows[item, d] = _modulo(rows[item, d], masks.most if d < wide - 1 else max(masks.most, 2**31 - 1))
    return Added(rows, head, found.counts, levels, most, last_step)


@helper
def _spread(added, least, part, place, rows, head):
    """Give a place its part of a group's sums; rows with fewer contributors than `least` are withheld."""
    last = added.rows.shape[1] - 1
    for item in range(len(rows)):
        if added.counts[item] >= least:
            step = part * added.bound / added.levels[item]
            for d in range(last):
                rows[item, place, d] = step * added.rows[item, d]
            rows[item, place, last] = part * added.rows[item, last] * added.last
            rows[item, place, last + 1] = rows[item, place, last]
        elif added.counts[item] > 0:
            rows[item, place, last + 1] = part * added.counts[item]
    for d in range(len(added.head)):
        head[place, d] = part * added.head[d] / 2.0**PLACES


@_sum.rule(Masks)
def _masked(masks, model, rule, steps, tables, slots, people, members, stays, places, run, rows, head):
    """The sum of a group goes to the places, in equal parts.

    There is no sum if too few take part. More than half must stay, or masks would not be safe.
    """
    shape = len(rows), rows.shape[2] - 1, head.shape[1]
    found = _collect(model, rule, steps, masks, tables, slots, people, members, run, *shape)
    left, spare, least = len(stays) - np.sum(stays), masks.spare, masks.fewest + masks.spare
    few = not enough(found.senders, spare, max(masks.fewest, masks.least))
    if few or left > spare or 2 * spare >= len(stays):
        return 0
    added = _add_up(masks, found, stays)
    for place in places:
        _spread(added, least, 1.0 / len(places), place, rows, head)
    return np.count_nonzero(found.counts >= least)


@helper
def _group(model, rule, steps, masks, tables, slots, people, groups, g, run, rows, head, summed):
    members = groups.member[groups.first[g] : groups.first[g + 1]]
    places = groups.place[groups.begins[g] : groups.begins[g + 1]]
    stays = groups.stays[groups.first[g] : groups.first[g + 1]]
    if len(members) and len(places):
        summed[g] = _sum(
            masks, model, rule, steps, tables, slots, people, members, stays, places, run, rows, head
        )


@driver
def contribute(model, rule, steps, masks, tables, slots, people, groups, run, rows, head, summed):
    """Let people contribute: write the numerators `rows` [items, places, w], `head` [places, h], which are 0.

    `slots` [U] tells each person's model. `Unmasked`, the places of a group are those of its members.
    `summed` [G] takes how many rows each masked sum has.
    """
    for index in prange(len(groups.first) - 1):
        g = np.int64(index)
        _group(model, rule, steps, masks, tables, slots, people, groups, g, run, rows, head, summed)


@driver
def take(added, least, part, rows, head):
    """Write a member's part of the sums of its group: the numerators `rows` [items, 1, w], `head` [1, h]."""
    _spread(added, least, part, 0, rows, head)


@helper
def _complete_item(own):
    """Complete the rows [N, w + 1] of an item."""
    weight = own.shape[1] - 2
    for node in range(len(own)):
        there, all_of_them = own[node, weight], own[node, weight + 1]
        factor = all_of_them / there if there > 0 else np.float32(0)
        for d in range(weight):
            own[node, d] *= factor
        own[node, weight] = all_of_them if there > 0 else -max(all_of_them, np.float32(0))


@driver
def complete(rows):
    """Scale numerators `rows` [items, N, w + 1] from those whose numbers are in them to all contributors.

    Where all numbers are withheld, the count of contributors becomes negative.
    """
    for item in prange(len(rows)):
        _complete_item(rows[item])
