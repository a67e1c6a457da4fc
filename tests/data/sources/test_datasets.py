"""Every data set of the shared folder: counts as its README gives them, and facts looked up by hand."""

from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.data.sources import mnist, ncf, stunner

README = {
    "ml-100k": (943, 1682, 100_000),
    "ml-1m": (6040, 3706, 1_000_209),
    "ml-latest-small": (610, 9724, 100_836),
    "movietweetings": (16_554, 10_506, 100_000),
    "lastfm": (1892, 17_632, 92_834),
    "foursquare-nyc": (1083, 5135, 147_938),
    "foursquare-italy": (6596, 34_332, 89_616),
    "foursquare-us": (4969, 8000, 185_984),
    "gowalla": (1000, 24_209, 157_251),
}
TIMED = sorted(README.keys() - {"lastfm"})


@pytest.fixture(scope="module")
def sets(data_dir: Path) -> dict[str, Interactions]:
    return {name: load(name, data_dir=data_dir, duplicates="keep") for name in README}


@pytest.mark.parametrize("name", README)
def test_counts_are_those_of_the_readme(sets: dict[str, Interactions], data_dir: Path, name: str) -> None:
    data = sets[name]
    assert (data.people, data.items, len(data)) == README[name]
    assert data.name == data.catalog.name == name
    assert data.terms
    assert str(data_dir) in data.source
    assert len(np.unique(data.item)) == data.items
    assert len(np.unique(data.users)) == data.people
    assert np.diff(data.indptr).min() >= 1
    assert data.value.min() >= data.scale[0]
    assert data.value.max() <= data.scale[1]


@pytest.mark.parametrize("name", TIMED)
def test_times_are_in_order(sets: dict[str, Interactions], name: str) -> None:
    data = sets[name]
    steps = np.diff(data.time)
    steps[data.indptr[1:-1] - 1] = 0
    assert steps.min() >= 0
    assert 8e8 < data.time.min() <= data.time.max() < 1.6e9


def described(data: Interactions, item_id: str) -> tuple[str, tuple[str, ...]]:
    at = int(np.flatnonzero(data.catalog.ids == item_id)[0])
    return data.catalog.title(at), data.catalog.categories[at] if data.catalog.categories else ()


def test_titles_and_genres(sets: dict[str, Interactions]) -> None:
    assert described(sets["ml-1m"], "1") == ("Toy Story (1995)", ("Animation", "Children's", "Comedy"))
    toys = ("Adventure", "Animation", "Children", "Comedy", "Fantasy")
    assert described(sets["ml-latest-small"], "1") == ("Toy Story (1995)", toys)
    assert described(sets["ml-latest-small"], "114335")[1] == ()
    assert described(sets["movietweetings"], "0002844")[0] == "Fantômas - À l'ombre de la guillotine (1913)"
    assert described(sets["lastfm"], "1") == ("MALICE MIZER", ("j-rock",))
    assert described(sets["foursquare-italy"], "4ba4c2cdf964a52086b238e3")[1] == ("Gym",)
    kinds = sets["foursquare-nyc"].catalog.categories
    assert kinds is not None
    assert {("Arcade",), ("category 284",), ("Airport Lounge (155)",)} <= set(kinds)


def test_coordinates(sets: dict[str, Interactions]) -> None:
    for name, item, expected in (
        ("foursquare-nyc", "635", (40.71981038, -74.00258103)),
        ("foursquare-us", "79", (25.696201, -100.351632)),
        ("gowalla", "2049", (30.2359091167, -97.7951395833)),
    ):
        catalog = sets[name].catalog
        assert catalog.coordinates is not None
        assert catalog.coordinates.shape == (len(catalog), 2)
        assert catalog.coordinates[catalog.ids == item][0] == pytest.approx(expected, abs=1e-5)


def test_the_italian_people_of_fpl(sets: dict[str, Interactions]) -> None:
    kept = load(sets["foursquare-italy"], min_user=20)
    assert kept.people == 1353
    assert "at least 20 interactions a person" in kept.source


def test_catalogues_of_movielens_1m(data_dir: Path) -> None:
    listed = load("ml-1m", data_dir=data_dir, catalog="listed")
    assert (listed.items, len(np.unique(listed.item))) == (3883, 3706)
    whole = load("ml-1m", data_dir=data_dir, catalog="range")
    assert whole.items == 3952
    assert whole.catalog.ids[[0, -1]].tolist() == ["1", "3952"]
    assert described(whole, "91") == ("91", ())
    assert described(whole, "3952")[0] == "Contender, The (2000)"


def test_tags_of_lastfm(data_dir: Path) -> None:
    tags = load("lastfm", data_dir=data_dir, what="tags", duplicates="keep")
    assert (len(tags), tags.people) == (186_479, 1892)
    assert 1238544000 in tags.time[tags.indptr[0] : tags.indptr[1]]  # the first of April 2009
    assert np.sum(tags.time < 946684800) == 5  # impossible years, kept as they are


def test_folders_and_archives_by_their_own_names(data_dir: Path) -> None:
    for place in ("gowalla-1000", data_dir / "gowalla-1000"):
        assert len(load(place, data_dir=data_dir, duplicates="keep")) == 157_251
    assert len(load(data_dir / "ml-1m" / "ml-1m.zip")) == 1_000_209
    assert len(load(data_dir / "ml-1m")) == 1_000_209


def test_the_division_of_pepper(data_dir: Path) -> None:
    parts = ncf.read_parts("foursquare-nyc/pepper_foursquareNYC", data_dir)
    assert parts.validation is not None
    assert [len(p) for p in (parts.train, parts.validation, parts.test)] == [21_206, 2_292, 2_537]
    assert (parts.whole.people, parts.whole.items) == (146, 38_333)
    assert parts.negatives is not None
    assert parts.validation_negatives is not None
    assert parts.negatives.shape == (2_537, 99)
    assert parts.validation_negatives.shape == (2_292, 99)
    catalog = parts.whole.catalog
    assert catalog.coordinates is not None
    assert catalog.coordinates[0] == pytest.approx((40.719810, -74.002581), abs=1e-5)


def test_digits(data_dir: Path) -> None:
    digits = mnist.read(data_dir)
    assert digits.train.shape == (60_000, 28, 28)
    assert digits.test.shape == (10_000, 28, 28)
    assert digits.train_labels[:5].tolist() == [5, 0, 4, 1, 9]
    assert np.bincount(digits.test_labels).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]


def test_phones(data_dir: Path) -> None:
    facts = stunner.facts(data_dir)
    assert (facts["events"], facts["devices"]) == (7818, 245)
    seen = {
        n: stunner.distribution(f"online_to_{n}_seconds", data_dir)[1].sum() for n in ("online", "offline")
    }
    assert seen == {"online": 2_042_681, "offline": 307_745}
    percent, count = stunner.distribution("online_percent_of_day", data_dir)
    assert count.sum() == 115_419
    assert percent @ count / count.sum() == pytest.approx(13.3, abs=0.05)
