"""Plain sums: what blocks add up is the sum of all updates that are heard, weighted as the rule says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.change import Change
from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.sums.interface import (
    accumulate,
    changed_item,
    clear,
    collect,
    head_total,
    new_sums,
    row_total,
    weights_and_rows,
)
from sottovoce.combine.sums.plain import Plain
from sottovoce.state import gathered

ITEMS, ROW, HEAD, BLOCKS, PEOPLE = 7, 3, 2, 4, 9
WEIGHTS = {  # of a row, by its instances and its change, and of a head
    MFFedAvg: (lambda size, row: 1.0, float),
    FedAvg: (lambda size, row: float(size), float),
    Simple: (lambda size, row: 1.0, lambda size: 1.0),
    Change: (lambda size, row: np.abs(row).sum(), float),
}


def update_of(rng):
    """What a random person sends: items in any order, their changes, the head's, instances."""
    ids = rng.permutation(ITEMS)[: rng.integers(0, ITEMS + 1)].astype(np.int32)
    tables = gathered([ITEMS, 0], ROW, HEAD, ITEMS)
    tables.offset[1], tables.size[0] = len(ids), rng.integers(1, 9)
    tables.ids[: len(ids)] = ids
    tables.rows[: len(ids)] = rng.integers(1, 9, (len(ids), ROW))
    tables.head[0] = rng.integers(-8, 9, HEAD)
    return tables


@settings(max_examples=40)
@given(st.sampled_from([MFFedAvg(), FedAvg(), Simple(), Change()]), st.integers(0, 2**32))
def test_totals_are_weighted_sums_over_all_blocks(rule, seed):
    """Whole numbers are exact in single precision; the second time nothing is left of the first."""
    rng = np.random.default_rng(seed)
    row_weight, head_weight = WEIGHTS[type(rule)]
    length = np.full(PEOPLE, -1, np.float32)
    sums = new_sums(Plain(), BLOCKS, ITEMS, ROW, HEAD, length)
    for _ in range(2):
        rows, heads = np.zeros((ITEMS, ROW + 1)), np.zeros(HEAD)
        everybody, all_heads, sent, changed = 0.0, 0.0, 0, set()
        for block in range(BLOCKS):
            clear(Plain(), sums, block)
        for person in range(PEOPLE):
            update, heard = update_of(rng), rng.random() < 0.7
            count, size = update.offset[1], int(update.size[0])
            before = length[person]
            accumulate(Plain(), rule, update, 0, person, heard, sums, rng.integers(BLOCKS))
            sent += count
            numbers = [*update.rows[:count].ravel(), *update.head[0]]
            assert length[person] == (np.float32(np.linalg.norm(numbers)) if heard else before)
            if heard:
                for item, row in zip(update.ids[:count], update.rows[:count], strict=True):
                    weight = row_weight(size, row)
                    rows[item] += weight * np.array([*row, 1.0])
                    changed.add(int(item))
                heads += head_weight(size) * update.head[0]
                everybody += size if isinstance(rule, FedAvg) else 1
                all_heads += head_weight(size)
        found = collect(Plain(), sums)
        assert sorted(int(changed_item(Plain(), sums, n)) for n in range(found)) == sorted(changed)
        for item in changed:
            np.testing.assert_array_equal(sums.rows[row_total(Plain(), sums, item)], rows[item])
        assert [head_total(Plain(), sums, d) for d in range(HEAD)] == heads.tolist()
        assert weights_and_rows(Plain(), sums) == (everybody, all_heads, sent)


def test_nobody_asks_for_lengths():
    sums = new_sums(Plain(), 1, ITEMS, ROW, HEAD, np.empty(0, np.float32))
    clear(Plain(), sums, 0)
    accumulate(Plain(), Simple(), update_of(np.random.default_rng(1)), 0, 5, True, sums, 0)
    assert weights_and_rows(Plain(), sums)[0] == 1
