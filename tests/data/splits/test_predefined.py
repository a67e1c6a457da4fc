"""Splits as they were published: which rows are in which part, and what they are ranked against."""

from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.load import load
from sottovoce.data.splits.predefined import Predefined
from sottovoce.errors import DataError

TRAIN = "1\ta\t5\t10\n1\tb\t4\t11\n2\tc\t3\t12\n2\ta\t2\t13\n"
TEST = "2\td\t5\t1\n1\te\t4\t2\n"  # earlier than training: the parts decide, not the time
NEGATIVE = "(2,d)\te\tb\tf\n(1,e)\tc\td\tf\n"
VALIDATION = "1\td\t1\t20\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    contents = {"train.rating": TRAIN, "test.rating": TEST, "test.negative": NEGATIVE}
    for name, content in contents.items():
        (tmp_path / f"x.{name}").write_text(content)
    return tmp_path / "x.train.rating"


def names(data, items) -> list[str]:
    return [str(data.catalog.ids[item]) if item >= 0 else "" for item in items]


def test_parts_and_negatives_as_given(files: Path) -> None:
    data = load(str(files))
    split = Predefined().split(data, 1)
    assert names(data, split.train.item) == ["a", "b", "c", "a"]
    assert names(data, split.test.item) == ["e", "d"]
    assert [names(data, row) for row in split.candidates] == [["c", "d", "f"], ["e", "b", "f"]]
    assert split.weighting is None
    assert split.hash == Predefined().split(data, 2).hash  # nothing is drawn


def test_candidates_are_drawn_where_none_are_given(files: Path) -> None:
    (files.parent / "x.validation.rating").write_text(VALIDATION)
    data = load(str(files))
    split = Predefined(candidates=2).split(data, 1)
    assert split.weighting is not None
    assert names(data, split.weighting.item) == ["d"]
    assert sorted(names(data, split.weighting_candidates[0])) == ["c", "f"]  # person 1 met a, b, d, e
    assert split.candidates.shape == (2, 3)
    assert Predefined(candidates=0).split(data, 1).weighting_candidates.shape == (1, 0)


def test_filters_keep_negatives_and_parts_together(files: Path) -> None:
    data = load(str(files), implicit=3.0)  # person 2's last, a rating of 2, is left out
    split = Predefined().split(data, 1)
    assert names(data, split.train.item) == ["a", "b", "c"]
    assert names(data, split.test.item) == ["e", "d"]
    assert [names(data, row) for row in split.candidates] == [["c", "d", "f"], ["e", "b", "f"]]
    assert (split.train.value == 1).all()
    # Nobody has item f: a filter of items leaves it out, and that is said.
    data = load(str(files), implicit=3.0, min_item=1)
    split = Predefined().split(data, 1)
    assert [names(data, row) for row in split.candidates] == [["c", "d", ""], ["e", "b", ""]]
    assert data.notes[-1] == "2 of 6 published negatives are dropped, because filters drop their items."


def test_data_that_does_not_come_in_parts() -> None:
    with pytest.raises(DataError, match="does not come in parts"):
        Predefined().split(load("synthetic", users=50, items=60), 1)


def test_the_split_of_pepper(data_dir: Path) -> None:
    place = str(data_dir / "foursquare-nyc" / "pepper_foursquareNYC.train.rating.gz")
    data = load(place, duplicates="keep", min_item=1)
    split = Predefined(negatives="drawn").split(data, 1)
    assert split.weighting is not None
    assert (len(split.train), len(split.weighting), len(split.test)) == (21_206, 2_292, 2_537)
    assert (data.people, data.items) == (146, 16_334)
    owner = np.repeat(np.arange(data.people), np.diff(split.test.indptr))
    trained = np.repeat(np.arange(data.people), np.diff(split.train.indptr)) * data.items + split.train.item
    assert np.isin(owner * data.items + split.test.item, trained).sum() == 225
    # It comes without times: nobody was anywhere.
    assert split.candidates.shape == (2_537, 100)
    assert split.weighting_candidates.shape == (2_292, 100)
    met = np.repeat(np.arange(data.people), np.diff(data.indptr)) * data.items + data.item
    assert not np.isin(owner[:, None] * data.items + split.candidates, met).any()
    assert (split.before[0] == -1).all()


def test_the_validation_set_may_be_trained_on(files: Path) -> None:
    (files.parent / "x.validation.rating").write_text(VALIDATION)
    data = load(str(files))
    kept, both = (Predefined(weighting=w).split(data, 1) for w in (True, False))
    assert both.weighting is None
    assert names(data, both.train.item) == ["a", "b", "d", "c", "a"]
    assert names(data, both.test.item) == names(data, kept.test.item)
    assert (both.candidates == kept.candidates).all()
    assert both.hash != kept.hash


def test_the_parts_that_pepper_published(data_dir: Path) -> None:
    data = load("foursquare-nyc", version="pepper", data_dir=data_dir, duplicates="keep")
    split = Predefined().split(data, 1)
    assert split.weighting is not None
    assert [len(part) for part in (split.train, split.weighting, split.test)] == [21_206, 2_292, 2_537]
    assert split.candidates.shape == (2_537, 99)
    assert (split.candidates >= 0).all()
    assert "Yang" in data.terms
