"""What evaluation and recommendation share: whose model is whose, and one person's scores of everything."""

import numpy as np

from sottovoce.kernels import helper
from sottovoce.models import score
from sottovoce.state import Ints, People


def slots_of(people: People) -> Ints:
    """The slot that hosts each person."""
    hosts = np.empty(len(people.member), np.int32)
    hosts[people.member] = np.repeat(np.arange(len(people.first) - 1, dtype=np.int32), np.diff(people.first))
    return hosts


@helper
def score_all(model, tables, slot, people, person, scores):
    """Write the person's score of item j into `scores[j]`, for all of them."""
    # Four before the first is stored: a store may change what a score reads, as far as the compiler
    # knows, so the person's vector would be loaded again for each.
    last = len(scores) - len(scores) % 4
    for j in range(0, last, 4):
        a = score(model, tables, slot, people, person, j)
        b = score(model, tables, slot, people, person, j + 1)
        c = score(model, tables, slot, people, person, j + 2)
        d = score(model, tables, slot, people, person, j + 3)
        scores[j], scores[j + 1], scores[j + 2], scores[j + 3] = a, b, c, d
    for j in range(last, len(scores)):
        scores[j] = score(model, tables, slot, people, person, j)
