"""One's own files called train and test keep their parts, and what is not used is said."""

import gzip
import zipfile
from pathlib import Path

import polars as pl
import pytest

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.split import TEST, TRAIN, WEIGHTING
from sottovoce.errors import DataError
from tests.data.facts import facts

HEAD = "user,item,rating,time\n"
TRAIN_ROWS = "ann,x,4,1333476450\nann,y,3,1333476451\nbob,x,5,1333476452\n"
TEST_ROWS = "ann,z,2,1333476460\nbob,y,1,1333476461\n"
NAMES = [
    ("train.csv", "test.csv"),
    ("training.csv", "testing.csv"),
    ("Train.csv", "Test.csv"),
    ("ratings_train.csv", "ratings_test.csv"),
    ("train-ratings.csv", "test-ratings.csv"),
    ("club.train.csv", "club.test.csv"),
    ("u1.base", "u1.test"),
    ("train.csv.gz", "test.csv"),
    ("train.txt", "test.txt.gz"),
]


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def sizes(data: Interactions) -> list[int]:
    assert data.division is not None
    return [int((data.division.part == part).sum()) for part in (TRAIN, TEST, WEIGHTING)]


@pytest.mark.parametrize("names", NAMES)
def test_names_of_parts(names: tuple[str, str], tmp_path: Path) -> None:
    train, test = (
        put(tmp_path, name, HEAD + rows) for name, rows in zip(names, (TRAIN_ROWS, TEST_ROWS), strict=True)
    )
    for place in (train, test, tmp_path):
        data = load(place)
        assert sizes(data) == [3, 2, 0]
        assert len(facts(data)) == 5
        assert "comes in parts: 3 for training, 2 for testing" in data.notes[0]
        assert train.name in data.source
        assert test.name in data.source
    alone = load("delimited", path=str(train))
    assert (len(alone), alone.division) == (3, None)


@pytest.mark.parametrize("word", ["valid", "validation", "val", "dev"])
def test_validation_sets(word: str, tmp_path: Path) -> None:
    put(tmp_path, "train.csv", HEAD + TRAIN_ROWS)
    put(tmp_path, f"{word}.csv", HEAD + "bob,z,3,1333476455\n")
    test = put(tmp_path, "test.csv", HEAD + TEST_ROWS)
    assert sizes(load(test)) == [3, 2, 1]


def test_other_formats(tmp_path: Path) -> None:
    for name, rows in (("train", TRAIN_ROWS), ("test", TEST_ROWS)):
        put(tmp_path, f"{name}.tsv", rows.replace(",", "\t"))
        lines = [line.split(",") for line in rows.split()]
        frame = pl.DataFrame(lines, schema=["user", "item", "rating", "time"], orient="row")
        frame.write_parquet(tmp_path / f"{name}.parquet")
        frame.write_ndjson(tmp_path / f"{name}.jsonl")
    for name in ("train.tsv", "train.parquet", "test.jsonl"):
        options = {"header": False} if name == "train.tsv" else {}
        data = load(tmp_path / name, **options)
        assert sizes(data) == [3, 2, 0]
        note = next(note for note in data.notes if note.startswith("Not used, though beside"))
        assert note.count("train.") == note.count("test.") == 2


def test_only_one_part_has_a_header(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", HEAD + TRAIN_ROWS)
    put(tmp_path, "test.csv", TEST_ROWS)
    assert sizes(load(train, header=None)) == [3, 2, 0]


def test_other_order_of_columns(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", HEAD + TRAIN_ROWS)
    put(tmp_path, "test.csv", "item,user,time,rating\nz,ann,1333476460,2\n")
    assert ("ann", "z", 2.0, 1333476460) in facts(load(train))


def test_what_a_part_lacks_is_said(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", HEAD + TRAIN_ROWS)
    put(tmp_path, "test.csv", "user,item\nann,z\n")
    data = load(train)
    name = tmp_path.name
    for what in ("ratings", "times"):
        note = f"Of the parts of {name}, train has {what}, but test has none: {what} are not used."
        assert note in data.notes
    put(tmp_path, "test.csv", "id,item\n1,z\n")
    with pytest.raises(DataError, match=r"test\.csv has no column 'user', the user in .*train\.csv"):
        load(train)


def test_times_of_another_kind_in_a_part(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", HEAD + TRAIN_ROWS)
    put(tmp_path, "test.csv", HEAD + "ann,z,2,7\nbob,y,1,8\n")
    with pytest.raises(DataError, match=r"test\.csv, line 2 has a time of another kind.*in 1970"):
        load(train)
    put(tmp_path, "test.csv", HEAD + "ann,z,2,1333476460000\n")
    assert "times in milliseconds" in load(train).source


def test_a_validation_set_without_a_test_set(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", HEAD + TRAIN_ROWS)
    put(tmp_path, "valid.csv", HEAD + TEST_ROWS)
    put(tmp_path, "test.tsv", TEST_ROWS)
    assert load(train).notes == ("Not used, though beside train.csv: test.tsv, valid.csv.",)


def packed(path: Path, **texts: str) -> Path:
    with zipfile.ZipFile(path, "w") as content:
        for name, text in texts.items():
            content.writestr(name.replace("__", "/").replace("_", "."), text)
    return path


def test_parts_in_an_archive(tmp_path: Path) -> None:
    path = packed(
        tmp_path / "club.zip",
        club__README_md="Ours.",
        club__train_csv=HEAD + TRAIN_ROWS,
        club__test_csv=HEAD + TEST_ROWS,
        club__test_tsv="old",
    )
    data = load(path)
    assert sizes(data) == [3, 2, 0]
    assert data.notes[-1] == "Not used, though beside these files: test.tsv."
    assert facts(data) == facts(load(path / "club/test.csv"))
    atoms = packed(
        tmp_path / "a.zip", a_train_inter="user_id:token\titem_id:token\n1\t2\n", README_md="Ours."
    )
    with zipfile.ZipFile(atoms, "a") as content:
        content.writestr("a.valid.inter", "user_id:token\titem_id:token\n1\t3\n")
        content.writestr("a.test.inter", "user_id:token\titem_id:token\n1\t4\n")
    assert sizes(load(atoms)) == [1, 1, 1]


def test_archives_with_unclear_parts_are_refused(tmp_path: Path) -> None:
    two = {f"{fold}__{part}_csv": HEAD + TRAIN_ROWS for fold in "ab" for part in ("train", "test")}
    with pytest.raises(DataError, match=r"holds 4 files: a/train.csv, a/test.csv, .*such as train.csv"):
        load(packed(tmp_path / "folds.zip", **two))
    with pytest.raises(DataError, match=r"for example .*one.zip/r.csv\."):
        load(packed(tmp_path / "one.zip", README_md="Ours.", r_csv=HEAD + TRAIN_ROWS))


def test_a_neighbour_that_is_no_part(tmp_path: Path) -> None:
    train = put(tmp_path, "train.csv", HEAD + TRAIN_ROWS)
    assert load(train).division is None
    put(tmp_path, "latest.csv", HEAD + TEST_ROWS)
    put(tmp_path, "own.csv", HEAD + TEST_ROWS)
    assert load(train).division is None
    assert load(tmp_path / "own.csv").division is None
