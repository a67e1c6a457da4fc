"""The built-in synthetic community. It needs no files, and by default resembles MovieLens 100K."""

from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le
from numpy.typing import NDArray

from sottovoce.data import synthetic
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.errors import RecipeError
from sottovoce.registry import component

MOODS = ["Quiet", "Golden", "Distant", "Wild", "Gentle", "Hidden", "Restless", "Silver", "Early", "Faded"]
MOODS += [
    "Bright",
    "Lonely",
    "Crooked",
    "Burning",
    "Frozen",
    "Humble",
    "Secret",
    "Narrow",
    "Patient",
    "Endless",
]
GROUPS = [
    "river",
    "harbour",
    "forest",
    "market",
    "lantern",
    "orchard",
    "mountain",
    "island",
    "garden",
    "station",
]
GROUPS += [
    "winter",
    "bridge",
    "desert",
    "theatre",
    "lighthouse",
    "meadow",
    "tower",
    "railway",
    "carnival",
    "well",
]


@component("source", "synthetic")
class Synthetic(NamedTuple):
    """A synthetic community. `sottovoce.data.synthetic` says how it is made."""

    users: Annotated[int, Ge(2), Le(1_000_000)] = 943
    """The number of people."""
    items: Annotated[int, Ge(10)] = 1682
    """The number of items."""
    mean: Annotated[float, Gt(0)] | None = None
    """Interactions per person; if not given, 106, or fewer in proportion for fewer than 1,682 items."""
    groups: Annotated[int, Ge(1)] = 18
    """The number of taste groups."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The community for this seed."""
        mean = 106 * min(1, self.items / 1682) if self.mean is None else self.mean
        if mean > self.items / 4:
            raise RecipeError(
                f"data.mean = {mean:g} interactions per person is too much for {self.items} items.",
                f"Set data.mean to at most a quarter of the items, {self.items / 4:g}, or add items.",
            )
        indptr = np.zeros(self.users + 1, np.int64)
        np.cumsum(synthetic.activity(seed, self.users, self.items, mean), out=indptr[1:])
        goods = synthetic.goods(seed, self.items, self.groups)
        count = int(indptr[-1])
        item, value, time = np.empty(count, np.int32), np.empty(count, np.float32), np.empty(count, np.int64)
        synthetic.fill(seed, goods, indptr, item, value, time, batch=self.users)
        return Interactions(
            name="synthetic",
            indptr=indptr,
            item=item,
            value=value,
            time=time,
            users=_numbered(self.users),
            catalog=_catalog(goods, synthetic.coordinates(seed, goods)),
            scale=(1.0, 5.0),
            terms="Made up; free to use.",
            source=f"the built-in synthetic community of {self.users:,} people, seed {seed}",
        )


def _numbered(count: int) -> NDArray[np.str_]:
    return np.arange(1, count + 1).astype(f"<U{len(str(count))}")


def _catalog(goods: synthetic.Goods, coordinates: NDArray[np.float32]) -> Catalog:
    """Items are named after their group: "Quiet river 17" is item 17, in the group "river"."""
    rounds = (f" {n}" if n > 1 else "" for n in range(1, len(goods.first) // len(GROUPS) + 2))
    names = [name + again for again in rounds for name in GROUPS]
    groups = [names[g] for g in goods.group.tolist()]
    return Catalog(
        name="synthetic",
        ids=_numbered(len(groups)),
        titles=[f"{MOODS[n % len(MOODS)]} {group} {n + 1}" for n, group in enumerate(groups)],
        categories=[(group,) for group in groups],
        coordinates=coordinates,
    )
