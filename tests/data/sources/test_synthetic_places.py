"""Synthetic communities of the sizes of FPL."""

import numpy as np
import pytest

from sottovoce.data.categories import FILE, read
from sottovoce.data.load import load
from sottovoce.data.sources.synthetic_places import CATEGORIES, LEAST, SIZES, counts
from sottovoce.data.splits.temporal_holdout import TemporalHoldout


@pytest.mark.parametrize("name", ["canada", "italy"])
def test_the_training_set_has_the_size_of_table_1(name: str) -> None:
    data = load("synthetic-places", like=name)
    split = TemporalHoldout().split(data, 1)
    people, items, interactions = SIZES[name]
    assert (split.train.people, len(split.train), split.train.items) == (people, interactions, items)
    assert np.diff(data.indptr).min() >= 20
    assert len(np.unique(data.owner * data.items + data.item)) == len(data)


def test_a_smaller_one() -> None:
    data = load("synthetic-places", like="brazil", share=0.01, seed=2)
    split = TemporalHoldout().split(data, 1)
    assert (data.people, data.items, len(split.train)) == (175, 473, 6_000)
    assert data.catalog.categories is not None
    assert (
        {name for own in data.catalog.categories for name in own}
        == set(CATEGORIES)
        == set(read(FILE).values())
    )
    assert data.time.max() > data.time.min()
    again, other = (load("synthetic-places", share=0.01, seed=seed) for seed in (2, 3))
    np.testing.assert_array_equal(data.item, again.item)
    assert data.item.tolist() != other.item.tolist()


def test_counts_add_up() -> None:
    for total in (20 * 300, 34 * 300 + 7):
        found = counts(1, 300, 5_000, total)
        assert found.sum() == total
        assert found.min() >= LEAST
        assert found.max() > 2 * LEAST or total == 20 * 300
        trained = np.ceil(0.8 * (found * 5 // 4) - 1e-9)
        np.testing.assert_array_equal(trained, found)
