"""Events of phones."""

from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.load import load
from sottovoce.data.sources import stunner
from sottovoce.errors import DataError
from tests.data.sources.files import write

pytestmark = pytest.mark.usefixtures("nowhere_else")


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
