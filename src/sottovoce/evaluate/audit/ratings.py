"""A person's vector and ratings, from updates of matrix factorization (Chai et al. 2021).

Chai, Wang, Chen and Yang (IEEE Intelligent Systems 36(5), 2021) show that gradients tell ratings. The
observer is the server: it knows the item rows v that it sent, the step η and the regularization λ. One plain
step of a person with the vector u and the rating a changes a row by

    Δv = η (a − u·v) u − η λ v,

so all Δv + η λ v of one person are multiples of u.

`two_steps` is their attack. Two updates in a row give two equations for each rating,

    a = e₁ + u₁·v₁ = e₂ + u₂·v₂,   eₜ = the error of step t,

and u₂ follows from u₁, because the person's own step is u₂ = (1 − ηλ) u₁ + η Σ e₁ v₁. The first update tells
the direction d of u₁, so its length s is the only unknown: u₁ = s d, e₁ = (Δv + ηλv)·d / (η s). A search
finds the s that explains the second update best. Of u and −u, the one with positive ratings is taken. The
attack is exact if a person's ratings are used in one step from the same u, as Chai et al. assume. Our `mf`
moves u after every rating, so there it is an approximation.

`with_biases` is for our `mf`, whose rows end with the item's bias c, which is not regularized:

    Δc = η e,   Δv + η λ v = Δc u,   a = e + u·v + b + c.

One update is then enough: Δc tells the error, and the quotient tells u. The person's bias b starts at a
public value and grows by each Δc, so the observer has to see all updates from the first round on, and rows in
the order of training, which is the order in which they are sent. The attack is exact for one epoch, up to
rounding. With E epochs, e is the mean error over them, and u the mean over the person's rows.

Under gossip a neighbour has differences of models instead of updates, and the growth of a row's age in place
of E. What others added through merging is in these differences as well, so the ratings are less exact.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.changes import shared_direction
from sottovoce.evaluate.audit.figures import Figure, over_people
from sottovoce.state import Doubles, Longs

GRID, NARROWINGS = 41, 8
"""Lengths that are tried at a time, and how often the search is narrowed around the best one."""
SHORTEST, LONGEST = 1e-2, 1e2


class Rated(NamedTuple):
    """How well ratings are known. Both figures are means over people."""

    error: Figure
    """The root mean square error."""
    right: Figure
    """The share of ratings that are right after rounding to a value that ratings can have."""


def with_biases(
    target: Longs,
    rows: Doubles,
    change: Doubles,
    *,
    step: float,
    regularization: float,
    epochs: int | Doubles,
    bias: float,
) -> Doubles:
    """[R]: the rating behind each change; `rows` and `change` are [R, k + 1], `bias` is where b starts.

    Rows of a `target` [R] follow each other in the order of training. `epochs` is how often the rows were
    trained between the two: one number, or one for each row.
    """
    grown, epochs = change[:, -1], np.broadcast_to(np.asarray(epochs, np.float64), len(change))
    moved = change[:, :-1] + (step * regularization * epochs)[:, None] * rows[:, :-1]
    energy = np.bincount(target, grown**2)
    mean = _per_target(target, moved * grown[:, None]) / np.maximum(energy, 1e-300)[:, None]
    vector = mean[target]
    if (epochs == 1).all():  # u moves from row to row, and a Δc that is almost 0 tells little of it
        little = 1e-6 * energy / np.maximum(np.bincount(target), 1)
        weight = np.maximum(grown**2 + little[target], 1e-300)
        vector = (moved * grown[:, None] + little[target, None] * vector) / weight[:, None]
    own = bias + _sum_before(target, grown)
    error = grown / (step * epochs)
    return np.asarray(error + (vector * rows[:, :-1]).sum(axis=1) + own + rows[:, -1])


def two_steps(
    target: Longs,
    rows: tuple[Doubles, Doubles],
    change: tuple[Doubles, Doubles],
    *,
    step: float,
    regularization: float,
) -> tuple[Doubles, Doubles]:
    """The ratings [R] behind two changes of the same rows in a row, and people's vectors [P, k] before them.

    `rows` and `change` are [R, k] each, before and in the first and the second step.
    """
    shrink = step * regularization
    first, second = (delta + shrink * row for delta, row in zip(change, rows, strict=True))
    direction = _direction(target, first)
    along = (first * direction[target]).sum(axis=1)
    towards = _per_target(target, along[:, None] * rows[0])
    flat = (direction[target] * rows[0]).sum(axis=1)

    def rated(length: Doubles) -> Doubles:
        """[R]: the ratings if people's vectors have this length."""
        return np.asarray(along / (step * length[target]) + length[target] * flat)

    def missing(length: Doubles) -> Doubles:
        """[P]: how far the second changes are from those that this length leads to."""
        after = (1 - shrink) * length[:, None] * direction + towards / length[:, None]
        error = rated(length) - (after[target] * rows[1]).sum(axis=1)
        apart = ((step * error[:, None] * after[target] - second) ** 2).sum(axis=1)
        return np.bincount(target, apart, len(direction)).astype(np.float64)

    low, high = (np.full(len(direction), np.log(end)) for end in (SHORTEST, LONGEST))
    for _ in range(NARROWINGS):
        least, best = np.full(len(direction), np.inf), low
        for part in np.linspace(0, 1, GRID):
            place = low + part * (high - low)
            apart = missing(np.exp(place))
            least, best = np.minimum(apart, least), np.where(apart < least, place, best)
        margin = (high - low) / (GRID - 1)
        low, high = best - margin, best + margin
    length = np.exp(best)
    found = rated(length)
    # −u with −a satisfies the same equations, and ratings are positive.
    sign = np.where(np.bincount(target, found, len(direction)) < 0, -1.0, 1.0)
    return sign[target] * found, (sign * length)[:, None] * direction


