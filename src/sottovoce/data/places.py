"""Where people were before each interaction, for models of successive places.

A person's place before an interaction is the item of the previous interaction; the gap is the seconds
between them. Held-out items must not leak into training this way: the previous interaction of a training
interaction is the training interaction before it, that of a weighting interaction the last one of the
training or weighting set, and that of a test interaction the last one of the whole history, because the
person is there when the model predicts. Among interactions at the same time, training comes first, then
weighting. Without times, no places are known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Catalog, Interactions, in_order

Ints = NDArray[np.int32]
NOWHERE = -1


class Places(NamedTuple):
    """What each person's device knows about the person's places; see the fields of `state.People`."""

    here: Ints
    away: Ints
    before: Ints
    gap: Ints
    weighting_before: Ints
    weighting_gap: Ints
    place: NDArray[np.float32]


def known(train: Interactions, weighting: Interactions | None = None) -> Places:
    """All that training needs: each person's sequence of places, the last one, and the items' coordinates."""
    aside = weighting or train.take(np.zeros(len(train), np.bool_))
    person, item, _, _ = history(train, aside)
    here = np.full(train.people, NOWHERE, np.int32)
    if train.time.any():
        here[person] = item  # the last assignment wins
    away = np.zeros(train.people, np.int32)
    return Places(here, away, *before(train), *before(aside, train), _points(train.catalog))


def before(part: Interactions, *beside: Interactions) -> tuple[Ints, Ints]:
    """For each interaction of `part`: the previous item, and the seconds since then.

    The previous interaction can be in `part` or in one of the parts `beside`. -1 and 0 if there is none.
    """
    person, item, time, order = history(*beside, part)
    place, gap = np.full(len(item), NOWHERE, np.int32), np.zeros(len(item), np.int32)
    if time.any():
        follows = np.flatnonzero(person[1:] == person[:-1]) + 1
        place[order[follows]] = item[follows - 1]
        since = time[follows] - time[follows - 1]
        gap[order[follows]] = np.minimum(since, np.iinfo(np.int32).max)
    return place[len(item) - len(part) :], gap[len(item) - len(part) :]


def history(
    *parts: Interactions,
) -> tuple[NDArray[np.int64], Ints, NDArray[np.int64], NDArray[np.int64]]:
    """People, items and times of all parts, sorted by person and time, and the original rows."""
    person = np.concatenate([np.repeat(np.arange(part.people), np.diff(part.indptr)) for part in parts])
    item, time = (np.concatenate([getattr(part, name) for part in parts]) for name in ("item", "time"))
    order = in_order(person, time) if len(person) else np.empty(0, np.int64)
    return person[order], item[order], time[order], order


def _points(catalog: Catalog) -> NDArray[np.float32]:
    """[items, 3]: items as points on the unit sphere; NaN for items without coordinates.

    If the catalogue has no coordinates at all, all points are 0.
    """
    if catalog.coordinates is None:
        return np.zeros((len(catalog), 3), np.float32)
    latitude, longitude = np.radians(catalog.coordinates.astype(np.float64)).T
    level = np.cos(latitude)
    points = level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)
    return np.stack(points, 1).astype(np.float32)
