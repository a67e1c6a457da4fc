"""What one person met: items with ratings and times, to train on and to judge models by."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import ids, places, sampling
from sottovoce.data.interactions import Interactions
from sottovoce.data.split import WEIGHTING
from sottovoce.errors import DataError
from sottovoce.models.interface import optimizer_size, uses_place
from sottovoce.node.community import Community, Key
from sottovoce.state import People, each_alone, new_people, new_weighting


class Met(NamedTuple):
    """An item that a person met."""

    item: str
    value: float = 1.0
    """A rating, or 1."""
    time: int = 0
    """Seconds since 1970, or 0 if unknown."""


History = Mapping[str, float] | Sequence[str | Met]
"""Items with their ratings, or items, or items with ratings and times; the latest last."""


def interactions(community: Community, history: History) -> Interactions:
    """One person's history, by the numbers of items; refused where the catalogue does not know one."""
    given = [Met(*pair) for pair in history.items()] if isinstance(history, Mapping) else history
    met = [one if isinstance(one, Met) else Met(one) for one in given]
    named = [ids.clean(str(one.item)) for one in met]
    for item in named:
        if item not in community.number:
            raise DataError(f"{item!r} is not in the community's catalogue.", "Leave it out.")
    try:
        value = np.array([one.value for one in met], np.float32)
    except (TypeError, ValueError):
        raise DataError("A rating is not a number.", "Leave the rating out, or give a number.") from None
    if not np.isfinite(value).all():
        raise DataError("A rating is not a finite number.", "Leave the rating out, or give a number.")
    if not all(isinstance(one.time, int) and 0 <= one.time < 2**62 for one in met):
        raise DataError("A time is not a whole number of seconds since 1970.", "Give such a number, or 0.")
    time = np.array([one.time for one in met], np.int64)
    order = np.argsort(time, kind="stable")
    if not uses_place(community.model):
        order = order[_last_of_repeats([named[n] for n in order])]
    return one_person(
        community,
        np.array([community.number[item] for item in named], np.int32)[order],
        value[order],
        time[order],
    )


def _last_of_repeats(names: list[str]) -> NDArray[np.int64]:
    """The places of the last of equal names, in order."""
    return np.array(sorted({name: n for n, name in enumerate(names)}.values()), np.int64)


def one_person(
    community: Community, item: NDArray[Any], value: NDArray[Any], time: NDArray[Any]
) -> Interactions:
    """Interactions of the only person on a device."""
    return Interactions(
        name="device",
        indptr=np.array([0, len(item)], np.int64),
        item=item,
        value=value,
        time=time,
        users=np.array(["0"]),
        catalog=community.catalog,
        scale=community.scale,
    )


def without(data: Interactions, item: NDArray[Any]) -> Interactions:
    """The interactions with other items than these."""
    return data.take(~np.isin(data.item, item))


def joined(community: Community, first: Interactions, second: Interactions) -> Interactions:
    """Both together, in order of time."""
    columns = (
        np.concatenate([getattr(part, name) for part in (first, second)])
        for name in ("item", "value", "time")
    )
    item, value, time = columns
    order = np.argsort(time, kind="stable")
    return one_person(community, item[order], value[order], time[order])


def new_person(
    community: Community, key: Key, train: Interactions, weighting: Interactions, candidates: int
) -> People:
    """A population of one that has learnt nothing.

    Weighting items are ranked among random items that the person has not met, drawn with the secret key.
    """
    everything = joined(community, train, weighting)
    met = sampling.seen(everything.indptr, everything.item)
    keys = np.array([key.person])
    drawn = sampling.sample(met, weighting, candidates, key.run, WEIGHTING, keys)
    where = places.known(train, weighting) if uses_place(community.model) else None
    aside = new_weighting(1, weighting, drawn)
    user = community.shape.user
    kept = optimizer_size(community.model, len(community.items))
    made = new_people(user, train.indptr, train.item, train.value, each_alone(1), aside, where, kept)
    return made._replace(key=keys)
