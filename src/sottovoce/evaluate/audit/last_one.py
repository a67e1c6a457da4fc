"""The n − 1 attack: who knows a sum and all contributions but one knows the last one.

A server can arrange this: it chooses the same group twice, but for one person (Perifanis and Efraimidis 2022,
Section 5.2). The attack is exact for every plain sum, so there is nothing to measure but how few others have
to be known. A row with a single contributor is that person's change as it is, to everybody who sees the sum.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.figures import Figure, over_people
from sottovoce.state import Longs


class LastOne(NamedTuple):
    """How few people stand behind the rows of sums."""

    smallest: int
    """n_I, the fewest contributors of any row in any sum."""
    median: float
    """The median number of contributors of a row."""
    alone: float
    """The share of rows with one contributor, over all sums."""
    exposed: Figure
    """The share of people who were the only contributor of some row."""


def attack(aggregation: Longs, person: Longs, item: Longs) -> LastOne | None:
    """Count the contributors of each row; None if no row changed.

    Each of the three arrays is [R], with an entry for every row that a person contributed to an aggregation.
    """
    if not len(item):
        return None
    every = aggregation * (int(item.max()) + 1) + item
    _, place, contributors = np.unique(every, return_inverse=True, return_counts=True)
    people, number = np.unique(person, return_inverse=True)
    exposed = np.zeros(len(people))
    exposed[number[contributors[place] == 1]] = 1
    nothing = np.full(len(people), np.nan)
    return LastOne(
        int(contributors.min()),
        float(np.median(contributors)),
        float((contributors == 1).mean()),
        over_people(exposed, nothing, people),
    )
