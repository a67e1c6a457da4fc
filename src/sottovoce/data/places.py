"""Where people were before each interaction, for models that look at it.

It is the item of the person's interaction before, and the seconds since then. What is held out must not
be trained on by this door: training interactions follow the training interaction before them, weighting
ones the last of either. A test interaction follows the last one of the whole history: when it is to be
foreseen, the person stands there. Among interactions at one time those of training come first, then
those of the weighting set. Where a source has no times, nobody is known to have been anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Catalog, Interactions, in_order

Ints = NDArray[np.int32]
NOWHERE = -1


class Places(NamedTuple):
    """What a person's device knows of where the person was; see the fields of `state.People`."""

    here: Ints
    away: Ints
    before: Ints
    gap: Ints
    weighting_before: Ints
    weighting_gap: Ints
    place: NDArray[np.float32]


def known(train: Interactions, weighting: Interactions | None = None) -> Places:
    """All that training needs: the way through the own data, where it ended, and where items are."""
    aside = weighting or train.take(np.zeros(len(train), np.bool_))
    person, item, _, _ = history(train, aside)
    here = np.full(train.people, NOWHERE, np.int32)
    if train.time.any():
        here[person] = item  # of several the last
    away = np.zeros(train.people, np.int32)
    return Places(here, away, *before(train), *before(aside, train), _points(train.catalog))


def before(part: Interactions, *beside: Interactions) -> tuple[Ints, Ints]:
    """The item before each interaction of `part`, by it and what is known `beside`, and the seconds since."""
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
    """Persons, items and times of all parts, by person and time, and which row each was."""
    person = np.concatenate([np.repeat(np.arange(part.people), np.diff(part.indptr)) for part in parts])
    item, time = (np.concatenate([getattr(part, name) for part in parts]) for name in ("item", "time"))
    order = in_order(person, time) if len(person) else np.empty(0, np.int64)
    return person[order], item[order], time[order], order


def _points(catalog: Catalog) -> NDArray[np.float32]:
    """Items on the unit sphere, [items, 3]: one and the same point without coordinates, NaN without some."""
    if catalog.coordinates is None:
        return np.zeros((len(catalog), 3), np.float32)
    latitude, longitude = np.radians(catalog.coordinates.astype(np.float64)).T
    level = np.cos(latitude)
    points = level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)
    return np.stack(points, 1).astype(np.float32)
