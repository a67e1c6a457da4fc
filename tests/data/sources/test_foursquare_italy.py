"""Check-ins in Italian cities."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


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
