"""Check-ins of the world, and of one country."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.facts import facts
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


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
