"""What evaluation and recommendation share: whose model is whose."""

import numpy as np

from sottovoce.state import Ints, People


def slots_of(people: People) -> Ints:
    """The slot that hosts each person."""
    hosts = np.empty(len(people.member), np.int32)
    hosts[people.member] = np.repeat(np.arange(len(people.first) - 1, dtype=np.int32), np.diff(people.first))
    return hosts
