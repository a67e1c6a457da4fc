"""What every merge rule must be able to do."""

from typing import Any

import numpy as np

from sottovoce.combine.interface import compares_rows, judges, merged_age, weight
from sottovoce.combine.merge import merge
from sottovoce.kernels import driver
from sottovoce.models.mf import MF
from sottovoce.state import Tables, each_alone, gathered, new_people, whole
from sottovoce.testing.networks import checkerboard, simulate, uncompiled

ITEMS, WIDTH, HEAD = 9, 4, 2
STATISTICS = (0, 1, 2, 5, 100, 10_000, 2**29)
QUALITIES = (0.0, 0.25, 0.5, 1.0)


def check_merge_rule(rule: Any) -> None:
    """Check a merge rule; an `AssertionError` says what does not hold."""
    assert (type(rule).__doc__ or "").strip(), f"{type(rule).__name__} has no docstring."
    check_weights(rule)
    if not judges(rule):
        check_merge(rule)
    check_network(rule)


def check_weights(rule: Any) -> None:
    """Weights are shares, whatever is compared, and ages stay ages."""
    values = QUALITIES if judges(rule) else STATISTICS
    for mine in values:
        for theirs in values:
            share = float(weight(rule, np.float32(mine), np.float32(theirs)))
            assert 0 <= share <= 1, f"weight({mine}, {theirs}) is {share}, not a share from 0 to 1."
            if not judges(rule):
                age = int(merged_age(rule, np.int32(mine), np.int32(theirs)))
                assert 0 <= age <= mine + theirs, f"merged_age({mine}, {theirs}) is {age}."


@driver
def _merge(rule, model, tables, source, people):
    merge(rule, model, tables, 0, source, 0, people, 0, 1, False)


def _filled(seed: int) -> Tables:
    rng = np.random.default_rng(seed)
    tables = whole(1, ITEMS, WIDTH, HEAD)
    tables.rows[:], tables.head[:] = rng.normal(size=(ITEMS, WIDTH)), rng.normal(size=HEAD)
    tables.age[:], tables.clock[:], tables.size[:] = rng.integers(0, 9, ITEMS), 5 + seed, 10 * (seed + 1)
    return tables


def _copied(tables: Tables) -> Tables:
    return tables._replace(**{name: array.copy() for name, array in tables._asdict().items()})


def check_merge(rule: Any) -> None:
    """A merge lies between both models, leaves equal models alone, and is the same for a message of rows."""
    none = np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
    nobody = new_people(1, *none, each_alone(1))
    model = MF(factors=WIDTH - 1)
    mine, theirs = _filled(1), _filled(2)
    merged, equal, by_rows = _copied(mine), _copied(mine), _copied(mine)
    _merge(rule, model, merged, theirs, nobody)
    low, high = np.minimum(mine.rows, theirs.rows), np.maximum(mine.rows, theirs.rows)
    inside = (low - 1e-6 <= merged.rows).all() and (merged.rows <= high + 1e-6).all()
    assert inside, "A merged row does not lie between the two rows."
    _merge(rule, model, equal, _copied(mine), nobody)
    assert np.array_equal(equal.rows, mine.rows), "Merging a model with its copy changes it."
    message = gathered([ITEMS], WIDTH, HEAD)
    message.rows[:], message.age[:], message.ids[:] = theirs.rows, theirs.age, np.arange(ITEMS)
    message.head[:], message.clock[:], message.size[:] = theirs.head, theirs.clock, theirs.size
    _merge(rule, model, by_rows, message, nobody)
    same = np.array_equal(by_rows.rows, merged.rows) and np.array_equal(by_rows.age, merged.age)
    assert same, "A message of all rows is merged in another way than the whole model."
    if compares_rows(rule):
        for n in range(ITEMS):
            share = float(weight(rule, np.float32(mine.age[n]), np.float32(theirs.age[n])))
            wanted = mine.rows[n] + share * (theirs.rows[n] - mine.rows[n])
            assert np.allclose(merged.rows[n], wanted, atol=1e-5), "A row is not merged by its own weight."


def check_network(rule: Any) -> None:
    """In a small network, compiled code equals plain Python, and numbers stay finite."""
    data = checkerboard(4, 1.0)
    parts: dict[str, Any] = {"merge": rule}
    if judges(rule):
        rivals = np.tile(np.arange(4, dtype=np.int32), (len(data), 1))
        parts |= {"weighting": data, "candidates": rivals}
    fast, slow = (simulate(MF(factors=WIDTH - 1), data, **parts) for _ in range(2))
    fast.advance(4)
    with uncompiled():
        slow.advance(4)
    assert np.isfinite(fast.tables.rows).all(), "Merging makes numbers that are not finite."
    close = np.allclose(fast.tables.rows, slow.tables.rows, rtol=1e-4, atol=1e-5)
    assert close, "Compiled code differs from the same functions as plain Python."
