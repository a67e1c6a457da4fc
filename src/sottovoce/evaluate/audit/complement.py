"""Which items does a person not have? Rows that never changed tell.

A training changes the rows of all of a person's items. An item whose row did not change in a message is
therefore none of them, and in a sum nobody's who contributed (a limitation of secure sums that Perifanis and
Efraimidis 2022 name in Section 5.2). Guessing names as many items, drawn from the catalogue.
"""

import numpy as np

from sottovoce.evaluate.audit.changed_rows import Found
from sottovoce.evaluate.audit.changes import Changes, always, times_seen
from sottovoce.evaluate.audit.figures import over_people, taken_for_another
from sottovoce.state import Bools, Doubles, Longs


def missing(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: 1 for rows that did not change in some message of the target."""
    seen = times_seen(changes, targets, items)
    return np.asarray(seen < always(changes, targets)[:, None], np.float64)


def attack(scores: Doubles, own: Bools, person: Longs) -> Found:
    """How many of the named items are none of the person's, and how many of all such items are named.

    `scores` [P, items] is 1 for items that are named, `own` [P, items] is what targets have. Targets about
    whom nothing was seen do not count.
    """
    items, others = own.shape[1], ~own
    right, total, rest = (scores * others).sum(axis=1), scores.sum(axis=1), others.sum(axis=1)
    other = taken_for_another(scores, person)
    also = (other * others).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = right / total, right / rest
        another = also / other.sum(axis=1), also / rest
    return Found(
        over_people(precision, rest / items, person, another[0]),
        over_people(recall, total / items, person, another[1]),
    )
