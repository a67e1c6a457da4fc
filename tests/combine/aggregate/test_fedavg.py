"""`fedavg` averages whole models by the number of instances (McMahan et al. 2017)."""

import numpy as np

from sottovoce.combine.aggregate.fedavg import FedAvg
from tests.combine.aggregate.serving import assert_moved, one_round


def test_models_are_averaged_by_instances(uncompiled):
    found = one_round(FedAvg())
    rows = np.average(found.rows, axis=0, weights=found.instances)
    assert_moved(found, rows, np.average(found.heads, axis=0, weights=found.instances))
