"""People: what each person keeps to themselves, and what a receiver notes about its messages."""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.kernels import helper
from sottovoce.state.tables import Bools, Doubles, Floats, Ints, Longs


class Weighting(NamedTuple):
    """Weighting sets: items that people withhold from training to judge models by (validation sets)."""

    indptr: Longs  # [U + 1], where each person's items begin
    item: Ints  # [n]
    candidates: Ints  # [n, C], items that each of them is ranked among; -1 where there are no more
    before: Ints  # [n], the item met before each of them, -1: unknown; empty if no model asks
    gap: Ints  # [n], the seconds since then


class People(NamedTuple):
    """U people: their vectors, their data, how often they have trained, and where they are hosted.

    `before`, `gap` and `place` are empty unless the model looks at where people are.
    """

    user: Floats  # [U, p], the person's vector
    key: Longs  # [U], what a person's random numbers are keyed with: the same number on any machine
    steps: Ints  # [U], how often each person has trained
    indptr: Longs  # [U + 1], where each person's interactions begin
    item: Ints  # their items, in order of time
    value: Floats  # their ratings, or 1
    first: Longs  # [T + 1], where each slot's people begin in `member`
    member: Ints  # people by the slot that hosts them
    here: Ints  # [U], the item where each person is, -1: unknown
    away: Ints  # [U], seconds since the person was there
    before: Ints  # the item met before each interaction, -1: unknown
    gap: Ints  # and the seconds since then
    place: Floats  # [items, 3], where on the unit sphere an item is, NaN: unknown; known to everybody
    # `Weighting`, flat: tuples inside tuples cannot enter a parallel loop.
    weighting_indptr: Longs
    weighting_item: Ints
    weighting_candidates: Ints
    weighting_before: Ints
    weighting_gap: Ints
    optimizer: Floats  # [U, m], optimizer state that people keep between trainings; m is 0 for most models
    disclosed: Ints  # [U], how many updates with noise have left each person; see `privacy`


class Receivers(NamedTuple):
    """What receivers of messages know and note."""

    heard: Ints  # [U, m], whose models a person has received, the best first; -1 where there are no more
    quality: Floats  # [U, m], how good these models were for the person
    relayed: Bools  # [T], senders whose models others pass on as they are; empty: nobody's
    spent: Doubles  # [U], seconds of work for each person so far


@helper
def set_location(people, person, item, seconds):
    """Put a person where `item` is, met this many seconds ago."""
    people.here[person] = item
    people.away[person] = seconds


@helper
def remember(receivers, person, sender, quality):
    """Note how good a sender's model was. It replaces what was noted of that sender, or the worst.

    The list is sorted by quality; among equals the latest stands first.
    """
    heard, qualities = receivers.heard[person], receivers.quality[person]
    last = len(heard) - 1
    at = last
    for n in range(last):
        if heard[n] == sender:
            at = n
    if heard[at] >= 0 and heard[at] != sender and qualities[at] > quality:
        return
    for n in range(at, last):
        heard[n], qualities[n] = heard[n + 1], qualities[n + 1]
    heard[last] = -1
    at = last
    while at > 0 and (heard[at - 1] < 0 or qualities[at - 1] <= quality):
        heard[at], qualities[at] = heard[at - 1], qualities[at - 1]
        at -= 1
    heard[at], qualities[at] = sender, quality


def new_receivers(people: int, remembered: int = 0, relayed: Bools | None = None) -> Receivers:
    """Receivers that have noted nothing yet; each person remembers `remembered` senders."""
    return Receivers(
        heard=np.full((people, remembered), -1, np.int32),
        quality=np.zeros((people, remembered), np.float32),
        relayed=np.empty(0, np.bool_) if relayed is None else relayed,
        spent=np.zeros(people),
    )


def new_weighting(people: int, part: Any = None, candidates: Ints | None = None) -> Weighting:
    """The weighting sets in `part`, which has an `indptr` and an `item`; None: nobody has one."""
    none = np.empty(0, np.int32)
    return Weighting(
        indptr=np.zeros(people + 1, np.int64) if part is None else part.indptr.astype(np.int64),
        item=none if part is None else part.item.astype(np.int32),
        candidates=np.empty((0, 0), np.int32) if candidates is None else candidates,
        before=none,
        gap=none,
    )


def new_people(
    user: int,
    indptr: Longs,
    item: Ints,
    value: Floats,
    hosts: Any,
    weighting: Weighting | None = None,
    places: Any = None,
    optimizer: int = 0,
) -> People:
    """People who have learnt nothing: vectors of `user` numbers, their data, and the slots that host them.

    `hosts` has `first` and `member` as in `People`. `places` is what `data.places.known` found.
    `optimizer` is the model's `optimizer_size`.
    """
    count, none = len(indptr) - 1, np.empty(0, np.int32)
    aside = new_weighting(count) if weighting is None else weighting
    if places is not None:
        aside = aside._replace(before=places.weighting_before, gap=places.weighting_gap)
    return People(
        user=np.zeros((count, user), np.float32),
        key=np.arange(count, dtype=np.int64),
        steps=np.zeros(count, np.int32),
        indptr=indptr.astype(np.int64),
        item=item.astype(np.int32),
        value=value.astype(np.float32),
        first=hosts.first,
        member=hosts.member,
        here=np.full(count, -1, np.int32) if places is None else places.here,
        away=np.zeros(count, np.int32) if places is None else places.away,
        before=none if places is None else places.before,
        gap=none if places is None else places.gap,
        place=np.empty((0, 3), np.float32) if places is None else places.place,
        **{f"weighting_{name}": array for name, array in aside._asdict().items()},
        optimizer=np.zeros((count, optimizer), np.float32),
        disclosed=np.zeros(count, np.int32),
    )


class Hosts(NamedTuple):
    """Which people each of T slots hosts. A person may be hosted by several slots."""

    first: Longs  # [T + 1], where each slot's people begin in `member`
    member: Ints  # people by slot

    @property
    def slots(self) -> int:
        """T, the number of slots."""
        return len(self.first) - 1


def each_alone(people: int) -> Hosts:
    """A slot for every person."""
    return Hosts(np.arange(people + 1, dtype=np.int64), np.arange(people, dtype=np.int32))


def all_together(people: int) -> Hosts:
    """One slot for everybody."""
    return Hosts(np.array([0, people], np.int64), np.arange(people, dtype=np.int32))


def hosted_by(slot: Ints, slots: int) -> Hosts:
    """Hosts from the slot of each person, [U]."""
    order = np.argsort(slot, kind="stable").astype(np.int32)
    return Hosts(np.searchsorted(slot[order], np.arange(slots + 1)).astype(np.int64), order)


def slots_of(people: People) -> Ints:
    """The slot that hosts each person, [U]; of several the last."""
    slot = np.empty(len(people.steps), np.int32)
    slot[people.member] = np.repeat(np.arange(len(people.first) - 1, dtype=np.int32), np.diff(people.first))
    return slot
