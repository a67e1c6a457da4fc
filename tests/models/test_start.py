"""What models hold before any training: the model's start, keyed by people and items."""

import numpy as np
import pytest

from sottovoce.kernels import INIT, stream
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import Context, resolve, shape, start_head, start_row, start_user
from sottovoce.models.start import start
from sottovoce.state import each_alone, gathered, new_people, whole

pytestmark = pytest.mark.usefixtures("uncompiled")

MODEL = resolve(GMF(factors=2), Context(items=5, low=1, high=5, calls=1, sharing=1))
SHAPE = shape(MODEL)


def people(keys):
    none = np.empty(0, np.int32)
    made = new_people(SHAPE.user, np.zeros(len(keys) + 1), none, none, each_alone(len(keys)))
    return made._replace(key=np.array(keys, np.int64))


def expected(who, item, run=7):
    row = np.empty(SHAPE.row, np.float32)
    start_row(MODEL, row, stream(run, INIT, who, item))
    return row


@pytest.mark.parametrize("common", [True, False])
def test_random_numbers_are_keyed_by_people_and_items(common):
    """By people's keys, not by the places that they happen to have: a device has the same numbers."""
    tables, persons = whole(3, 5, SHAPE.row, SHAPE.head), people([40, 7, 0])
    start(MODEL, tables, persons, 7, common, common)
    for slot, key in enumerate([40, 7, 0]):
        who = 0 if common else key + 1
        for item in range(5):
            np.testing.assert_array_equal(tables.rows[5 * slot + item], expected(who, item))
        head, user = np.empty(SHAPE.head, np.float32), np.empty(SHAPE.user, np.float32)
        start_head(MODEL, head, stream(7, INIT, who, -1))
        start_user(MODEL, user, stream(7, INIT, who, -2))
        np.testing.assert_array_equal(tables.head[slot], head)
        np.testing.assert_array_equal(persons.user[slot], user)
    assert len(np.unique(tables.rows, axis=0)) == (5 if common else 15)
    assert not tables.age.any()


def test_tables_of_some_items_start_as_whole_ones():
    some = gathered([2], SHAPE.row, SHAPE.head)
    some.ids[:] = [1, 4]
    start(MODEL, some, people([3]), 7, True, True)
    np.testing.assert_array_equal(some.rows, [expected(0, 1), expected(0, 4)])


def test_16_bits_are_rounded_alike_at_a_common_start():
    exact, coarse = (whole(2, 5, SHAPE.row, SHAPE.head, storage) for storage in ("float32", "bfloat16"))
    for tables in (exact, coarse):
        start(MODEL, tables, people([3, 4]), 7, True, True)
    read = (coarse.rows.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(coarse.rows[:5], coarse.rows[5:])
    assert (read != exact.rows).any()
    np.testing.assert_allclose(read, exact.rows, rtol=2.0**-7)
