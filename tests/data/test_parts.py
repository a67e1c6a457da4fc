"""Data sets that come divided: the files of NCF, and RecBole's."""

from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.load import load
from sottovoce.data.sources import ncf, recbole
from sottovoce.errors import DataError
from tests.data.facts import facts

NCF = {
    "toy.train.rating": "1\t32\t4\t20\n0\t34\t5\t10\n0\t4\t3\t5\n",
    "toy.validation.rating": "1\t5\t2\t30\n",
    "toy.test.rating": "1\t25\t5\t7\n0\t25\t1\t9\n",
    "toy.test.negative": "(1,25)\t100\t4\n(0,25)\t32\t7\n",
    "toy.validation.negative": "(1,5)\t34\n",
}


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    for name, text in NCF.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_ncf(toy: Path) -> None:
    for place in (toy, toy / "toy", toy / "toy.test.negative"):
        parts = ncf.read_parts(place)
        assert facts(parts.train) == [("0", "4", 3.0, 5), ("0", "34", 5.0, 10), ("1", "32", 4.0, 20)]
        assert facts(parts.test) == [("0", "25", 1.0, 9), ("1", "25", 5.0, 7)]
        assert parts.validation is not None
        assert facts(parts.validation) == [("1", "5", 2.0, 30)]
        ids = parts.whole.catalog.ids
        assert ids.tolist() == ["4", "5", "7", "25", "32", "34", "100"]
        assert parts.negatives is not None
        assert parts.validation_negatives is not None
        assert ids[parts.negatives].tolist() == [["32", "7"], ["100", "4"]]
        assert ids[parts.validation_negatives].tolist() == [["34"]]
        assert parts.negatives.dtype == np.int32
        for part in (parts.train, parts.test, parts.validation):
            assert part.catalog is parts.whole.catalog
            assert part.users is parts.whole.users
    assert len(load(toy)) == len(load(toy / "toy.train.rating")) == 6
    assert load("ncf", path=str(toy)).name == "toy"


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_line_ends_of_all_systems(end: str, toy: Path) -> None:
    wanted = ncf.read_parts(toy)
    for name, text in NCF.items():
        (toy / name).write_bytes(text.replace("\n", end).encode())
    parts = ncf.read_parts(toy)
    assert facts(parts.whole) == facts(wanted.whole)
    assert parts.negatives is not None
    assert wanted.negatives is not None
    assert parts.negatives.tolist() == wanted.negatives.tolist()


def test_ncf_without_validation_and_negatives(toy: Path) -> None:
    for name in ("toy.validation.rating", "toy.validation.negative", "toy.test.negative"):
        (toy / name).unlink()
    parts = ncf.read_parts(toy)
    assert parts[3:] == (None, None, None)
    assert len(parts.whole) == 5


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("toy.test.negative", "(1,25)\t100\t4\n", r"1 lines for 2"),
        ("toy.test.negative", "(0,25)\t32\t7\n(1,25)\t100\t4\n", r"line 1 begins with \(0,25\) for \(1,25\)"),
        ("toy.test.rating", "1\t25\t5\t7\t8\n", "line 1 has 5 fields. Write two, three"),
        ("toy.train.rating", "1\t25\tx\t7\n", r"line 1 has a rating that is not a number"),
        ("more.train.rating", "1\t25\n", "more than one|exactly one"),
    ],
)
def test_ncf_broken(toy: Path, name: str, text: str, said: str) -> None:
    (toy / name).write_text(text)
    with pytest.raises(DataError, match=said):
        ncf.read_parts(toy)


def test_other_names_of_the_files(toy: Path) -> None:
    wanted = ncf.read_parts(toy)
    (toy / "toy.test.negative").rename(toy / "toy.test.negatives")
    for name in ("rating", "negative"):
        (toy / f"toy.validation.{name}").rename(toy / f"toy.valid.{name}")
    for place in (toy, toy / "toy.test.negatives", toy / "toy.valid.rating"):
        data = load(place)
        assert facts(data) == facts(wanted.whole)
        assert data.division is not None
        assert len(data.division.negatives) == 2
        assert not [note for note in data.notes if note.startswith("Not used")]
    (toy / "toy.test.negatives").rename(toy / "toy.test.negatives.txt")
    assert "Not used, though beside these files: toy.test.negatives.txt." in load(toy).notes


