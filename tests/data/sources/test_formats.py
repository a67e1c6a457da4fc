"""Formats whose data is not available here, tested on small made-up files; and files in archives."""

import gzip
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.sources import mnist, stunner
from sottovoce.errors import DataError


@pytest.fixture(autouse=True)
def nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SOTTOVOCE_DATA", raising=False)


def facts(data: Interactions) -> list[tuple[str, str, float, int]]:
    who = np.repeat(data.users, np.diff(data.indptr)).tolist()
    what = data.catalog.ids[data.item].tolist()
    return list(zip(who, what, data.value.tolist(), data.time.tolist(), strict=True))


def write(folder: Path, files: Mapping[str, str | bytes], form: str = "plain") -> Path:
    """The files in a folder: plain, each compressed, or all in an archive."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {n: c if isinstance(c, bytes) else c.encode() for n, c in files.items()}
    if form == "zip":
        with zipfile.ZipFile(folder / "original.zip", "w") as packed:
            packed.writestr("__MACOSX/._" + next(iter(content)), b"shadow")
            for name, raw in content.items():
                packed.writestr(f"inner/{name}", raw)
        return folder
    for name, raw in content.items():
        (folder / (name + ".gz" * (form == "gz"))).write_bytes(gzip.compress(raw) if form == "gz" else raw)
    return folder


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


CHECKINS = "470\t49bb\t4bf5\tArts & Crafts Store\t40.7198\t-74.0026\t-240\tTue Apr 03 18:00:09 +0000 2012\n"
CHECKINS += "979\t4a43\t4bf6\tCafé\t40.6068\t-74.0442\t-240\tTue Apr 03 18:00:08 +0000 2012\n"


@pytest.mark.parametrize("form", ["plain", "gz", "zip"])
def test_foursquare_new_york_as_published(form: str, tmp_path: Path) -> None:
    write(tmp_path / "foursquare-nyc", {"dataset_TSMC2014_NYC.txt": CHECKINS.encode("latin-1")}, form)
    data = load("foursquare-nyc", data_dir=tmp_path)
    assert facts(data) == [("470", "49bb", 1.0, 1333476009), ("979", "4a43", 1.0, 1333476008)]
    assert data.catalog.categories == [("Arts & Crafts Store",), ("Café",)]
    assert data.catalog.coordinates is not None
    assert data.catalog.coordinates[1] == pytest.approx((40.6068, -74.0442))
    assert "TSMC2014" in data.source
    core = b"user_id,venue_id,unix_time,latitude,longitude,category_id\n1,2,1333476009,40.7,-74.0,3\n"
    write(tmp_path / "foursquare-nyc", {"checkins_10core.csv": core})
    for version, count in (("any", 1), ("10-core", 1), ("original", 2)):
        assert len(load("foursquare-nyc", data_dir=tmp_path, version=version)) == count


WORLD = {
    "dataset_TIST2015_Checkins.txt": "5\tv1\tTue Apr 03 18:00:06 +0000 2012\t60\n"
    "6\tv2\tTue Apr 03 18:00:07 +0000 2012\t-180\n5\tv2\tTue Apr 03 18:00:05 +0000 2012\t60\n",
    "dataset_TIST2015_POIs.txt": b"v2\t-23.5\t-46.6\tBar\tBR\n"
    b"v1\t41.9\t12.5\tCaf\xe9\tIT\nv3\t0\t0\tBar\tIT\n",
}


def test_foursquare_of_the_world(tmp_path: Path) -> None:
    folder = write(tmp_path / "dataset_TIST2015", WORLD)
    data = load("foursquare-global", data_dir=tmp_path)
    assert facts(data) == [
        ("5", "v2", 1.0, 1333476005),
        ("5", "v1", 1.0, 1333476006),
        ("6", "v2", 1.0, 1333476007),
    ]
    italy = load(folder, country="it")
    assert facts(italy) == [("5", "v1", 1.0, 1333476006)]
    assert italy.catalog.categories == [("Café",)]
    with pytest.raises(
        DataError, match=r"no visited venue in the country 'FR'. Use one of these codes: BR, IT"
    ):
        load(folder, country="FR")
    (folder / "dataset_TIST2015_POIs.txt").unlink()
    with pytest.raises(DataError, match="no dataset_TIST2015_POIs"):
        load(folder)


def test_italian_cities(tmp_path: Path) -> None:
    row = "user_id\tvenue_id\ttype\tutc\n7\tv1\tGym\tTue Apr 03 18:07:30 +0000 2012\n"
    folder = write(tmp_path / "foursquare-italy", {"Rome.tsv": row, "Turin.tsv": row.replace("v1", "v2")})
    assert len(load(folder, cities=["Rome", "Turin"])) == 2
    assert load(folder, cities=["Turin"]).catalog.ids.tolist() == ["v2"]
    with pytest.raises(DataError, match=r"no Milan\.tsv"):
        load(folder)
    (folder / "Rome.tsv").write_text(row.replace("Tue Apr 03", "Tue Apr 33"))
    with pytest.raises(DataError, match=r"Rome\.tsv, line 2 has a time .*'Tue Apr 33"):
        load(folder, cities=["Rome"])


def test_gowalla_as_published(tmp_path: Path) -> None:
    rows = "0\t2010-10-19T23:55:27Z\t30.2359\t-97.7951\t22847\n"
    rows += "0\t2010-10-18T22:17:43Z\t30.2691\t-97.7494\t420315\n"
    write(tmp_path / "gowalla", {"loc-gowalla_totalCheckins.txt": rows}, "gz")
    data = load("gowalla", data_dir=tmp_path)
    assert facts(data) == [("0", "420315", 1.0, 1287440263), ("0", "22847", 1.0, 1287532527)]
    assert data.catalog.coordinates is not None
    assert data.catalog.coordinates[0] == pytest.approx((30.2359, -97.7951))


def test_places_without_coordinates(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "gowalla-1000", {"gowalla_checkins.txt": "0\t9\t1287503727.0\n0\t10\t1287503726.0"}
    )
    assert load(folder).catalog.coordinates is None
    (folder / "gowalla_poi_coos.txt").write_text("9\t1.5\t2.5")
    data = load(folder)
    assert data.catalog.ids.tolist() == ["9", "10"]
    assert data.catalog.coordinates is not None
    assert data.catalog.coordinates[0].tolist() == [1.5, 2.5]
    assert np.isnan(data.catalog.coordinates[1]).all()
    (folder / "gowalla_poi_coos.txt").write_text("9\t91\t2.5")
    with pytest.raises(DataError, match="latitude outside -90 to 90"):
        load(folder)


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


def test_yahoo(tmp_path: Path) -> None:
    name = "ydata-ymusic-rating-study-v1_0"
    write(tmp_path / name, {f"{name}-train.txt": "1\t14\t5\n1\t35\t1\n", f"{name}-test.txt": "1\t49\t2\n"})
    chosen = load("yahoo-r3", data_dir=tmp_path)
    assert facts(chosen) == [("1", "14", 5.0, 0), ("1", "35", 1.0, 0)]
    assert chosen.scale == (1.0, 5.0)
    assert facts(load(tmp_path / name, part="random")) == [("1", "49", 2.0, 0)]
    (tmp_path / name / f"{name}-test.txt").unlink()
    with pytest.raises(DataError, match=r"no .*-test\.txt"):
        load("yahoo-r3", data_dir=tmp_path, part="random")


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


def idx(shape: tuple[int, ...], content: Any) -> bytes:
    return bytes((0, 0, 8, len(shape))) + b"".join(n.to_bytes(4, "big") for n in shape) + bytes(content)


DIGITS = {
    "train-images-idx3-ubyte": idx((2, 28, 28), [7] * (2 * 784)),
    "train-labels-idx1-ubyte": idx((2,), [3, 9]),
    "t10k-images-idx3-ubyte": idx((1, 28, 28), [1] * 784),
    "t10k-labels-idx1-ubyte": idx((1,), [0]),
}


@pytest.mark.parametrize("form", ["plain", "gz"])
def test_idx(form: str, tmp_path: Path) -> None:
    write(tmp_path / "mnist", DIGITS, form)
    digits = mnist.read(tmp_path)
    assert digits.train.shape == (2, 28, 28)
    assert digits.train_labels.tolist() == [3, 9]
    assert digits.test.sum() == 784
    with pytest.raises(DataError, match="images, not interactions"):
        load("mnist", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("train-images-idx3-ubyte", b"\0\0\x08\x03", "is not an idx file"),
        ("train-images-idx3-ubyte", idx((2, 28, 27), []), "is not an idx file"),
        ("train-images-idx3-ubyte", idx((2, 28, 28), [1]), "1 bytes of content where 1,568"),
        ("train-labels-idx1-ubyte", idx((1,), [1]), "do not belong together"),
        ("train-labels-idx1-ubyte", idx((2,), [1, 10]), "do not belong together"),
    ],
)
def test_broken_idx(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    write(tmp_path / "mnist", DIGITS | {name: content})
    with pytest.raises(DataError, match=said):
        mnist.read(tmp_path)


def test_phones(tmp_path: Path) -> None:
    rows = ",".join(stunner.COLUMNS) + "\n0,1449050628953,9,5,,2,99,1,HSDPA,5,17\n"
    folder = write(tmp_path / "stunner", {"stunner_sample_events.csv": rows})
    columns = stunner.read(tmp_path).columns
    assert columns["mobile_network_type"] == ["HSDPA"]
    assert np.isnan(columns["charging_state"][0])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="phones, not interactions"):
        load("stunner", data_dir=tmp_path)
    with pytest.raises(DataError, match="no dist_x"):
        stunner.distribution("x", tmp_path)
    (folder / "stunner_sample_events.csv").write_text(rows.replace("device", "phone"))
    with pytest.raises(DataError, match="line 1 does not name"):
        stunner.read(tmp_path)
