"""Synthetic communities of the sizes of FPL: people who visit places (Table 1, Anelli et al. 2020).

Check-ins in Brazil and Canada are part of `foursquare-global` (`country`), which few people have. These
communities need no files. `sottovoce.data.synthetic` says how choices are made; here taste groups are the
nine top categories of Foursquare, and everybody visits at least 21 places, each of them once.

Table 1 describes training sets. The split `temporal-holdout`, which trains on the first ⌈0.8 n⌉ of a
person's n visits, makes a training set with exactly the people, places and interactions of the table. Places
that nobody would visit in training take the place of visits to popular ones.
"""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
from annotated_types import Gt, Le
from numpy.typing import NDArray

from sottovoce.data import synthetic
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.registry import component


class Size(NamedTuple):
    """A row of Table 1."""

    people: int
    items: int
    interactions: int


SIZES = {
    "brazil": Size(17_473, 47_270, 599_958),
    "canada": Size(1_340, 29_518, 63_514),
    "italy": Size(1_353, 25_522, 54_088),
}
CATEGORIES = (
    "Food",
    "Shop & Service",
    "Professional & Other Places",
    "Outdoors & Recreation",
    "Travel & Transport",
    "Nightlife Spot",
    "Arts & Entertainment",
    "Residence",
    "College & University",
)
"""The largest first, as in Italy."""
LEAST = 17
"""Everybody's visits in training, at least: those of 21 visits."""
POPULAR = 10
"""Visits of a place that can spare some."""
TURNS = 20
"""How often people are looked for who visit what nobody does."""
_WHO, _WHICH = 98, 99  # streams of random numbers that `synthetic` does not use


@component("source", "synthetic-places")
class SyntheticPlaces(NamedTuple):
    """A synthetic community of the size of one in Table 1 of FPL."""

    like: Literal["brazil", "canada", "italy"] = "brazil"
    """Whose size."""
    share: Annotated[float, Gt(0), Le(1)] = 1.0
    """The share of people, places and visits, for a smaller community."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The community for this seed."""
        size = Size(*(max(round(n * self.share), 1) for n in SIZES[self.like]))
        people, items = max(size.people, 2), max(size.items, 200)
        trained = counts(seed, people, items, max(size.interactions, (LEAST + 1) * people))
        indptr = np.concatenate([[0], np.cumsum(trained * 5 // 4)])
        goods = synthetic.goods(seed, items, len(CATEGORIES))
        length = int(indptr[-1])
        item, value, time = (
            np.empty(length, np.int32),
            np.empty(length, np.float32),
            np.empty(length, np.int64),
        )
        synthetic.fill(seed, goods, indptr, item, value, time, batch=people)
        for turn in range(TURNS):
            if not _visit_all(seed + turn, items, indptr, trained, item):
                break
        names = [CATEGORIES[g] for g in goods.group.tolist()]
        return Interactions(
            name="synthetic-places",
            indptr=indptr,
            item=item,
            value=np.ones(length, np.float32),
            time=time,
            users=(np.arange(people) + 1).astype(np.str_),
            catalog=Catalog(
                "synthetic-places",
                (np.arange(items) + 1).astype(np.str_),
                titles=[f"{name} {n + 1}" for n, name in enumerate(names)],
                categories=[(name,) for name in names],
                coordinates=synthetic.coordinates(seed, goods),
            ),
            scale=(1.0, 1.0),
            terms="Made up; free to use.",
            source=f"a synthetic community of {people:,} people, seed {seed}, in size like {self.like}",
        )


def counts(seed: int, people: int, items: int, total: int) -> NDArray[np.int64]:
    """How many visits of each person are for training: [people], at least `LEAST`, `total` together."""
    more = synthetic.activity(seed, people, items, total / people - LEAST)
    found: NDArray[np.int64] = LEAST + more
    order = np.argsort(synthetic.uniforms(seed, _WHO, people), kind="stable")
    while (lacking := total - int(found.sum())) != 0:
        able = order if lacking > 0 else order[found[order] > LEAST]
        found[able[: abs(lacking)]] += np.sign(lacking)
    return found


def _visit_all(
    seed: int, items: int, indptr: NDArray[np.int64], trained: NDArray[np.int64], item: NDArray[np.int32]
) -> int:
    """Let somebody visit every item in training, in place of a popular one; return how many are left."""
    owner = np.repeat(np.arange(len(trained)), np.diff(indptr))
    early = np.arange(len(item)) - indptr[owner] < trained[owner]
    visits = np.bincount(item[early], minlength=items)
    missing = np.flatnonzero(visits == 0)
    able = np.flatnonzero(early & (visits[item] >= POPULAR))
    rows = able[np.argsort(synthetic.uniforms(seed, _WHICH, len(able)), kind="stable")[: len(missing)]]
    missing = missing[: len(rows)]
    # Whose later visits have the item already keeps the popular one; another turn finds somebody else for it.
    fits = ~np.isin(owner[rows] * items + missing, owner * items + item)
    item[rows[fits]] = missing[fits]
    return int(np.count_nonzero(~fits))