def test_what_a_part_lacks_is_said(toy: Path) -> None:
    (toy / "toy.test.rating").write_text("1\t25\n0\t25\n")
    for what in ("ratings", "times"):
        note = f"train and validation have {what}, but test has none: {what} are not used."
        assert f"Of the parts of toy, {note}" in load(toy).notes


def test_ncf_missing(toy: Path) -> None:
    (toy / "toy.test.rating").unlink()
    with pytest.raises(DataError, match=r"holds no toy\.test\.rating"):
        ncf.read_parts(toy)
    with pytest.raises(DataError, match="does not exist"):
        ncf.read_parts(toy / "other")
    with pytest.raises(DataError, match="needs files"):
        load("ncf")


HEAD = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"


@pytest.mark.parametrize("words", [("train", "valid", "test"), ("part1", "part2", "part3")])
def test_recbole(words: tuple[str, str, str], tmp_path: Path) -> None:
    rows = ("u2\ti1\t4\t20\nu1\ti3\t2\t5\n", "u1\ti1\t3\t6\n", "u1\ti2\t1\t7\n")
    for word, text in zip(words, rows, strict=True):
        (tmp_path / f"toy.{word}.inter").write_text(HEAD + text)
    parts = recbole.read_parts(tmp_path)
    assert facts(parts.train) == [("u1", "i3", 2.0, 5), ("u2", "i1", 4.0, 20)]
    assert parts.validation is not None
    assert facts(parts.validation) == [("u1", "i1", 3.0, 6)]
    assert facts(parts.test) == [("u1", "i2", 1.0, 7)]
    assert parts.whole.catalog.ids.tolist() == ["i1", "i2", "i3"]
    assert (len(load(tmp_path)), load(tmp_path).name) == (4, "toy")
    (tmp_path / f"toy.{words[2]}.inter").unlink()
    with pytest.raises(DataError, match="does not belong to a data set in parts"):
        recbole.read_parts(tmp_path)


def test_units_of_time_in_parts(tmp_path: Path) -> None:
    (tmp_path / "toy.train.inter").write_text(f"{HEAD}u1\ti1\t4\t1333476450000\nu2\ti1\t4\t1333476451000\n")
    (tmp_path / "toy.test.inter").write_text(f"{HEAD}u1\ti2\t4\t1333476460000\n")
    assert "times in milliseconds" in load(tmp_path).source
    (tmp_path / "toy.test.inter").write_text(f"{HEAD}u1\ti2\t4\t7\n")
    with pytest.raises(DataError, match=r"toy\.test\.inter, line 2 has a time of another kind"):
        load(tmp_path)


def test_recbole_types(tmp_path: Path) -> None:
    (tmp_path / "toy.inter").write_text(HEAD + "u1\ti1\t3\t6\n")
    about = "item_id:token\tname:token_seq\tgenre:token_seq\tlatitude:float\tlongitude:float\n"
    (tmp_path / "toy.item").write_text(about + "i1\tA place\tSlice of Life, Drama\t1.5\t2.5\n")
    catalog = load(tmp_path).catalog
    assert catalog.titles == ["A place"]
    assert catalog.categories == [("Slice of Life", "Drama")]
    assert catalog.coordinates is not None
    assert catalog.coordinates.tolist() == [[1.5, 2.5]]
    (tmp_path / "toy.item").write_text("item_id:token\tcategory:token\ni1\tSlice of Life\n")
    assert load(tmp_path).catalog.categories == [("Slice of Life",)]
    (tmp_path / "toy.inter").write_text("user_id:token\titem_id:tokn\nu1\ti1\n")
    with pytest.raises(DataError, match=r"line 1: the column 'item_id:tokn' has no type.*token_seq"):
        load(tmp_path)
