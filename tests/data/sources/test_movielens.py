"""The editions of MovieLens, from made-up files."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.facts import facts
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


COLONS = {
    "ratings.dat": "2::10::4.5::200\n1::20::3::100\n1::10::5::150\n",
    "movies.dat": "10::Amélie (2001)::Comedy|Romance\n20::Brazil (1985)::Sci-Fi\n30::Unseen (1999)::Drama\n",
}


CSV = {
    "ratings.csv": "userId,movieId,rating,timestamp\r\n2,10,4.5,200\r\n1,20,3.0,100\r\n1,10,5.0,150\r\n",
    "movies.csv": "movieId,title,genres\r\n10,Amélie (2001),Comedy|Romance\r\n"
    '20,"Brazil, or so (1985)",(no genres listed)\r\n30,Unseen (1999),Drama\r\n',
}


ROWS = [("1", "20", 3.0, 100), ("1", "10", 5.0, 150), ("2", "10", 4.5, 200)]


@pytest.mark.parametrize("form", ["plain", "gz", "zip"])
@pytest.mark.parametrize("name", ["ml-10m", "ml-20m", "ml-25m", "ml-32m", "ml-latest-small"])
def test_editions_of_movielens(name: str, form: str, tmp_path: Path) -> None:
    write(tmp_path / name, COLONS if name == "ml-10m" else CSV, form)
    for data in (load(name, data_dir=tmp_path), load(tmp_path / name)):
        assert facts(data) == ROWS
        assert (data.name, data.scale) == (name, (0.5, 5.0))
        assert data.catalog.ids.tolist() == ["10", "20"]
        assert data.catalog.title(0) == "Amélie (2001)"
        assert data.catalog.categories is not None
        assert data.catalog.categories[0] == ("Comedy", "Romance")
    assert load(name, data_dir=tmp_path, catalog="listed").catalog.ids.tolist() == ["10", "20", "30"]
    assert load(name, data_dir=tmp_path, catalog="range").items == 30


def test_movielens_without_films_or_with_a_bad_rating(tmp_path: Path) -> None:
    folder = write(tmp_path / "ml-1m", {"ratings.dat": COLONS["ratings.dat"].replace("4.5", "4")})
    assert "without titles" in load("ml-1m", data_dir=tmp_path).source
    (folder / "ratings.dat").write_text("1::1::6::5\n")
    with pytest.raises(DataError, match=r"ratings\.dat, line 1 has a rating outside 1 to 5"):
        load("ml-1m", data_dir=tmp_path)


def test_files_of_several_data_sets_are_not_mistaken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "mine", CSV)
    with pytest.raises(DataError, match=r"could be any of: ml-20m, ml-25m, ml-32m, ml-latest-small"):
        load(folder)
    assert load("ml-25m", data_dir=folder).name == "ml-25m"
    assert load(folder / "ratings.csv").name == "ratings"
    monkeypatch.setenv("SOTTOVOCE_DATA", str(folder))
    with pytest.raises(DataError, match=r"ml-32m was not found.*Get it from https://grouplens"):
        load("ml-32m")
