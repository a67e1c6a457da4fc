"""MovieLens 100K as GroupLens distributes it, and the copy that RecBole ships."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.sources import movielens_100k
from sottovoce.errors import DataError


def check(data: Interactions) -> None:
    """Counts of the data set, and a person whose ratings were looked up by hand."""
    assert (data.name, len(data), data.people, data.items) == ("ml-100k", 100_000, 943, 1682)
    assert data.scale == (1.0, 5.0)
    assert "no redistribution" in data.terms
    assert np.bincount(data.value.astype(int)).tolist() == [0, 6110, 11370, 27145, 34174, 21201]
    assert np.diff(data.indptr).min() == 20
    assert all(
        np.all(np.diff(data.time[a:b]) >= 0) for a, b in zip(data.indptr, data.indptr[1:], strict=False)
    )
    person = data.person(196)
    part = slice(data.indptr[person], data.indptr[person + 1])
    kolya = np.flatnonzero(data.catalog.ids[data.item[part]] == "242")
    assert data.value[part][kolya].tolist() == [3.0]
    assert data.time[part][kolya].tolist() == [881250949]
    assert data.catalog.title(241) == "Kolya (1996)"
    assert data.catalog.categories is not None
    assert data.catalog.categories[0] == ("Animation", "Children's", "Comedy")
    assert data.catalog.key(241) == "ml-100k:242"


def test_original_files(data_dir: Path) -> None:
    data = load("ml-100k", data_dir=data_dir)
    check(data)
    assert data.source == f"directory {data_dir / 'ml-100k'}"
    assert data.catalog.title(542) == "Misérables, Les (1995)"


def test_a_folder_and_plain_files(data_dir: Path, tmp_path: Path) -> None:
    for name in ("u.data", "u.item"):
        (tmp_path / name).write_bytes(gzip.decompress((data_dir / "ml-100k" / f"{name}.gz").read_bytes()))
    check(load(tmp_path))
    check(load("ml-100k", data_dir=tmp_path))
    (tmp_path / "u.item").unlink()
    data = load(tmp_path)
    assert data.catalog.titles is None
    assert "without titles" in data.source


def test_the_copy_in_recbole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path))
    try:
        movielens_100k._from_recbole(tmp_path / "data" / "ml-100k")
    except DataError as error:
        if "pip" in error.problem:
            pytest.skip(f"no package index: {error.problem}")
        raise
    monkeypatch.delenv("SOTTOVOCE_DATA", raising=False)
    data = load("ml-100k")
    check(data)
    assert data.source == f"cache {tmp_path / 'data' / 'ml-100k'}"


def test_both_copies_are_numbered_alike(data_dir: Path, tmp_path: Path) -> None:
    """A result does not depend on which copy was found."""
    original = load("ml-100k", data_dir=data_dir)
    rows = gzip.decompress((data_dir / "ml-100k" / "u.data.gz").read_bytes())
    header = b"user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    (tmp_path / "ml-100k.inter").write_bytes(header + rows)
    copy = load("ml-100k", data_dir=tmp_path)
    for name in ("indptr", "item", "value", "time", "users"):
        assert np.array_equal(getattr(original, name), getattr(copy, name))
    assert np.array_equal(original.catalog.ids, copy.catalog.ids)


GOOD = "1|A (1999)|01-Jan-1999||http://a|" + "|".join(["0"] * 18 + ["1"])


@pytest.mark.parametrize(
    ("data", "item", "said"),
    [
        ("1\t1\t6\t9\n", GOOD, r"u\.data, line 1 has a rating outside 1 to 5: column #3 holds '6'"),
        ("1\t1\t5\t9\n1\t1\t5\n", GOOD, r"u\.data, line 2 has 3 fields, but must have 4"),
        ("1\t1\t5\tx\n", GOOD, r"u\.data, line 1 has a time"),
        ("1\t1\t5\t9\n", GOOD + "|0", r"u\.item, line 1 has 25 fields, but must have 24"),
        ("1\t1\t5\t9\n", GOOD[:-1] + "7", r"u\.item, line 1 has a genre flag outside 0 to 1"),
        ("", GOOD, r"u\.data is empty"),
    ],
)
def test_broken_files(data: str, item: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text(data)
    (tmp_path / "u.item").write_text(item)
    with pytest.raises(DataError, match=said):
        load("ml-100k", data_dir=tmp_path)