def measure(found: Doubles, true: Doubles, target: Longs, person: Longs, possible: Doubles) -> Rated:
    """Compare ratings `found` [R] with the `true` ones. `possible` are the values that ratings can have.

    Guessing says the mean of all ratings, or the most frequent one.
    """
    count = np.bincount(target, minlength=len(person))
    values, often = np.unique(true, return_counts=True)

    def mean(values: Doubles) -> Doubles:
        total = np.bincount(target, values, len(person))
        return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))

    nearest = possible[np.abs(found[:, None] - possible).argmin(axis=1)]
    return Rated(
        over_people(np.sqrt(mean((found - true) ** 2)), np.sqrt(mean((true.mean() - true) ** 2)), person),
        over_people(
            mean((nearest == true).astype(np.float64)),
            mean((true == values[often.argmax()]).astype(np.float64)),
            person,
        ),
    )


def parallel(target: Longs, change: Doubles) -> Doubles:
    """[P]: the share of a person's changes that lies along one direction, 1 / k to 1; NaN without any."""
    total = np.bincount(target, (change**2).sum(axis=1))
    along = ((change * _direction(target, change)[target]).sum(axis=1)) ** 2
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(target, along) / total)


def _direction(target: Longs, rows: Doubles) -> Doubles:
    """[P, k]: the first singular vector of each target's rows."""
    return shared_direction(target, rows, int(target.max()) + 1 if len(target) else 0)


def _per_target(target: Longs, rows: Doubles) -> Doubles:
    """[P, k]: the sum of each target's rows."""
    return np.stack([np.bincount(target, column) for column in rows.T], axis=1)


def _sum_before(target: Longs, values: Doubles) -> Doubles:
    """[R]: the sum of the values of the same target that come before; targets may be mixed."""
    order = np.argsort(target, kind="stable")
    before = np.cumsum(values[order]) - values[order]
    first = np.searchsorted(target[order], target[order])
    found = np.empty(len(values))
    found[order] = before - before[first]
    return found
