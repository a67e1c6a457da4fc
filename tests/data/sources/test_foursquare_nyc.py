"""Check-ins in New York, as published and as a core of them."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from tests.data.facts import facts
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


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
