"""A person's vector, from the rows that the person changed.

In matrix factorization and GMF every row that a training changes moves along one vector of the person: the
person's vector u in `mf`, and h ∘ u in `gmf`, whose h is public. The first singular vector of the changes is
an estimate of its direction. The sign is not known, so the figure is the absolute value of the cosine between
the estimate and the truth. Guessing takes the vector of another person: vectors of different people
resemble each other, and an observer who has any of them knows that much of everybody's.
"""

import numpy as np

from sottovoce.evaluate.audit.changes import Changes, shared_direction
from sottovoce.evaluate.audit.figures import Figure, over_people
from sottovoce.state import Doubles, Longs

OTHERS = 10
"""With how many other people's vectors an estimate is compared, for guessing."""


def directions(changes: Changes, targets: int, width: int) -> Doubles:
    """[P, width]: the direction of each target's last message; NaN for targets without one."""
    last = np.full(targets, -1)
    np.maximum.at(last, changes.target, changes.message)
    kept = changes.message == last[changes.target]
    rows = changes.change[kept, :width].astype(np.float64)
    found = shared_direction(changes.target[kept], rows, targets)
    return np.asarray(np.where((last >= 0)[:, None], found, np.nan))


def attack(found: Doubles, true: Doubles, person: Longs) -> Figure:
    """The absolute cosine of vectors `found` [P, k] with the `true` ones [P, k]."""
    apart = [abs(cosines(found, np.roll(true, shift, axis=0))) for shift in shifts(len(true))]
    guessing = np.mean(apart, axis=0) if apart else np.full(len(true), np.nan)
    return over_people(abs(cosines(found, true)), guessing, person)


def cosines(one: Doubles, other: Doubles) -> Doubles:
    """[P]: the cosine of each row of `one` with that of `other`; NaN where one of them is 0."""
    length = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(length > 0, (one * other).sum(axis=1) / length, np.nan))


def shifts(targets: int) -> list[int]:
    """By how many places people are moved, to compare each with some others."""
    return sorted({1 + (n * 7919) % (targets - 1) for n in range(OTHERS)}) if targets > 1 else []
