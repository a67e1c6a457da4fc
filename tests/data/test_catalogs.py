"""Catalogues from rows, and a choice of their items."""

import numpy as np
import pytest

from sottovoce.data.catalogs import choose, of_rows, pick
from sottovoce.data.interactions import Catalog

FULL = Catalog(
    "films",
    np.array(["3", "1", "7"]),
    titles=["three", "one", "seven"],
    categories=[("a",), (), ("b", "c")],
    coordinates=np.array([[3, 30], [1, 10], [7, 70]], np.float32),
)


def test_all_columns_are_picked():
    found = pick(FULL, np.array([2, 0]))
    assert (found.ids.tolist(), found.titles, found.categories) == (
        ["7", "3"],
        ["seven", "three"],
        [("b", "c"), ("a",)],
    )
    assert found.coordinates.tolist() == [[7, 70], [3, 30]]
    bare = pick(Catalog("c", np.array(["x", "y"])), np.array([1]))
    assert (bare.ids.tolist(), bare.titles, bare.categories, bare.coordinates) == (["y"], None, None, None)


@pytest.mark.parametrize(
    ("which", "ids"),
    [
        ("rated", ["3", "7", "5"]),
        ("listed", ["3", "1", "7", "5"]),
        ("range", ["1", "2", "3", "4", "5", "6", "7"]),
    ],
)
def test_which_items_are_in_it(which, ids):
    """Items 3 and 7 of the list, and 5 that it lacks, have interactions; 1 has none."""
    found = choose(FULL, np.array([7, 5, 3, 3]), which)
    assert found.ids.tolist() == ids
    assert found.titles[found.ids.tolist().index("7")] == "seven"
    assert found.titles[found.ids.tolist().index("5")] == ""


def test_a_catalogue_from_rows():
    """The most frequent category, the first of equals; the first coordinates; an empty category is none."""
    item = np.array(["b", "a", "b", "b", "c", "a"])
    kinds = ["x", "p", "y", "y", "", "q"]
    north, east = np.arange(6.0), np.arange(6.0) * 10
    found = of_rows("places", item, kinds, (north, east))
    assert found.ids.tolist() == ["a", "b", "c"]
    assert found.categories == [("p",), ("y",), ()]
    assert found.coordinates.tolist() == [[1, 10], [0, 0], [4, 40]]
    assert of_rows("places", np.array([10, 9, 10])).ids.tolist() == ["9", "10"]
