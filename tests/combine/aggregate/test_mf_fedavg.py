"""`mf-fedavg`: rows by contributors, the head by instances (Algorithm 1, Perifanis and Efraimidis 2022)."""

import numpy as np

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from tests.combine.aggregate.serving import ITEMS, assert_moved, one_round


def test_rows_are_averaged_over_those_who_changed_them(uncompiled):
    found = one_round(MFFedAvg())
    rows = found.before.astype(np.float64)
    for j in range(ITEMS):
        if found.changed[:, j].any():
            rows[j] = found.rows[found.changed[:, j], j].mean(axis=0)
    assert_moved(found, rows, np.average(found.heads, axis=0, weights=found.instances))
