"""The two axes of state: tables, which are models of items, and people, who train on them.

Gossip has a table for every person, central training one for all, clusters something between,
and a federated client a table of just the rows it touches. Every operation takes a slot (which
table) and a person as two separate arguments.
"""

import functools
import re
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import constant, helper, inlined

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Doubles = NDArray[np.float64]
Bools = NDArray[np.bool_]


class _Arrays(NamedTuple):
    rows: NDArray[Any]  # [R, w], all models' rows: float32, or bfloat16 in uint16 (see `kernels.load`)
    age: NDArray[Any]  # [R], how often each row was updated: int32, or uint16, which stays at its highest
    head: Floats  # [T, h], weights that belong to no item
    clock: Ints  # [T], how often each model was trained
    size: Ints  # [T], how many interactions the people it is trained by hold
    offset: Longs  # [T + 1], where each model's rows begin
    ids: Ints  # [R], the item of each row; empty when row j is item j
    where: Ints = np.empty((0, 0), np.int32)  # [T, items], where indexed tables have an item, if they do


class Tables(_Arrays):
    """T models of items, one after the other in flat arrays. All of it may be shared with others.

    Instances belong to a subclass that `table_type` makes, so that the row width, the layout and the
    storage are part of the type: compiled loops over a row have a constant length.
    """

    __slots__ = ()
    width: ClassVar[int]
    layout: ClassVar[str]
    storage: ClassVar["Storage"]

    @property
    def slots(self) -> int:
        """How many models there are."""
        return len(self.clock)


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


LAYOUTS = "whole", "gathered", "indexed"
Storage = Literal["float32", "bfloat16"]
STORAGES: dict[str, tuple[Any, Any]] = {"float32": (np.float32, np.int32), "bfloat16": (np.uint16, np.uint16)}
"""What rows and ages are kept in. Models only ever see float32: see `storage.opened`."""


def __getattr__(name: str) -> Any:
    """`Whole6`, `Gathered6`, `Whole6Bfloat16`: the classes that `table_type` makes, found by name.

    Numba's cache refers to a class by its module and name.
    """
    found = re.fullmatch(r"([A-Z][a-z]+)(\d+)(Bfloat16)?", name, re.ASCII)
    if found and found[1].lower() in LAYOUTS:
        return table_type(int(found[2]), found[1].lower(), (found[3] or "float32").lower())
    raise AttributeError(name)


def table_type(width: int, layout: str, storage: str = "float32") -> type[Tables]:
    """The class of tables with rows of this width: whole, or of some items' rows only.

    Gathered tables have ascending ids, in which an item is searched for; indexed ones know where
    each item's row is, which takes memory for every item.
    """
    return _table_type(width, layout, storage)


@functools.cache
def _table_type(width: int, layout: str, storage: str) -> type[Tables]:
    members = {"width": width, "layout": layout, "storage": storage, "__slots__": (), "__module__": __name__}
    short = "" if storage == "float32" else storage.capitalize()
    return type(f"{layout.capitalize()}{width}{short}", (Tables,), members)


@constant
def width(tables: Any) -> int:
    """The length of a row, known at compile time."""
    return int(tables.width)


@constant
def is_gathered(tables: Any) -> int:
    """Whether tables hold only some rows, known at compile time."""
    return int(tables.layout != "whole")


@constant
def is_indexed(tables: Any) -> int:
    """Whether tables know where an item's row is, known at compile time."""
    return int(tables.layout == "indexed")


