"""What evaluation and recommendation share: whose model is whose, and one person's scores of everything."""

import numpy as np

from sottovoce.models import score_all
from sottovoce.state import Ints, People

__all__ = ["score_all", "slots_of"]


def slots_of(people: People) -> Ints:
    """The slot that hosts each person."""
    hosts = np.empty(len(people.member), np.int32)
    hosts[people.member] = np.repeat(np.arange(len(people.first) - 1, dtype=np.int32), np.diff(people.first))
    return hosts
