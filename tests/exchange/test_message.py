"""Messages: what is taken from tables into one, and what is made of one that arrives."""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.message import LIMIT, Message, emit, received
from sottovoce.models.mf import MF
from sottovoce.state import whole
from tests.exchange.packing import crowd
from tests.networks import simulate


def two_models(storage="float32"):
    tables = whole(2, 3, 2, 1, storage)
    numbers = np.arange(12, dtype=np.float32).reshape(6, 2)
    tables.rows[:] = numbers if storage == "float32" else numbers.view(np.uint32) >> 16
    tables.age[:], tables.head[:, 0] = np.arange(6), [0.5, -0.5]
    tables.clock[:], tables.size[:] = [7, 8], [70, 80]
    return tables


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
def test_a_model_goes_there_as_it_is(storage):
    """In 32 bits, whatever it is stored in: small whole numbers have both."""
    message = emit(two_models(storage), 1, Whole())
    assert message.rows.tolist() == [[6, 7], [8, 9], [10, 11]]
    assert message.rows.dtype == np.float32
    assert (message.age.tolist(), message.age.dtype) == ([3, 4, 5], np.int32)
    assert (message.head.tolist(), message.clock, message.size) == ([-0.5], 8, 80)
    assert (message.gathered, message.bits, message.delta) == (False, 32, False)


def test_what_arrives_is_one_slot():
    rows, age = np.arange(4, dtype=np.float32).reshape(2, 2), np.array([3, 4], np.int32)
    message = Message(rows, age, np.array([1, 5], np.int32), np.array([0.5], np.float32), 9, 2**40)
    tables = received(message)
    assert (tables.layout, tables.slots, tables.offset.tolist()) == ("gathered", 1, [0, 2])
    assert (tables.rows.tolist(), tables.age.tolist()) == (rows.tolist(), [3, 4])
    assert (tables.ids.tolist(), tables.head.tolist(), tables.clock.tolist()) == ([1, 5], [[0.5]], [9])
    assert tables.size.tolist() == [LIMIT], "no sum of sizes overflows"
    assert received(message._replace(ids=message.ids[:0])).layout == "whole"


def test_codes_mean_what_their_scale_says():
    """low + code · step for each column; the last column of the scale is the head's."""
    rows = np.array([[0, 255], [4, 1]], np.uint8)
    scale = np.array([[10, -1, 0], [0.5, 2, 0.25]], np.float32)
    given = rows, np.zeros(2, np.int32), np.empty(0, np.int32), np.array([8], np.uint8), 1, 1, scale
    tables = received(Message(*given))
    assert tables.rows.tolist() == [[10, 509], [12, 1]]
    assert tables.head.tolist() == [[2]]
    assert tables.rows.dtype == np.float32


def test_damaged_scales_are_refused():
    s = simulate(MF(factors=3), crowd(), chain=Chain(bits=8))
    message = emit(s.tables, 0, s.chain, s.people, s.driver.reference, 1, 0)
    for bad in (np.nan, np.inf, 1e38):
        scale = message.scale.copy()
        scale[1, 2] = bad
        with pytest.raises(MessageError):
            codec.encode(message._replace(scale=scale))
    with pytest.raises(MessageError, match="start"):
        received(message._replace(delta=True))
