"""A synthetic community of any size with the statistics of MovieLens 100K.

Items belong to taste groups. Their popularity follows a power law with an exponential cut-off. A person has
three favourite groups, takes most items from them (popular ones more often) and the rest from all groups,
and never takes an item twice. The number of interactions per person follows a bounded power law. A rating
is the sum of the item's quality, the person's generosity, how well the item fits the person, and noise. It
is cut into five stars at the quantiles of MovieLens 100K.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.sampling import add, capacity, search
from sottovoce.kernels import SYNTHETIC, below, driver, helper, normal, prange, stream, uniform

ACTIVITY_EXPONENT, ACTIVITY_SPAN = (
    0.4,
    25.0,
)  # the most active person does up to 25 times as much as the least
SHARES = (0.55, 0.84, 0.94)  # cumulative shares of the favourite groups; the rest is from all groups
POPULARITY_EXPONENT, POPULARITY_SHIFT, POPULARITY_CUT = (
    0.72,
    0.006,
    0.20,
)  # shift and cut: shares of all items
GENEROSITY, QUALITY, FIT, CHANCE = 0.40, 0.50, 0.35, 0.70  # standard deviations of the parts of a rating
CHOSEN = 0.6  # how much better than the average item the items people take are, on average
CUTS = np.array([-1.545, -0.935, -0.135, 0.800])
FIRST_DAY, DAYS = 874_724_710, 215  # as in MovieLens 100K: September 1997 to April 1998
CITY, DISTRICT, STREET = (45.07, 7.69), 0.04, 0.01  # degrees: centre, spread of groups, spread in a group
TRIES = 24  # draws; a person who has nearly everything then takes the next free item

(
    _ACTIVITY,
    _RANK,
    _GROUP,
    _QUALITY,
    _TONE,
    _NORTH,
    _EAST,
    _GROUP_NORTH,
    _GROUP_EAST,
    _TASTE,
    _CHOICE,
    _RATING,
    _TIME,
) = range(13)


class Goods(NamedTuple):
    """The items. Those of a group are at adjacent positions."""

    member: NDArray[np.int32]  # [items], the item at each position
    first: NDArray[np.int64]  # [groups + 1], the position at which each group begins
    reach: NDArray[np.float64]  # [items], cumulative popularity by position
    group: NDArray[np.int32]  # [items], the group of each item
    quality: NDArray[np.float64]  # [items], standard normal
    tone: NDArray[np.float64]  # [items], standard normal: some people like it, others dislike it


def activity(run: int, users: int, items: int, mean: float) -> NDArray[np.int64]:
    """The number of interactions of each person, from a bounded power law: [users].

    The quantiles of the distribution are shuffled among people, so that the total is the same for all
    seeds.
    """
    low, high = 0.0, mean
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean_activity(middle, items) < mean else (low, middle)
    ticket = uniforms(run, _ACTIVITY, users)
    quantile = (np.argsort(np.argsort(ticket, kind="stable")) + 0.5) / users
    share = (low / _most(low, items)) ** ACTIVITY_EXPONENT
    amount = low * (1 - quantile * (1 - share)) ** (-1 / ACTIVITY_EXPONENT)
    counts: NDArray[np.int64] = np.clip(np.rint(amount), 1, items // 2).astype(np.int64)
    return counts


def _most(least: float, items: int) -> float:
    return min(least * ACTIVITY_SPAN, items / 2)


def _mean_activity(least: float, items: int) -> float:
    """The mean of the bounded power law."""
    a, most = ACTIVITY_EXPONENT, _most(least, items)
    if most <= least:
        return least
    share = float((least / most) ** a)
    return a / (1 - a) * (most * share - least) / (1 - share)


def goods(run: int, items: int, groups: int) -> Goods:
    """Draw the items, with groups, popularity, quality and tone."""
    rank = np.argsort(np.argsort(uniforms(run, _RANK, items), kind="stable")).astype(np.float64)
    head = (rank / items + POPULARITY_SHIFT) ** -POPULARITY_EXPONENT
    weight = head * np.exp(-rank / (POPULARITY_CUT * items))
    # The power makes early groups larger.
    group = (groups * uniforms(run, _GROUP, items) ** 1.3).astype(np.int32)
    member = np.argsort(group, kind="stable").astype(np.int32)
    first = np.searchsorted(group[member], np.arange(groups + 1)).astype(np.int64)
    # Better items are more popular, a little less so than in MovieLens 100K.
    fame = (items / 2 - rank) / (items / math.sqrt(12))
    quality = 0.5 * fame + math.sqrt(0.75) * normals(run, _QUALITY, items)
    return Goods(member, first, np.cumsum(weight[member]), group, quality, normals(run, _TONE, items))


def coordinates(run: int, goods: Goods) -> NDArray[np.float32]:
    """[items, 2]: latitude and longitude in degrees. Each group has a district."""
    groups, items = len(goods.first) - 1, len(goods.member)
    axes = ((_GROUP_NORTH, _NORTH), (_GROUP_EAST, _EAST))
    offsets = [
        DISTRICT * normals(run, of_group, groups)[goods.group] + STREET * normals(run, of_item, items)
        for of_group, of_item in axes
    ]
    return (np.array(CITY) + np.stack(offsets, axis=1)).astype(np.float32)


def uniforms(run: int, step: int, count: int) -> NDArray[np.float64]:
    """[count]: random numbers in [0, 1)."""
    out = np.empty(count)
    draw_uniforms(run, step, out, batch=count)
    return out


def normals(run: int, step: int, count: int) -> NDArray[np.float64]:
    """[count]: standard normal random numbers."""
    out = np.empty(count)
    draw_normals(run, step, out, batch=count)
    return out


@driver
def draw_uniforms(run, step, out):
    """Fill `out` with random numbers in [0, 1)."""
    for n in prange(len(out)):
        out[n] = uniform(stream(run, SYNTHETIC, n, step), 0)


@driver
def draw_normals(run, step, out):
    """Fill `out` with standard normal random numbers."""
    for n in prange(len(out)):
        out[n] = normal(stream(run, SYNTHETIC, n, step), 0)


@helper
def pick(goods, begin, end, chance):
    """A position in [begin, end), with probability proportional to popularity. `chance` is in [0, 1)."""
    below_it = goods.reach[begin - 1] if begin > 0 else 0.0
    aim = below_it + chance * (goods.reach[end - 1] - below_it)
    return min(search(goods.reach, begin, end, aim), end - 1)


@helper
def choose(goods, favourite, key, count, item):
    """Fill `item` [count] with distinct items that fit the person's taste."""
    items = len(goods.member)
    taken = np.full(capacity(count), -1, np.int32)
    used = 0
    for n in range(count):
        found = False
        for attempt in range(TRIES):
            begin, end = 0, items
            share = uniform(key, used)
            for f in range(len(favourite)):
                # After half of the tries, the person looks beyond the favourite groups.
                if share < SHARES[f] and attempt < TRIES // 2:
                    begin, end = goods.first[favourite[f]], goods.first[favourite[f] + 1]
                    break
            item[n] = goods.member[pick(goods, begin, end, uniform(key, used + 1))]
            used += 2
            found = add(taken, item[n])
            if found:
                break
        if not found:
            item[n] = below(key, used, items)
            used += 1
            while not add(taken, item[n]):
                item[n] = (item[n] + 1) % items
    for n in range(count - 1, 0, -1):
        other = below(key, used + n, n + 1)
        item[n], item[other] = item[other], item[n]