@inlined
def locate(tables, slot, item):
    """Where the row of `item` lies in `tables.rows`; -1 if gathered tables do not hold it.

    Indexed tables must hold it: a look whether they do costs more than all the rest of a training.
    """
    low = tables.offset[slot]
    if not is_gathered(tables):
        return low + item
    if is_indexed(tables):
        return np.int64(tables.where[slot, item])
    high = tables.offset[slot + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if tables.ids[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low if low < end and tables.ids[low] == item else -1


@inlined
def hold(tables, slot, items):
    """Make the rows of these items part of a model in indexed tables, where they are not yet."""
    ids, where = tables.ids, tables.where[slot]
    begin, end = tables.offset[slot], tables.offset[slot + 1]
    for item in items:
        row = where[item]
        if not (begin <= row < end and ids[row] == item):
            ids[end] = item
            where[item] = end
            end += 1
    tables.offset[slot + 1] = end


@helper
def stand(people, person, item, seconds):
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


@inlined
def dot_at(a, b, begin, count):
    """The product of `a` and `b[begin:]`, summed in four lanes: in a fixed order, yet it vectorises."""
    s0 = s1 = s2 = s3 = np.float32(0)
    even = count - count % 4
    for d in range(0, even, 4):
        s0 += a[d] * b[begin + d]
        s1 += a[d + 1] * b[begin + d + 1]
        s2 += a[d + 2] * b[begin + d + 2]
        s3 += a[d + 3] * b[begin + d + 3]
    for d in range(even, count):
        s0 += a[d] * b[begin + d]
    return (s0 + s1) + (s2 + s3)


@inlined
def dot(a, b, count):
    """The product of two vectors."""
    return dot_at(a, b, 0, count)


@inlined
def flat(tables, slot):
    """The rows of a whole table, one after the other: loops over them vectorise, which views hinder."""
    begin, end = tables.offset[slot], tables.offset[slot + 1]
    return tables.rows[begin:end].reshape((end - begin) * width(tables))


@inlined
def between(mine, theirs, share):
    """From `mine` towards `theirs`: exactly there for share 1, exactly nowhere for 0 or if they are equal.

    So what counts for nothing does no harm either, be it infinite or no number at all.
    """
    moved = mine + share * (theirs - mine)
    return mine if share == 0 else theirs if share == 1 else moved


def whole(slots: int, items: int, width: int, head: int, storage: Storage = "float32") -> Tables:
    """Tables that hold a row for every item. Memory is only committed when it is written."""
    number, count = STORAGES[storage]
    return table_type(width, "whole", storage)(
        rows=np.empty((slots * items, width), number),
        age=np.zeros(slots * items, count),
        head=np.zeros((slots, head), np.float32),
        clock=np.zeros(slots, np.int32),
        size=np.zeros(slots, np.int32),
        offset=np.arange(slots + 1, dtype=np.int64) * items,
        ids=np.empty(0, np.int32),
    )


def gathered(lengths: Sequence[int] | Longs, width: int, head: int, items: int = 0) -> Tables:
    """Tables that hold so many rows each; `ids`, which must ascend in each, are still to be filled in.

    Given the size of the catalogue, `items`, they are indexed: `ids` need not ascend, and `where`
    is still to be filled in too.
    """
    slots, total = len(lengths), int(np.sum(lengths))
    return table_type(width, "indexed" if items else "gathered")(
        rows=np.empty((total, width), np.float32),
        age=np.zeros(total, np.int32),
        head=np.zeros((slots, head), np.float32),
        clock=np.zeros(slots, np.int32),
        size=np.zeros(slots, np.int32),
        offset=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        ids=np.empty(total, np.int32),
        where=np.zeros((slots if items else 0, items), np.int32),
    )


def people(
    user_size: int,
    indptr: Longs,
    item: Ints,
    value: Floats,
    host: Ints,
    slots: int,
    weighting: Any = None,
    candidates: Ints | None = None,
    memory: int = 0,
    places: Any = None,
) -> People:
    """People with this data, each hosted by a slot; `weighting` has an `indptr` and an `item` too.

    They remember so many of those they hear from, `memory`. `places` are what `data.places.known` found.
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
        heard=np.full((count, memory), -1, np.int32),
        liked=np.zeros((count, memory), np.float32),
        relayed=np.empty(0, np.bool_),
        spent=np.zeros(count),
        first=np.searchsorted(host[order], np.arange(slots + 1)).astype(np.int64),
        member=order,
        **(where if places is None else places._asdict()),
    )
