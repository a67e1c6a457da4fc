"""People: what each person keeps to themselves."""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.kernels import helper
from sottovoce.state.tables import Bools, Doubles, Floats, Ints, Longs


class People(NamedTuple):
    """U people with what they keep to themselves: their vector, their data, their progress."""

    user: Floats  # [U, p]
    key: Longs  # [U], what a person's random numbers are keyed with: the same number on any machine
    steps: Ints  # [U], how often each person has trained
    indptr: Longs  # [U + 1], where each person's interactions begin
    item: Ints  # their items, in order of time
    value: Floats  # their ratings, or 1
    weighting_indptr: Longs  # [U + 1], where each person's weighting set begins
    weighting: Ints  # items set aside to judge models by
    candidates: Ints  # [weighting, C], items that each of them is ranked among; -1 where there are no more
    heard: Ints  # [U, m], whose models a person has received, the best first; -1 where there are no more
    liked: Floats  # [U, m], how good they were for the person
    relayed: Bools  # [U], whose models others pass on as they are; empty: nobody's
    spent: Doubles  # [U], seconds of work for each person so far
    first: Longs  # [T + 1], where each slot's people begin in `member`
    member: Ints  # [U], people by the slot that hosts them
    here: Ints  # [U], the item where each person is, -1: unknown
    away: Ints  # [U], seconds since the person was there
    # Where they were, for models that need to know; otherwise these are empty.
    before: Ints  # the item met before each interaction, -1: unknown
    gap: Ints  # and how many seconds passed since
    weighting_before: Ints  # the same for the weighting set
    weighting_gap: Ints
    place: Floats  # [items, 3], where on the unit sphere an item is, NaN: unknown; known to everybody
    optimizer: Floats  # [U, m], optimizer state that people keep between trainings; m is 0 for most models


@helper
def set_location(people, person, item, seconds):
    """Put a person where `item` is, met so many seconds ago."""
    people.here[person] = item
    people.away[person] = seconds


@helper
def remember(people, person, sender, quality):
    """Note how good a sender's model was, in place of what was known of it; the worst may be forgotten.

    The list is sorted by quality, and of equals the latest stands first.
    """
    heard, liked = people.heard[person], people.liked[person]
    last = len(heard) - 1
    at = last
    for n in range(last):
        if heard[n] == sender:
            at = n
    if heard[at] >= 0 and heard[at] != sender and liked[at] > quality:
        return
    for n in range(at, last):
        heard[n], liked[n] = heard[n + 1], liked[n + 1]
    heard[last] = -1
    at = last
    while at > 0 and (heard[at - 1] < 0 or liked[at - 1] <= quality):
        heard[at], liked[at] = heard[at - 1], liked[at - 1]
        at -= 1
    heard[at], liked[at] = sender, quality


def people(
    user_size: int,
    indptr: Longs,
    item: Ints,
    value: Floats,
    host: Ints,
    slots: int,
    weighting: Any = None,
    candidates: Ints | None = None,
    remembered: int = 0,
    places: Any = None,
    optimizer: int = 0,
) -> People:
    """People with this data, each hosted by a slot; `weighting` has an `indptr` and an `item` too.

    Each person remembers the models of `remembered` senders. `places` are what `data.places.known` found.
    `optimizer` is the model's `optimizer_size`.
    """
    count = len(indptr) - 1
    none = np.empty(0, np.int32)
    where = {
        "here": np.full(count, -1, np.int32),
        "away": np.zeros(count, np.int32),
        "before": none,
        "gap": none,
        "weighting_before": none,
        "weighting_gap": none,
        "place": np.empty((0, 3), np.float32),
    }
    order = np.argsort(host, kind="stable").astype(np.int32)
    return People(
        user=np.zeros((count, user_size), np.float32),
        key=np.arange(count, dtype=np.int64),
        steps=np.zeros(count, np.int32),
        indptr=indptr.astype(np.int64),
        item=item.astype(np.int32),
        value=value.astype(np.float32),
        weighting_indptr=np.zeros(count + 1, np.int64) if weighting is None else weighting.indptr,
        weighting=none if weighting is None else weighting.item,
        candidates=np.empty((0, 0), np.int32) if candidates is None else candidates,
        heard=np.full((count, remembered), -1, np.int32),
        liked=np.zeros((count, remembered), np.float32),
        relayed=np.empty(0, np.bool_),
        spent=np.zeros(count),
        first=np.searchsorted(host[order], np.arange(slots + 1)).astype(np.int64),
        member=order,
        **(where if places is None else places._asdict()),
        optimizer=np.zeros((count, optimizer), np.float32),
    )
