"""Merge rules: what they do with ages, and that they leave agreement alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import registry
from sottovoce.combine.interface import merged_age, weight
from sottovoce.combine.linear import Linear
from sottovoce.combine.merge import ROWS, merge
from sottovoce.combine.none import Replace
from sottovoce.kernels import driver
from sottovoce.models.mf import MF
from sottovoce.state import each_alone, gathered, new_people, whole
from tests.networks import copy_of

NOBODY = new_people(1, np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), each_alone(1))


@driver
def _merge(rule, model, tables, slot, source, origin, people):
    merge(rule, model, tables, slot, source, origin, people, 0, 1, False)


def tables_of(rows, ages, ids=None):
    rows = np.array(rows, np.float32)
    if ids is None:
        made = whole(1, len(rows), rows.shape[1], 1)
    else:
        made = gathered([len(ids)], rows.shape[1], 1)
        made.ids[:] = ids
    made.rows[:] = rows
    made.age[:] = ages
    made.head[:] = rows.sum()
    made.clock[:] = max(ages)
    return made


def merged(rule, mine, theirs):
    result = copy_of(mine)
    _merge(rule, MF(), result, 0, theirs, 0, NOBODY)
    plain = copy_of(mine)
    merge(rule, MF(), plain, 0, theirs, 0, NOBODY, 0, 1, False)
    for fast, slow in zip(result, plain, strict=True):
        np.testing.assert_array_equal(fast, slow)
    return result


def test_linear_is_algorithm_4():
    mine, theirs = (
        tables_of([[1, 2], [3, 4], [5, 6], [7, 8]], [3, 0, 2, 0]),
        tables_of([[9, 9]] * 4, [1, 5, 0, 0]),
    )
    result = merged(Linear(), mine, theirs)
    np.testing.assert_allclose(result.rows[0], [1 + 8 / 4, 2 + 7 / 4])
    np.testing.assert_array_equal(result.rows[1], [9, 9])  # never updated here: replaced
    np.testing.assert_array_equal(result.rows[2], [5, 6])  # never updated there: ignored
    np.testing.assert_array_equal(result.rows[3], [7, 8])  # never updated anywhere: kept
    assert result.age.tolist() == [3, 5, 2, 0]
    assert result.clock[0] == 5


def test_linear_can_add_ages():
    result = merged(Linear(sum_ages=True), tables_of([[1.0]], [3]), tables_of([[2.0]], [4]))
    assert result.age.tolist() == [7]


def test_none_takes_the_incoming_model_exactly():
    mine, theirs = tables_of([[1e6, 3]], [9]), tables_of([[1e-6, 1 / 3]], [2])
    result = merged(Replace(), mine, theirs)
    np.testing.assert_array_equal(result.rows, theirs.rows)
    assert result.age.tolist() == [2]
    assert result.clock[0] == 2


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("ids", [None, [0, 1]])
def test_what_counts_for_nothing_does_no_harm(bad, ids):
    """A diverged model that has no weight changes no number, and one that is replaced leaves no trace."""
    sound, broken = [[1.0], [2.0]], [[bad], [bad]]
    kept = merged(Linear(), tables_of(sound, [1, 2]), tables_of(broken, [0, 0], ids))
    np.testing.assert_array_equal(kept.rows, sound)
    assert kept.head.tolist() == [[3.0]]
    healed = merged(Linear(), tables_of(broken, [0, 0]), tables_of(sound, [1, 2], ids))
    np.testing.assert_array_equal(healed.rows, sound)
    assert healed.head.tolist() == [[3.0]]


def test_message_with_some_rows_changes_only_those():
    mine, theirs = tables_of([[1.0], [2.0], [3.0]], [1, 1, 1]), tables_of([[5.0]], [1], ids=[1])
    result = merged(Linear(), mine, theirs)
    assert result.rows[:, 0].tolist() == [1, 3.5, 3]


@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
@pytest.mark.parametrize("w", [1, 2])
def test_a_whole_model_is_merged_as_a_message_of_all_its_rows(w, storage):
    """More rows than are merged at a time, some of which count for nothing; rounded with the same bits."""
    rng, count = np.random.default_rng(5), 2 * ROWS + 50
    sixteenths = rng.integers(-64, 65, (2, count, w)).astype(np.float32) / 16  # which 16 bits hold exactly
    ages = rng.integers(0, 5, (2, count))
    ages[1, :ROWS] = 0
    mine, theirs = (whole(1, count, w, 1, storage) for _ in range(2))
    for tables, rows, age in zip((mine, theirs), sixteenths, ages, strict=True):
        tables.rows[:] = (rows.view(np.uint32) >> 16) if storage == "bfloat16" else rows
        tables.age[:] = age
    message = tables_of(sixteenths[1], ages[1], np.arange(count))
    message.head[:], message.clock[:] = theirs.head, theirs.clock
    one, other = merged(Linear(), mine, theirs), merged(Linear(), mine, message)
    assert (one.rows[:ROWS] == mine.rows[:ROWS]).all()
    assert (one.rows[ROWS:] != mine.rows[ROWS:]).any()
    for array, same in zip(one, other, strict=True):
        np.testing.assert_array_equal(array, same)


rules = [registry.build("merge", name, {}, "merge") for name in registry.names("merge")]
floats = st.floats(-1e6, 1e6, width=32)


def share(mine, theirs):
    return theirs / (mine + theirs) if theirs else 0


# Every rule as its paper has it: the share of the incoming model, and the age of a row afterwards.
WEIGHTS = {
    "linear": share,
    "model-age": share,
    "dataset-size": share,
    "performance": share,
    "decentralized-reptile": lambda mine, theirs: 1 / 2,
    "none": lambda mine, theirs: 1,
}
AGES = dict.fromkeys(WEIGHTS, max) | {"none": lambda mine, theirs: theirs}


@pytest.mark.parametrize(("name", "rule"), list(zip(registry.names("merge"), rules, strict=True)))
@given(st.integers(0, 2**20), st.integers(0, 2**20))
def test_weights_and_ages_are_those_of_the_rule(name, rule, mine, theirs):
    expected = WEIGHTS[name](mine, theirs)
    assert weight(rule, np.float32(mine), np.float32(theirs)) == pytest.approx(expected, rel=1e-6)
    assert merged_age(rule, mine, theirs) == AGES[name](mine, theirs)


# Of two models with rows of ages 1 and 3 here, 3 and 1 there, clocks 3 and 9, data of 8 and 2: what is
# incoming counts in each row and in the head. Nobody has a weighting set, so qualities are equal.
SHARES = {
    "linear": ([3 / 4, 1 / 4], 9 / 12),
    "model-age": ([9 / 12, 9 / 12], 9 / 12),
    "dataset-size": ([2 / 10, 2 / 10], 2 / 10),
    "performance": ([1 / 2, 1 / 2], 1 / 2),
    "decentralized-reptile": ([1 / 2, 1 / 2], 1 / 2),
    "none": ([1, 1], 1),
}


@pytest.mark.parametrize(("name", "rule"), list(zip(registry.names("merge"), rules, strict=True)))
def test_models_are_merged_by_what_the_rule_compares(name, rule):
    mine, theirs = tables_of([[0, 8], [0, 8]], [1, 3]), tables_of([[4, 0], [4, 0]], [3, 1])
    mine.head[:], mine.clock[:], mine.size[:] = 0, 3, 8
    theirs.head[:], theirs.clock[:], theirs.size[:] = 1, 9, 2
    result = merged(rule, mine, theirs)
    rows, head = SHARES[name]
    np.testing.assert_allclose(result.rows, [[4 * part, 8 * (1 - part)] for part in rows], rtol=1e-6)
    np.testing.assert_allclose(result.head, [[head]], rtol=1e-6)
    assert result.age.tolist() == ([3, 1] if name == "none" else [3, 3])
    assert result.clock[0] == 9


@pytest.mark.parametrize("rule", rules, ids=registry.names("merge"))
@given(st.lists(st.tuples(floats, floats), min_size=1, max_size=9), st.data())
def test_identical_models_are_a_fixed_point(rule, rows, data):
    """To the last bit, whatever the weight: a sum of two shares would round."""
    ages = data.draw(st.lists(st.integers(0, 100), min_size=len(rows), max_size=len(rows)))
    mine = tables_of(rows, ages)
    result = merged(rule, mine, copy_of(mine))
    np.testing.assert_array_equal(result.rows, mine.rows)
    np.testing.assert_array_equal(result.head, mine.head)
    np.testing.assert_array_equal(result.age, mine.age)
