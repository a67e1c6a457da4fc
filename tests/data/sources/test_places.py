"""Places with and without coordinates, in the files of published code."""

from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


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
