"""Files in archives."""

import zipfile
from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.facts import facts


def test_own_files_in_archives(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "own.csv.zip", "w") as packed:
        packed.writestr("own.csv", "user,item,rating\na,x,3\nb,y,4\n")
    for path in (tmp_path / "own.csv.zip", tmp_path / "own.csv.zip" / "own.csv"):
        assert facts(load(path)) == [("a", "x", 3.0, 0), ("b", "y", 4.0, 0)]
    with zipfile.ZipFile(tmp_path / "own.csv.zip", "a") as packed:
        packed.writestr("other.csv", "")
    with pytest.raises(DataError, match=r"holds 2 files.*own\.csv\.zip/own\.csv"):
        load(tmp_path / "own.csv.zip")
    (tmp_path / "broken.zip").write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match="not a complete zip archive"):
        load(tmp_path / "broken.zip")


@pytest.mark.parametrize("name", ["synthetic", "ml-100k", "ml-20m", "gowalla", "lastfm", "netflix"])
def test_an_own_archive_with_the_name_of_a_data_set_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    for own in ("mine.csv", "ratings.csv"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as packed:
            packed.writestr(own, "user,item,rating\na,x,3\nb,y,4\n")
        assert facts(load(tmp_path / f"{name}.zip")) == [("a", "x", 3.0, 0), ("b", "y", 4.0, 0)]


def test_an_archive_of_a_data_set_is_recognized_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "u.data").write_text("9\t9\t1\t881250949\n")  # beside the archives: not what was given
    for name in ("ml-100k.zip", "download.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as packed:
            packed.writestr("ml-100k/README", "")
            packed.writestr("ml-100k/u.data", "1\t2\t3\t881250949\n")
        data = load(tmp_path / name)
        assert (data.name, facts(data)) == ("ml-100k", [("1", "2", 3.0, 881250949)])
        assert name in data.source
