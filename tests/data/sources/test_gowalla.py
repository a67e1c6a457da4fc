"""Check-ins of Gowalla as published."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from tests.data.facts import facts
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


def test_gowalla_as_published(tmp_path: Path) -> None:
    rows = "0\t2010-10-19T23:55:27Z\t30.2359\t-97.7951\t22847\n"
    rows += "0\t2010-10-18T22:17:43Z\t30.2691\t-97.7494\t420315\n"
    write(tmp_path / "gowalla", {"loc-gowalla_totalCheckins.txt": rows}, "gz")
    data = load("gowalla", data_dir=tmp_path)
    assert facts(data) == [("0", "420315", 1.0, 1287440263), ("0", "22847", 1.0, 1287532527)]
    assert data.catalog.coordinates is not None
    assert data.catalog.coordinates[0] == pytest.approx((30.2359, -97.7951))
