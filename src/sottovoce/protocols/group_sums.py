"""The first numerators of push-sum: contributions of single people, or sums over masked groups.

A masked group makes two sums (`exchange.secure`). The first tells how many people contribute to each row, and
how large their numbers are. A row takes part in the second sum only if it has `fewest` contributors even
after `spare` of them dropped out. The numerators of a row end with the weight of those whose numbers are in
it, and of all who contributed, withheld rows included: `complete` then makes up for what is withheld, as if
it were like the rest. Numbers of a row become integers in steps that are as fine as the modulus allows for so
many contributors: with a bound B on the size of numbers, a row of n contributors has

    v  →  rint(L · min(max(v / B, −1), 1)),   L = ⌊(2^(bits − 1) − 1) / n⌋.

B is `ROOM` times the mean over people of their largest number. So nobody can add more than B to a row.
The last number of a row and the numbers of the head are fixed-point numbers of 32 and of 64 bits.

Masks cancel exactly in sums of integers, so no masks are drawn here. The clients of `exchange.secure` sum
fixed-point numbers; they do not have these steps for each row yet.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.update import local_update
from sottovoce.kernels import driver, helper, prange
from sottovoce.protocols.contribution import write_head, write_row
from sottovoce.state import Ints, Longs
from sottovoce.state.scratch import room_for_update

PLACES = 20
"""Binary places of the head's numbers, and of a person's largest number."""
COUNT_PLACES = 10
"""Binary places of the last number of a row."""
ROOM = 4.0
"""How many times the mean of people's largest numbers a number may have."""
HEAD_MOST = 2.0**42
"""The largest number of a head, times 2^PLACES: a million people cannot overflow 63 bits."""


class Groups(NamedTuple):
    """Who sums with whom, and where the sums go."""

    first: Longs  # [G + 1], where each group's people begin
    member: Ints  # people by group
    stays: Ints  # [members], 1: also in the second sum; 0: drops out after the first
    begins: Longs  # [G + 1], where the places begin that get each group's sum
    place: Ints  # places of numerators; each gets an equal part of the sum
    began: Longs  # [G], how many people each group had at first; more than members: it began again


class Masks(NamedTuple):
    """How groups sum."""

    fewest: int  # a row that is summed has so many contributors at least; 0: nobody masks anything
    spare: int  # even after so many people dropped out
    most: int  # 2^(bits − 1) − 1


@helper
def _grown(ids, values, needed):
    """Larger arrays with the same content, if there is no room for so many rows."""
    if needed <= len(ids):
        return ids, values
    size = max(needed, 2 * len(ids))
    more, larger = np.empty(size, np.int32), np.empty((size, values.shape[1]), np.float32)
    more[: len(ids)], larger[: len(ids)] = ids, values
    return more, larger


@helper
def _largest(values, head):
    """The largest of these numbers in size, counts aside; NaN or infinity if one of all is not finite."""
    most, odd = 0.0, 0.0
    for n in range(len(values)):
        for d in range(values.shape[1] - 1):
            most = max(most, abs(float(values[n, d])))
            odd += 0.0 * values[n, d]
        odd += 0.0 * values[n, values.shape[1] - 1]
    for d in range(len(head)):
        odd += 0.0 * head[d] if abs(float(head[d])) * 2.0**PLACES <= HEAD_MOST else np.inf
    return most + odd


@helper
def _plain(model, rule, steps, tables, slots, people, members, places, run, rows, head):
    """Everybody's contribution goes to their place as it is."""
    updates = room_for_update(tables, slots[members[0]])
    row, one = np.empty(rows.shape[2], np.float32), np.empty(head.shape[1], np.float32)
    for m in range(len(members)):
        person, place = members[m], places[m]
        number = people.steps[person]
        local_update(model, tables, slots[person], updates, 0, people, person, run)
        protect(steps, updates, 0, people, person, run, number)
        write_head(model, rule, updates, 0, one)
        for d in range(len(one)):
            head[place, d] += one[d]
        for n in range(updates.offset[1]):
            write_row(model, rule, updates, 0, n, row)
            for d in range(len(row)):
                rows[updates.ids[n], place, d] += row[d]


@helper
def _spread(sums, heads, counts, masks, levels_of, bound, places, rows, head):
    """Give each place its part of a group's sums."""
    part, last = 1.0 / len(places), sums.shape[1] - 1
    for place in places:
        for item in range(len(rows)):
            if counts[item] >= masks.fewest + masks.spare:
                step = part * bound / levels_of[item]
                for d in range(last):
                    rows[item, place, d] = step * sums[item, d]
                rows[item, place, last] = part * sums[item, last] / 2.0**COUNT_PLACES
                rows[item, place, last + 1] = rows[item, place, last]
            elif counts[item] > 0:
                rows[item, place, last + 1] = part * counts[item]
        for d in range(len(heads)):
            head[place, d] = part * heads[d] / 2.0**PLACES


