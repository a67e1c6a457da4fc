"""Similarity of people, by its definition on sets."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.evaluate.likeness import likeness
from sottovoce.state import each_alone, new_people

pytestmark = pytest.mark.usefixtures("uncompiled")

histories = st.lists(st.lists(st.integers(0, 8), max_size=6), min_size=2, max_size=6)


def people(lists):
    item = np.array([j for one in lists for j in one], np.int32)
    return new_people(1, np.cumsum([0] + [len(one) for one in lists]), item, item, each_alone(len(lists)))


def cosine(a, b):
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


@given(histories, st.integers(0, 2**32))
def test_means_over_neighbours(lists, seed):
    rng = np.random.default_rng(seed)
    neighbours = rng.integers(-1, len(lists), (len(lists), 3)).astype(np.int32)
    found, chance = likeness(people(lists), 9, neighbours, 1)
    sets = [set(one) for one in lists]
    for person, row in enumerate(neighbours.tolist()):
        known = [cosine(sets[person], sets[other]) for other in row if other >= 0]
        assert found[person] == pytest.approx(np.mean(known) if known else math.nan, nan_ok=True)
    assert ((chance >= 0) & (chance <= 1 + 1e-12)).all()


def test_chance_is_the_mean_over_others():
    """Half of the others have everything in common with a person, half nothing. Oneself is not drawn."""
    lists = [[0, 1] if n % 2 else [5, 6] for n in range(40)]
    neighbours = np.zeros((40, 60), np.int32)
    _, chance = likeness(people(lists), 9, neighbours, 1)
    assert chance.mean() == pytest.approx(19 / 39, abs=5 * 0.5 / math.sqrt(40 * 60))
    _, alone = likeness(people([[1], [2]]), 9, np.zeros((2, 50), np.int32), 1)
    assert alone.tolist() == [0, 0]
