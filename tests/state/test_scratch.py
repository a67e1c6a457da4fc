"""Copies of models and of their rows, in float32, from tables of 32 or 16 bits."""

import numpy as np
import pytest

from sottovoce.state import gathered, hold, locate, opened_at, scratch_for, take_ages, take_rows, whole
from sottovoce.state.scratch import copy_model, indexed_copy, whole_copy
from tests.state.test_storage import filled

STORAGES = pytest.mark.parametrize("storage", ["float32", "bfloat16"])


@STORAGES
def test_a_copy_has_every_number_of_a_model(storage):
    tables, numbers = filled(storage)
    copies = whole(3, 4, 3, 1)
    copies.rows[:] = -1
    copy_model(tables, 1, copies, 2)
    np.testing.assert_array_equal(copies.rows[8:], numbers[4:])
    assert (copies.rows[:8] == -1).all()
    assert (copies.age.tolist(), copies.head.tolist()) == ([0] * 8 + [4, 5, 6, 7], [[0], [0], [0.5]])
    assert (copies.clock.tolist(), copies.size.tolist()) == ([0, 0, 4], [0, 0, 40])


@STORAGES
def test_a_copy_does_not_change_its_original(storage):
    tables, numbers = filled(storage)
    copy = whole_copy(tables, 1)
    assert (type(copy).layout, copy.slots) == ("whole", 1)
    np.testing.assert_array_equal(copy.rows, numbers[4:])
    assert (copy.age.tolist(), copy.head.tolist()) == ([4, 5, 6, 7], [[0.5]])
    assert (copy.clock.tolist(), copy.size.tolist()) == ([4], [40])
    for name in ("rows", "age", "head", "clock", "size"):
        getattr(copy, name)[:] = 99
    untouched, _ = filled(storage)
    for name in ("rows", "age", "head", "clock", "size"):
        np.testing.assert_array_equal(getattr(tables, name), getattr(untouched, name))


def test_an_indexed_copy_has_room_for_every_item():
    tables, numbers = filled("float32")
    copy = indexed_copy(whole_copy(tables, 0))
    assert (type(copy).layout, copy.ids.shape, copy.where.shape) == ("indexed", (4,), (1, 4))
    np.testing.assert_array_equal(copy.rows, numbers[:4])
    assert (copy.clock.tolist(), copy.offset.tolist()) == ([3], [0, 4])


@STORAGES
def test_only_rows_that_are_held_are_taken(storage):
    tables, numbers = filled(storage)
    some = scratch_for(tables, 1)
    some.rows[:], some.age[:] = -1, -1
    hold(some, 0, np.array([2, 0, 2], np.int32))
    take_rows(tables, 1, some, 0)
    take_ages(tables, 1, some)
    assert some.ids[:2].tolist() == [2, 0]
    np.testing.assert_array_equal(some.rows, [numbers[6], numbers[4], [-1] * 3, [-1] * 3])
    assert some.age.tolist() == [6, 4, -1, -1]
    assert np.shares_memory(some.head, tables.head)


def test_many_rows_are_taken_in_order():
    """More than are fetched ahead, into a place that is not the first."""
    tables = whole(2, 200, 2, 0)
    tables.rows[:] = np.arange(800).reshape(400, 2)
    some = gathered([3, 150], 2, 0, 200)
    some.rows[:], some.ids[3:] = -1, np.random.default_rng(1).permutation(200)[:150]
    take_rows(tables, 1, some, 1)
    np.testing.assert_array_equal(some.rows[3:], tables.rows[200:][some.ids[3:]])
    assert (some.rows[:3] == -1).all()


@STORAGES
def test_a_model_is_opened_for_some_items(storage):
    tables, numbers = filled(storage)
    one = opened_at(tables, 1, np.array([3, 1], np.int32))
    for item in (3, 1):
        np.testing.assert_array_equal(one.rows[locate(one, 0, item)], numbers[4 + item])
        assert one.age[locate(one, 0, item)] == 4 + item
