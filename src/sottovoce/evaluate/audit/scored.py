"""Scores of all items by vectors that an observer has, with the model that everybody has."""

from typing import Any

import numpy as np

from sottovoce.kernels import driver, prange
from sottovoce.models.interface import score_all
from sottovoce.state import Floats, Longs, People, Tables, opened, slots_of


@driver
def _scores(model, tables, people, slot_of, persons, out):
    """Write the scores of all items, by the vectors of `persons` [P], to `out` [P, items]."""
    for n in prange(len(persons)):
        score_all(model, opened(tables, slot_of[persons[n]]), 0, people, persons[n], out[n])


def scores(model: Any, tables: Tables, people: People, persons: Longs, vectors: Floats, items: int) -> Floats:
    """[P, items]: how each of `persons` [P] rates every item if their `vectors` are [P, p]."""
    user = people.user.copy()
    user[persons] = vectors
    found = np.empty((len(persons), items), np.float32)
    known = people._replace(user=user)
    _scores(model, tables, known, slots_of(people), persons, found, batch=max(2, len(persons)))
    return found
