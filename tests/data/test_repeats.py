"""Rows that repeat: counted, merged by default, and never trained on and tested unless asked for."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data import repeats
from sottovoce.data.interactions import build
from sottovoce.data.load import load
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from sottovoce.data.splits.predefined import Predefined
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.loading import load_data
from tests.data.facts import facts

CSV = "user,item,rating,time\na,x,5,1\na,x,5,1\na,y,4,2\na,y,3,9\nb,x,4,1\nb,z,4,1\n"


def test_the_last_is_kept_and_told(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text(CSV)
    data = load(tmp_path / "own.csv")
    assert facts(data) == [("a", "x", 5, 1), ("a", "y", 3, 9), ("b", "x", 4, 1), ("b", "z", 4, 1)]
    told = "2 of 6 rows repeat a person and an item, 1 of them exactly"
    assert data.notes == (f"{told}; the last of each is kept.",)
    assert "of duplicates the last kept; 4 of 6 interactions left" in data.source
    kept = load(tmp_path / "own.csv", duplicates="keep")
    assert (len(kept), kept.notes) == (6, (f"{told}; all are kept.",))
    summed = load(tmp_path / "own.csv", duplicates="sum")
    assert (summed.notes, summed.value.max()) == ((f"{told}; their values are added up.",), 10)


def test_nothing_is_said_where_nothing_repeats(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("user,item\na,x\nb,x\n")
    for how in ("keep", "first", "last", "sum"):
        data = load(tmp_path / "own.csv", duplicates=how)
        assert data.notes == ()
        assert "duplicates" not in data.source


pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), min_size=1, max_size=30)


@given(pairs, st.integers(1, 50), st.integers(0, 50))
def test_repeats_are_found_in_tables_and_by_sorting(
    rows: list[tuple[int, int]], cells: int, sparse: int
) -> None:
    before = repeats._TABLE, repeats._SPARSE
    try:
        repeats._TABLE, repeats._SPARSE = cells, sparse
        found = repeats._pairs(build("x", *zip(*rows, strict=True))) is not None
    finally:
        repeats._TABLE, repeats._SPARSE = before
    assert found == (len(set(rows)) < len(rows))


def test_interactions_handed_over_say_what_leaks() -> None:
    data = build("x", [1, 1, 1, 2, 2], [1, 2, 1, 1, 2], None, [1, 2, 3, 1, 2])
    split = LeaveOneOut(candidates=1).split(data, 1)
    assert repeats.after_split(data, split) == (
        "1 of 2 test items are also in their person's training set, because rows repeat.",
    )
    assert repeats.after_split(load(data), LeaveOneOut(candidates=1).split(load(data), 1)) == ()


DIVIDED = {
    "x.train.rating": "1\ta\t5\t1\n1\ta\t5\t1\n1\tb\t4\t2\n1\tb\t3\t3\n1\tc\t4\t4\n1\td\t1\t5\n2\ta\t5\t1\n",
    "x.validation.rating": "1\tc\t4\t6\n1\te\t2\t7\n2\tb\t1\t1\n",
    "x.test.rating": "1\td\t1\t5\n1\te\t4\t9\n2\td\t3\t3\n",
}


@pytest.fixture
def divided(tmp_path: Path) -> Path:
    for name, text in DIVIDED.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_parts_stay_as_published_but_for_what_would_leak(divided: Path) -> None:
    data = load(divided)
    split = Predefined(candidates=1).split(data, 1)
    assert split.weighting is not None
    # The exact repeat of a, and c and d, which are for validation and under test, leave training.
    assert facts(split.train) == [("1", "a", 5, 1), ("1", "b", 4, 2), ("1", "b", 3, 3), ("2", "a", 5, 1)]
    assert facts(split.weighting) == [("1", "c", 4, 6), ("2", "b", 1, 1)]
    assert facts(split.test) == [("1", "d", 1, 5), ("1", "e", 4, 9), ("2", "d", 3, 3)]
    assert data.notes[-4:] == (
        "1 of 13 rows repeat another one of their part exactly; the last of each is kept.",
        "1 of 6 rows for training are removed, because the person has that item under test.",
        "1 of 3 rows for validation are removed, because the person has that item under test.",
        "1 of 6 rows for training are removed, because the person has that item for validation.",
    )
    assert repeats.after_split(data, split) == ("The split is the published one.",)


def test_parts_as_published_if_asked_for(divided: Path) -> None:
    data = load(divided, duplicates="keep")
    split = Predefined(candidates=1).split(data, 1)
    assert split.weighting is not None
    assert [len(p) for p in (split.train, split.weighting, split.test)] == [7, 3, 3]
    assert repeats.after_split(data, split)[1] == (
        "1 of 3 test items are also in their person's training set, because rows repeat."
    )
    once = Predefined(candidates=1).split(load(divided, duplicates="first"), 1)
    assert facts(once.train) == [("1", "a", 5, 1), ("1", "b", 4, 2), ("2", "a", 5, 1)]


def test_another_split_tears_nothing_apart(divided: Path) -> None:
    """Within training, b was rated twice: parts may have that, leave-one-out may not."""
    split = {"name": "leave-one-out", "candidates": 1}
    data = load_data(Recipe.parse({"data": {"path": str(divided)}, "split": split}))
    assert [row[1] for row in facts(data) if row[0] == "1"] == ["a", "b", "d", "c", "e"]
    assert data.notes[-1].startswith("1 of 9 rows repeat a person and an item")
    kept = load_data(Recipe.parse({"data": {"path": str(divided), "duplicates": "keep"}, "split": split}))
    assert len(kept) == 13


def test_movielens_appended_to_itself(data_dir: Path, tmp_path: Path) -> None:
    text = gzip.decompress((data_dir / "ml-latest-small" / "ratings.csv.gz").read_bytes()).decode()
    (tmp_path / "one.csv").write_text(text)
    (tmp_path / "two.csv").write_text(text + text.partition("\n")[2])
    one, two = load(tmp_path / "one.csv"), load(tmp_path / "two.csv")
    assert facts(one) == facts(two)
    assert two.notes == (
        "100,836 of 201,672 rows repeat a person and an item, all of them exactly; the last of each is kept.",
    )
    splits = [LeaveOneOut(candidates=20).split(data, 1) for data in (one, two)]
    assert splits[0].hash == splits[1].hash


def test_check_ins_repeat(data_dir: Path) -> None:
    data = load("gowalla", data_dir=data_dir)
    assert len(data) == 157_251 - 64_406
    assert data.notes[0].startswith("64,406 of 157,251 rows repeat a person and an item, 70 of them exactly")
    assert np.unique(data.owner * data.items + data.item).size == len(data)