@helper
def _masked(model, rule, steps, masks, tables, slots, people, members, stays, places, run, rows, head):
    """The sum of a group goes to the places, in equal parts; returns how many rows it has.

    There is no sum if too few take part.
    """
    updates, wide = room_for_update(tables, slots[members[0]]), rows.shape[2] - 1
    ids, values, used = np.empty(1024, np.int32), np.empty((1024, wide), np.float32), 0
    ends, heads = np.zeros(len(members) + 1, np.int64), np.empty((len(members), head.shape[1]), np.float32)
    counts, senders, peak, second = np.zeros(len(rows), np.int64), 0, 0, 0
    for m in range(len(members)):
        person = members[m]
        number = people.steps[person]
        local_update(model, tables, slots[person], updates, 0, people, person, run)
        protect(steps, updates, 0, people, person, run, number)
        ids, values = _grown(ids, values, used + updates.offset[1])
        write_head(model, rule, updates, 0, heads[m])
        for n in range(updates.offset[1]):
            ids[used + n] = updates.ids[n]
            write_row(model, rule, updates, 0, n, values[used + n])
        most = _largest(values[used : used + updates.offset[1]], heads[m])
        if updates.offset[1] > 0 and most < np.inf:  # whoever has nothing, or nothing finite, sends nothing
            for n in range(updates.offset[1]):
                counts[ids[used + n]] += 1
            used += updates.offset[1]
            senders, second = senders + 1, second + stays[m]
            peak += np.int64(np.ceil(most * 2.0**PLACES))
        ends[m + 1] = used
    if second < max(masks.fewest, 2) or second < senders - masks.spare:
        return 0
    bound = max(ROOM * peak / 2.0**PLACES / senders, 2.0**-PLACES)
    levels_of = masks.most // np.maximum(counts, 1)
    sums, total = np.zeros((len(rows), wide), np.int64), np.zeros(head.shape[1], np.int64)
    for m in range(len(members)):
        if stays[m] and ends[m + 1] > ends[m]:
            for n in range(ends[m], ends[m + 1]):
                item = ids[n]
                if counts[item] >= masks.fewest + masks.spare:
                    levels = float(levels_of[item])
                    for d in range(wide - 1):
                        scaled = min(max(float(values[n, d]) / bound, -1.0), 1.0)
                        sums[item, d] += np.int64(np.rint(levels * scaled))
                    sums[item, wide - 1] += np.int64(np.rint(float(values[n, wide - 1]) * 2.0**COUNT_PLACES))
            for d in range(len(total)):
                total[d] += np.int64(np.rint(float(heads[m, d]) * 2.0**PLACES))
    _spread(sums, total, counts, masks, levels_of, bound, places, rows, head)
    return np.count_nonzero(counts >= masks.fewest + masks.spare)


@helper
def _group(model, rule, steps, masks, tables, slots, people, groups, g, run, rows, head, summed):
    members = groups.member[groups.first[g] : groups.first[g + 1]]
    places = groups.place[groups.begins[g] : groups.begins[g + 1]]
    if len(members) and len(places):
        if masks.fewest == 0:
            _plain(model, rule, steps, tables, slots, people, members, places, run, rows, head)
        else:
            stays = groups.stays[groups.first[g] : groups.first[g + 1]]
            summed[g] = _masked(
                model, rule, steps, masks, tables, slots, people, members, stays, places, run, rows, head
            )


@driver
def contribute(model, rule, steps, masks, tables, slots, people, groups, run, rows, head, summed):
    """Let people contribute: write the numerators `rows` [items, places, w], `head` [places, h], which are 0.

    `slots` [U] tells each person's model. Without masks the places of a group are those of its members.
    `summed` [G] takes how many rows each masked sum has.
    """
    for g in prange(len(groups.first) - 1):
        _group(model, rule, steps, masks, tables, slots, people, groups, g, run, rows, head, summed)


@helper
def _complete_item(own):
    """Complete the rows [N, w + 1] of an item."""
    weight = own.shape[1] - 2
    for node in range(len(own)):
        there, all_of_them = own[node, weight], own[node, weight + 1]
        factor = all_of_them / there if there > 0 else np.float32(0)
        for d in range(weight):
            own[node, d] *= factor
        own[node, weight] = all_of_them if there > 0 else -all_of_them


@driver
def complete(rows):
    """Scale numerators `rows` [items, N, w + 1] from those whose numbers are in them to all contributors.

    Where all numbers are withheld, the count of contributors becomes negative.
    """
    for item in prange(len(rows)):
        _complete_item(rows[item])
