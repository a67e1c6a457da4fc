"""No churn, as in the churn-free scenario of Hegedűs et al. (2019)."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sottovoce.registry import component
from sottovoce.simulate.churn.interface import Sessions, sessions


@component("churn", "always")
class Always(NamedTuple):
    """Every node is online all the time."""


@sessions.rule(Always)
def _sessions(churn: Always, nodes: int, seconds: float, run: int, data_dir: Path | None) -> Sessions:
    return Sessions(np.empty(0, np.int64), np.empty(0), np.empty(0))
