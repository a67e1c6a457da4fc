"""The items that a node recommends."""

from typing import NamedTuple

import numpy as np

from sottovoce.errors import DataError, RunError
from sottovoce.node import drivers
from sottovoce.node.community import Community
from sottovoce.state import People, Tables


class Recommended(NamedTuple):
    """An item that a node recommends."""

    item: str
    score: float


def best(
    community: Community, tables: Tables, people: People, n: int, here: str | None, seconds: int
) -> list[Recommended]:
    """The n best items that the person does not have; see `Node.recommend`."""
    if not isinstance(n, int) or n < 1:
        raise RunError(f"{n} recommendations were asked for.", "Ask for one, or more.")
    catalogue = community.items
    if here is not None:
        if here not in community.number:
            raise DataError(f"{here!r} is not in the community's catalogue.", "Name an item that is.")
        if not 0 <= seconds < 2**31:
            raise DataError(f"{seconds} seconds are not a time since then.", "Give a number from 0 on.")
        people = people._replace(
            here=np.array([community.number[here]], np.int32), away=np.array([seconds], np.int32)
        )
    items = np.full(min(n, len(catalogue)), -1, np.int32)
    top, scores = np.full(len(items), np.nan, np.float32), np.empty(len(catalogue), np.float32)
    drivers.find_best(community.model, tables, people, scores, items, top)
    found = zip(items.tolist(), top.tolist(), strict=True)
    return [Recommended(catalogue[item], score) for item, score in found if item >= 0]
