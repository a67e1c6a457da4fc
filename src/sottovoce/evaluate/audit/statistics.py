"""Single people in sums of statistics, where a model is solved from sums (`als`).

Every person adds a vector u to the rows of all own items, and u uᵀ to the head. So a sum with few people in
it tells a lot, whoever computes it:

- **A head with one person in it** is u uᵀ: its first eigenvector is u, up to its sign (`in_heads`).
- **A row with one contributor** is u itself, or a multiple of it: rows of one person alone are parallel.
  Their items are the person's (`alone`).
- **Two rows that differ by one contributor** differ by u. If the same difference is found again between other
  rows, it is somebody's vector, however many people stand behind the rows (`differences`). In small groups
  many rows differ by one person; among a hundred people hardly any do.

In the first sweep of `als` a row is the plain sum of u. Later a row also has (1 − α) s M y of each
contributor, with public s, M and y: `without_model` subtracts it, and what is left of each contributor is
parallel to u.

What is found has no name: it is one of the people in the sum. Whoever knows a few items of a person can tell
which. Figures therefore ask of each person in a sum whether the vector is among those that were found.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.figures import Figure, over_people
from sottovoce.state import Bools, Doubles, Longs

PARALLEL = 1e-4
"""How far two rows may point apart, as 1 − cos², and still count as parallel."""
SAME = 0.99
"""cos² of a vector that was found with a person's, from which on it is that person's."""
STEP = 5e-3
"""Parallel rows are looked for among those whose shadows on four fixed directions hardly differ."""
PAIRS = 2**21
"""Pairs of rows that are subtracted at most; if there are more, some of them, evenly chosen."""


class Found(NamedTuple):
    """Vectors that an observer takes for somebody's, and the items that it ascribes to their owners."""

    vector: Doubles  # [C, k], of length 1
    owner: Longs  # [E], which vector
    item: Longs  # [E], the owner has this item


class Singled(NamedTuple):
    """How well single people are told from a sum."""

    people: Figure
    """The share of the people in sums whose vector is among those found; guessing takes the mean vector."""
    right: float
    """The share of the vectors found that are somebody's; NaN if none was found."""
    precision: Figure
    """Of the items ascribed to a person whose vector was found, the share that is right."""
    recall: Figure
    """Of all items of a person, the share that is ascribed to the person; 0 where nothing was found."""


def in_heads(heads: Doubles, factors: int) -> tuple[Doubles, Doubles]:
    """[P, k]: the first eigenvector of the lower triangle that heads [P, h] begin with, and which share of
    the whole it has, [P]: 1 if one person is in the sum."""
    full = np.zeros((len(heads), factors, factors))
    a, b = np.tril_indices(factors)
    full[:, a, b] = full[:, b, a] = heads[:, : len(a)]
    values, vectors = np.linalg.eigh(full)
    total = np.abs(values).sum(axis=1)
    return vectors[:, :, -1], values[:, -1] / np.where(total > 0, total, 1)


def without_model(rows: Doubles, counts: Doubles, vectors: Doubles, other: Doubles, alpha: float) -> Doubles:
    """Rows [m, k] of sums without what the model adds for each of `counts` [m] contributors: (1 − α) s M y.

    `vectors` are the items' y [m, k], and `other` is s M [k, k].
    """
    return np.asarray(rows - (1 - alpha) * counts[:, None] * (vectors @ other))


def alone(items: Longs, rows: Doubles, counts: Longs) -> Found:
    """Who is alone in some rows of a sum; `items` [m] have `rows` [m, k] of `counts` [m] people."""
    single = counts == 1
    return _parallel(items[single], rows[single], fewest=1)


def differences(items: Longs, rows: Doubles, counts: Longs) -> Found:
    """Whose vectors are differences of rows, found between different pairs of them."""
    more, fewer = np.nonzero(counts[:, None] == counts[None, :] + 1)
    if len(more) > PAIRS:
        some = np.linspace(0, len(more) - 1, PAIRS).astype(np.int64)
        more, fewer = more[some], fewer[some]
    return _parallel(items[more], rows[more] - rows[fewer], fewest=2)


def _parallel(items: Longs, rows: Doubles, fewest: int) -> Found:
    """Rows that point the same way, at least `fewest` of them with different items."""
    length = np.sqrt((rows**2).sum(axis=1))
    kept = length > 1e-6 * length.max(initial=1e-300)
    unit, item = rows[kept] / length[kept, None], items[kept]
    if not len(unit):
        return Found(np.empty((0, rows.shape[1])), item, item)
    width = unit.shape[1]
    fixed = np.cos(np.outer(np.arange(1, width + 1), [1.0, 2.6, 4.1, 5.7])) / math.sqrt(width / 2)
    shadow = unit @ fixed
    shadow *= np.where(shadow[:, :1] < 0, -1.0, 1.0)
    _, place = np.unique(np.rint(shadow / STEP), axis=0, return_inverse=True)
    place = place.ravel()
    first = np.full(place.max() + 1, len(unit))
    np.minimum.at(first, place, np.arange(len(unit)))
    apart = 1 - (unit * unit[first[place]]).sum(axis=1) ** 2
    place, item, chosen = place[apart <= PARALLEL], item[apart <= PARALLEL], unit[first]
    pairs = np.unique(np.stack([place, item]), axis=1)  # an item counts once for each vector
    often = np.bincount(pairs[0], minlength=len(first)) >= fewest
    number = np.cumsum(often) - 1
    told = often[pairs[0]]
    return Found(chosen[often], number[pairs[0][told]], pairs[1][told])


class Seen(NamedTuple):
    """What was found in one sum, and the truth about the people in it."""

    found: Found
    true: Doubles  # [P, k], their vectors
    own: Bools  # [P, items], their items
    person: Longs  # [P], who they are


def attack(sums: Sequence[Seen]) -> Singled:
    """Compare what was found in sums with the people in them."""
    each = [_told(*one[:3]) for one in sums]
    there, guess, said, hits, have = (np.concatenate([one[n] for one in each]) for n in range(5))
    right = np.concatenate([one[5] for one in each])
    items, person = sums[0].own.shape[1], np.concatenate([one.person for one in sums])
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = hits / said, np.where(have > 0, hits / have, np.nan)
    return Singled(
        over_people(there, guess, person),
        float(right.mean()) if len(right) else math.nan,
        over_people(precision, have / items, person),
        over_people(recall, said / items, person),
    )


def _told(found: Found, true: Doubles, own: Bools) -> tuple[Doubles, ...]:
    """Of each person in a sum: whether the vector was found, whether the mean vector is it, how many items
    were named, rightly, and how many there are; and of each vector found, whether it is somebody's."""
    length = np.sqrt((true**2).sum(axis=1))
    unit = true / np.where(length > 0, length, 1)[:, None]
    like = (unit @ found.vector.T) ** 2
    best = like.argmax(axis=1) if like.shape[1] else np.zeros(len(true), np.int64)
    there = like.max(axis=1, initial=0) >= SAME
    mean = unit.mean(axis=0)
    guess = (unit @ (mean / max(float(np.sqrt(mean @ mean)), 1e-300))) ** 2 >= SAME
    named = np.zeros((max(1, len(found.vector)), own.shape[1]), np.bool_)
    named[found.owner, found.item] = True
    of = named[best] & there[:, None]
    counts = of.sum(axis=1), (of & own).sum(axis=1), own.sum(axis=1)
    right = like.max(axis=0, initial=0) >= SAME
    return tuple(np.asarray(one, np.float64) for one in (there, guess, *counts, right))
