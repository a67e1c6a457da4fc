"""Types of venues in categories: the nine of Foursquare, a file of one's own, and what either misses."""

from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.categories import FILE, grouped, read
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.load import load
from sottovoce.data.splits.temporal_holdout import TemporalHoldout
from sottovoce.errors import DataError
from sottovoce.evaluate.listed import category_bias

NINE = {
    "Arts & Entertainment": 1.4130,
    "College & University": 0.8221,
    "Food": 0.9317,
    "Nightlife Spot": 1.3559,
    "Outdoors & Recreation": 1.3292,
    "Professional & Other Places": 0.7868,
    "Residence": 0.4171,
    "Shop & Service": 0.8482,
    "Travel & Transport": 1.2678,
}
"""B_T of Italy in Table 1 of Anelli et al. 2020."""


def visits(*types: str) -> Interactions:
    kinds = [(kind,) if kind else () for kind in types]
    items = [str(n) for n in range(len(types))]
    return build(
        "visits", ["a"] * len(types), items, catalog=Catalog("visits", np.array(items), categories=kinds)
    )


def test_the_nine_categories() -> None:
    known = read(FILE)
    assert set(known.values()) == NINE.keys()
    damaged = ("Café", "Caf\x1a", "Caf\x1a\x1a", "CafÃ©", "Caf\ufffd", "CAFÉ")
    assert grouped(visits(*damaged), "top").catalog.categories == [("Food",)] * len(damaged)
    data = grouped(visits("Airport Lounge (155)", "Ramen /  Noodle House", "Home (private)"), "top")
    assert data.catalog.categories == [("Travel & Transport",), ("Food",), ("Residence",)]
    assert data.notes == ()


def test_what_a_file_misses_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("type\tcategory\nBar\tDrinks\nPub\tDrinks\nBar\tDrinks\n")
    before = visits("Bar", "Gym", "Pub", "", "Gym")
    data = grouped(before, str(path))
    assert data.catalog.categories == [("Drinks",), (), ("Drinks",), (), ()]
    assert len(data) == len(before)
    assert data.notes == (
        f"1 of 3 types is not in {path}: 'Gym'. Its 2 items stay without a category. Add a line for each.",
    )
    assert "nine top categories: 'Moon Base'" in grouped(visits("Moon Base", "Bar"), "top").notes[0]


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text("type\tcategory\nBar\tDrinks\nBAR\tFood\n")
    with pytest.raises(DataError, match=r"own\.tsv, line 3 puts the type 'BAR' into 'Food'"):
        grouped(visits("Bar"), str(path))
    path.write_text("type\tcategory\nBar\t\n")
    with pytest.raises(DataError, match=r"own\.tsv, line 2 is without a category"):
        grouped(visits("Bar"), str(path))
    with pytest.raises(DataError, match=r"nowhere\.tsv"):
        grouped(visits("Bar"), str(tmp_path / "nowhere.tsv"))


def test_types_stay_if_nobody_asks() -> None:
    data = visits("Bar")
    assert grouped(data, "types") is data
    bare = build("bare", ["a"], ["1"])
    assert grouped(bare, "top") is bare


@pytest.mark.parametrize("name", ["foursquare-italy", "foursquare-nyc"])
def test_all_types_of_real_data_have_a_category(name: str, data_dir: Path) -> None:
    data = load(name, data_dir=data_dir, categories="top")
    assert data.catalog.categories is not None
    lacking = sum(not own for own in data.catalog.categories)
    assert lacking <= (0 if name == "foursquare-italy" else 0.2 * data.items)


def test_the_bias_of_italy(data_dir: Path) -> None:
    """Table 1. Our bias differs by at most 0.19; it falls on the same side of 1 in all nine categories."""
    data = load("foursquare-italy", data_dir=data_dir, min_user=20, filter="once", categories="top")
    train = TemporalHoldout().split(data, 1).train
    ours = category_bias(train.catalog, np.bincount(train.item, minlength=train.items))
    assert ours.keys() == NINE.keys()
    assert all((ours[name] > 1) == (NINE[name] > 1) for name in NINE)
    assert max(abs(ours[name] - NINE[name]) for name in NINE) < 0.19