@helper
def stars(goods, favourite, key, item, value):
    """Write the person's ratings of `item`, 1 to 5, to `value`."""
    generosity, leaning = GENEROSITY * normal(key, 0), normal(key, 1)
    for n in range(len(item)):
        j = item[n]
        liked = 0.5 if goods.group[j] == favourite[0] else 0.0
        fit = FIT * (leaning * goods.tone[j] + liked)
        whole = generosity + QUALITY * (goods.quality[j] - CHOSEN) + fit + CHANCE * normal(key, 2 + n)
        value[n] = 1 + search(CUTS, 0, len(CUTS), whole)


@driver
def fill(run, goods, indptr, item, value, time):
    """Draw the items, ratings and times (seconds since 1970) of all people."""
    for person in prange(len(indptr) - 1):
        begin, end = indptr[person], indptr[person + 1]
        taste = stream(run, SYNTHETIC, person, _TASTE)
        favourite = np.empty(len(SHARES), np.int32)
        for f in range(len(favourite)):
            favourite[f] = goods.group[goods.member[pick(goods, 0, len(goods.member), uniform(taste, f))]]
        choose(goods, favourite, stream(run, SYNTHETIC, person, _CHOICE), end - begin, item[begin:end])
        stars(goods, favourite, stream(run, SYNTHETIC, person, _RATING), item[begin:end], value[begin:end])
        clock = stream(run, SYNTHETIC, person, _TIME)
        now = FIRST_DAY + below(clock, 0, DAYS * 86400)
        for n in range(end - begin):
            time[begin + n] = now
            pause = -math.log(1 - uniform(clock, 2 * n + 1))
            # Usually seconds later in the same session, sometimes days later in the next one.
            now += int(pause * (3 * 86400 if uniform(clock, 2 * n + 2) < 0.02 else 20))
