"""Churn from event logs of real phones, in the layout of STUNner (Berta et al. 2019).

As in Hegedűs et al. (2019, Section 6.3), a phone is online when it has been on a charger and connected for at
least a minute. A simulated node follows one random segment of two days, which begins at midnight UTC;
consecutive segments overlap by one day. Our decisions:

- On a charger means charging, or full and plugged in. Connected means by any network; the paper also requires
  1 Mbit/s, which the files do not contain. Without a record of the battery a phone is not on the charger.
- A record is valid until the next one of its phone. Phones report every ten minutes, some every thirty. If 40
  minutes pass without a record, the phone was offline for all that time.
- Records dated before 2012, two years before the app was published (Berta et al. 2014), or after 2100 come
  from wrong clocks and are dropped.
- A segment needs a record on both days. Otherwise the phone was perhaps not offline, but not observed.
- In a run of more than two days, a node follows several segments, one after the other.

The public sample is small: 7,818 records of 245 phones give 47 segments of 13 phones. 6 % are online on
average, and half of them never. It is enough to try the layout. The complete trace must be requested from its
authors; `phones` is a substitute.
"""

from math import ceil
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.sources import stunner
from sottovoce.errors import DataError
from sottovoce.registry import component
from sottovoce.simulate.churn.interface import Sessions, sessions
from sottovoce.simulate.churn.packing import dealt, draws, packed
from sottovoce.state import Doubles, Longs

DAY = 86400
SEGMENT = 2 * DAY
SILENCE = 40 * 60
PATIENCE = 60
YEARS = 1325376000, 4102444800  # 2012 and 2100 begin


@component("churn", "stunner")
class Stunner(NamedTuple):
    """Segments of two days from the logs of phones."""

    path: str | None = None
    """A file in the layout of STUNner's events; if not given, the file of the data set `stunner`."""


@sessions.rule(Stunner)
def _sessions(churn: Stunner, nodes: int, seconds: float, run: int, data_dir: Path | None) -> Sessions:
    known = segments(data_dir, churn.path)
    each = ceil(seconds / SEGMENT)
    count = len(known.first) - 1
    chosen = np.stack([draws(run, nodes, count, part) for part in range(each)], axis=1)
    return dealt(known, chosen.ravel(), each, SEGMENT, seconds)


def segments(data_dir: Path | None = None, path: str | None = None) -> Sessions:
    """All segments of two days. Each is one node."""
    events = stunner.read(data_dir, path)
    column = {name: np.asarray(events.columns[name]) for name in stunner.COLUMNS[:8]}
    time = column["timestamp_ms"] / 1000
    good = np.flatnonzero((time >= YEARS[0]) & (time < YEARS[1]))
    good = good[np.lexsort((time[good], column["device"][good]))]
    time = time[good]
    device = np.unique(column["device"][good], return_inverse=True)[1]
    charging, plugged, mode = (
        column[name][good] for name in ("charging_state", "plugged_state", "connection_mode")
    )
    ready = ((charging == 2) | ((charging == 5) & (plugged > 0))) & (mode >= 0)
    known = online(device, time, ready)

    days = np.unique(device * DAY + (time // DAY).astype(np.int64))  # day numbers are below DAY
    begun = days[np.isin(days + 1, days)]
    if len(begun) == 0:
        raise DataError(
            f"{events.source} has no phone with records on two days in a row.",
            "Use the churn 'phones', which needs no files, or a longer log.",
        )
    parts = []
    for number, (owner, day) in enumerate(zip(*np.divmod(begun, DAY), strict=True)):
        own = slice(known.first[owner], known.first[owner + 1])
        since, until = known.since[own] - day * DAY, known.until[own] - day * DAY
        near = (since < SEGMENT) & (until > 0)
        parts.append((np.full(near.sum(), number), since[near], until[near]))
    node, since, until = (np.concatenate(part) for part in zip(*parts, strict=True))
    return packed(node, since, until, len(begun), SEGMENT)


def online(device: Longs, time: Doubles, ready: NDArray[np.bool_]) -> Sessions:
    """When each phone was online. Records are sorted by phone and time (in seconds)."""
    holds = (device[1:] == device[:-1]) & (np.diff(time) <= SILENCE) & ready[:-1]
    phones = int(device.max(initial=-1)) + 1
    able = packed(device[:-1][holds], time[:-1][holds], time[1:][holds], phones)
    owner = np.repeat(np.arange(phones), np.diff(able.first))
    return packed(owner, able.since + PATIENCE, able.until, phones)
