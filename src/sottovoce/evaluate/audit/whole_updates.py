"""How much of a person's update does an observer see?

What the observer ascribes to a person is compared with what the person's training really changed, as one long
vector of all rows (or of the head), by the cosine. A server that receives an update has a cosine of 1. An
observer of sums ascribes the sum to everybody behind it. Guessing ascribes to a person what was seen of
another one, so it is as high as people resemble each other.
"""

import numpy as np

from sottovoce.evaluate.audit.figures import Figure, over_people
from sottovoce.evaluate.audit.vectors import cosines, shifts
from sottovoce.state import Doubles, Floats, Longs


def attack(seen: Floats, true: Floats, person: Longs) -> Figure:
    """The cosine of what was `seen` of each target [P, n] with the `true` change [P, n].

    Targets of whom nothing was seen count as 0 if they changed something.
    """
    mine = _cosines(seen, true)
    apart = [_cosines(seen, np.roll(true, shift, axis=0)) for shift in shifts(len(true))[:3]]
    guessing = np.mean(apart, axis=0) if apart else np.full(len(true), np.nan)
    return over_people(mine, guessing, person)


def _cosines(seen: Floats, true: Floats) -> Doubles:
    found = cosines(seen.astype(np.float64), true.astype(np.float64))
    nothing = ~seen.any(axis=1) & true.any(axis=1)
    return np.asarray(np.where(nothing, 0.0, found))
