"""The Netflix Prize, from made-up files."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.facts import facts
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


NETFLIX = {
    "combined_data_1.txt": "1:\n30878,4,2005-12-26\n2647871,3,2005-01-01\n2:\n30878,5,2005-12-25\n",
    "combined_data_2.txt": "4500:\n30878,1,2000-01-01\n",
    "movie_titles.csv": "1,2003,Dinosaur Planet\n2,NULL,Isle, of Man TT\n4500,1999,Élan\n".encode("latin-1"),
}


@pytest.mark.parametrize("form", ["plain", "gz", "zip"])
def test_netflix(form: str, tmp_path: Path) -> None:
    write(tmp_path / "netflix", NETFLIX, form)
    data = load("netflix", data_dir=tmp_path, files=[1, 2])
    assert facts(data) == [
        ("30878", "4500", 1.0, 946684800),
        ("30878", "2", 5.0, 1135468800),
        ("30878", "1", 4.0, 1135555200),
        ("2647871", "1", 3.0, 1104537600),
    ]
    assert data.catalog.titles == ["Dinosaur Planet (2003)", "Isle, of Man TT", "Élan (1999)"]
    assert load("netflix", data_dir=tmp_path, files=[1]).items == 2
    with pytest.raises(DataError, match=r"no combined_data_3\.txt.*data\.files"):
        load("netflix", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("1:\n5,6,2005-01-01\n", r"line 2 has a rating outside 1 to 5: column rating holds '6'"),
        ("1:\n5,4,2005-01-01\n2:\n6,3\n", r"line 4 has a time"),
        (
            "5,4,2005-01-01\n1:\n5,4,2005-01-01\n",
            r"line 1 belongs to no film: no line above it.*for example 1:\.",
        ),
        ("1:\n,4,2005-01-01\n", "line 2 has no user"),
    ],
)
def test_netflix_broken(rows: str, said: str, tmp_path: Path) -> None:
    write(tmp_path / "netflix", {"combined_data_1.txt": rows})
    with pytest.raises(DataError, match=said):
        load("netflix", data_dir=tmp_path, files=[1])
    write(tmp_path / "netflix", NETFLIX | {"movie_titles.csv": "1;2003;x\n"})
    with pytest.raises(DataError, match=r"movie_titles\.csv, line 1 is not of the form"):
        load("netflix", data_dir=tmp_path, files=[1])
