"""STUNner (Berta et al., DAIS 2019): measurements of phones (battery, network, NAT).

`stunner_sample_events.csv` has a header and one row per measurement. Files called `dist_….txt` hold how often
each value occurs in the larger collection of the authors, in lines `value count rate`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import find, table
from sottovoce.data.sources.interface import Dataset
from sottovoce.errors import DataError
from sottovoce.registry import component

SET = Dataset(
    "stunner",
    ("stunner_sample_events.csv",),
    "Non-profit use; cite Berta et al., DAIS 2019.",
    "http://www.inf.u-szeged.hu/stunner",
    folders=("stunner-sample",),
)
COLUMNS = (
    "device",
    "timestamp_ms",
    "tz_offset_h",
    "trigger_code",
    "charging_state",
    "plugged_state",
    "battery_percent",
    "connection_mode",
    "mobile_network_type",
    "nat_result",
    "android_sdk",
)


class Events(NamedTuple):
    """Measurements in the order of the file. `columns` are numbers, except `mobile_network_type`.

    Missing measurements are NaN.
    """

    columns: dict[str, NDArray[np.float64] | list[str]]
    source: str


@component("source", "stunner", dataset=SET)
class Stunner(NamedTuple):
    """7,818 measurements of 245 phones; no interactions."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> NoReturn:
        """Always refused, because there are no people in it."""
        raise DataError(
            "stunner holds measurements of phones, not interactions.",
            "Read it with sottovoce.data.sources.stunner.read().",
        )


def read(data_dir: Path | None = None, path: str | None = None) -> Events:
    """The measurements of the data set, or of the file `path` in the same layout."""
    place, where = SET.obtain(data_dir) if path is None else (find.file(path, data_dir), path)
    content = table.read_text(place, ",", header=True, fields=len(COLUMNS))
    if tuple(content.frame.columns) != COLUMNS:
        raise DataError(
            f"{place}, line 1 does not name the expected columns.", f"Write: {','.join(COLUMNS)}."
        )
    columns: dict[str, NDArray[np.float64] | list[str]] = {
        name: content.texts(at) if name == "mobile_network_type" else content.numbers(at, name, gaps=at > 1)
        for at, name in enumerate(COLUMNS)
    }
    return Events(columns, where)


def distribution(name: str, data_dir: Path | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Values and how often each occurs, for example of `online_to_offline_seconds`."""
    beside = SET.obtain(data_dir)[0]
    path = find.beside(beside, f"dist_{name}.txt")
    if path is None:
        raise DataError(
            f"{beside.parent} holds no dist_{name}.txt.",
            "Use the name of a file that is there, without dist_ and .txt.",
        )
    raw = table.decode(path, table.read_bytes(path)).splitlines()
    rows = b"\n".join(line for line in raw if not line.startswith(b"#"))
    content = table.split_text(path, rows, " ")
    return content.numbers(0, "value").astype(np.int64), content.numbers(1, "count").astype(np.int64)


def facts(data_dir: Path | None = None) -> dict[str, int | str]:
    """The numbers of phones and measurements."""
    events = read(data_dir)
    device = np.asarray(events.columns["device"])
    return {"devices": len(np.unique(device)), "events": len(device), "source": events.source}
