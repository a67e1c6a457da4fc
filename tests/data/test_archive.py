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
