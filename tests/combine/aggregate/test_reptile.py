"""`reptile` goes part of the way to the plain mean (Nichol et al. 2018)."""

import pytest

from sottovoce.combine.aggregate.reptile import Reptile
from tests.combine.aggregate.serving import assert_moved, one_round


@pytest.mark.parametrize("step", [0.25, 1.0])
def test_the_start_moves_part_of_the_way_to_the_mean(uncompiled, step):
    found = one_round(Reptile(step=step))
    rows = found.before + step * (found.rows - found.before).mean(axis=0)
    assert_moved(found, rows, found.head_before + step * (found.heads - found.head_before).mean(axis=0))
