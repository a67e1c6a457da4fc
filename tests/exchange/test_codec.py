"""Messages as bytes: nothing is lost, nothing bad gets in, and the size is known beforehand."""

import struct
import tracemalloc
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sottovoce.errors import MessageError
from sottovoce.exchange.codec import decode, encode, largest, size
from sottovoce.exchange.message import LIMIT, Expect, Message

FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)
AGES = st.integers(0, LIMIT - 1)


@st.composite
def messages(draw: Any) -> tuple[Message, Expect]:
    """A valid message, whole or gathered, and the expectation that it meets."""
    items, width, head = draw(st.integers(0, 9)), draw(st.integers(0, 4)), draw(st.integers(0, 3))
    ids = sorted(draw(st.sets(st.integers(0, max(items - 1, 0)), max_size=items)))
    count = draw(st.sampled_from([items, len(ids)]))
    message = Message(
        rows=draw(arrays(np.float32, (count, width), elements=FLOATS)),
        age=draw(arrays(np.int32, count, elements=AGES)),
        ids=np.array(ids if count == len(ids) else [], np.int32),
        head=draw(arrays(np.float32, head, elements=FLOATS)),
        clock=draw(AGES),
        size=draw(st.integers(0, 2**63 - 1)),
        relay=draw(st.booleans()),
    )
    return message, Expect(items, width, head)


def assert_same(one: Message, other: Message) -> None:
    for mine, theirs in zip(one[:4], other[:4], strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        assert mine.tobytes() == theirs.tobytes()
    assert (one.clock, one.size, one.delta, one.relay) == (other.clock, other.size, other.delta, other.relay)
    np.testing.assert_array_equal(one.scale, other.scale)


def sample(gathered: bool = True) -> tuple[Message, Expect]:
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    ids = np.array([1, 4, 8] if gathered else [], np.int32)
    head = np.array([0.5], np.float32)
    message = Message(rows, np.array([0, 7, 2], np.int32), ids, head, clock=9, size=41)
    return message, Expect(items=10 if gathered else 3, width=2, head=1)


@given(messages())
def test_round_trip_and_size(case: tuple[Message, Expect]) -> None:
    message, expect = case
    data = encode(message)
    assert len(data) == size(*message.rows.shape, len(message.head), message.gathered) <= largest(expect)
    found = decode(data, expect)
    assert_same(found, message)
    assert encode(found) == data
    assert all(array.flags.writeable and array.flags.owndata for array in (found.age, found.ids, found.head))
    assert found.rows.flags.writeable


@given(messages())
def test_every_truncation_and_extension_is_noticed(case: tuple[Message, Expect]) -> None:
    message, expect = case
    data = encode(message)
    for length in range(len(data)):
        with pytest.raises(MessageError):
            decode(data[:length], expect)
    with pytest.raises(MessageError, match="announces"):
        decode(data + b"\0", expect)


@given(messages(), st.integers(1, 255))
def test_every_changed_byte_is_noticed(case: tuple[Message, Expect], change: int) -> None:
    message, expect = case
    data = encode(message)
    for at in range(len(data)):
        with pytest.raises(MessageError):
            decode(data[:at] + bytes([data[at] ^ change]) + data[at + 1 :], expect)


@given(messages(), st.data())
def test_what_passes_with_a_forged_checksum_is_a_valid_message(
    case: tuple[Message, Expect], data: st.DataObject
) -> None:
    """A sender with bad intentions computes the checksum too."""
    message, expect = case
    body = bytearray(encode(message)[:-4])
    for _ in range(data.draw(st.integers(1, 4))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    forged = bytes(body) + struct.pack("<I", zlib.crc32(body))
    try:
        found = decode(forged, expect)
    except MessageError:
        return
    assert_same(decode(encode(found), expect), found)
    assert found.rows.shape[1] == expect.width
    assert len(found.head) == expect.head
    assert len(found.rows) <= expect.items
    assert np.isfinite(found.rows).all()
    assert np.isfinite(found.head).all()
    assert ((found.age >= 0) & (found.age < LIMIT)).all()
    assert (np.diff(found.ids) > 0).all()
    assert ((found.ids >= 0) & (found.ids < expect.items)).all()


@given(st.binary(max_size=200))
def test_any_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(MessageError):
        decode(data, Expect(3, 2, 1))


def test_the_format_is_as_documented() -> None:
    message, expect = sample()
    body = struct.pack("<4sBBHIIIQ", b"SVOC", 1, 1, 2, 3, 1, 9, 41)
    body += struct.pack("<3i", 1, 4, 8) + struct.pack("<3i", 0, 7, 2)
    body += struct.pack("<6f", 0, 1, 2, 3, 4, 5) + struct.pack("<f", 0.5)
    data = body + struct.pack("<I", zlib.crc32(body))
    assert encode(message) == data
    assert_same(decode(data, expect), message)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"rows": np.full((3, 2), np.nan, np.float32)}, "not finite"),
        ({"rows": np.full((3, 2), np.inf, np.float32)}, "not finite"),
        ({"head": np.array([np.nan], np.float32)}, "not finite"),
        ({"age": np.array([0, -1, 2], np.int32)}, "ages"),
        ({"age": np.array([0, LIMIT, 2], np.int32)}, "ages"),
        ({"age": np.array([0], np.int32)}, "do not fit together"),
        ({"ids": np.array([1, 4], np.int32)}, "do not fit together"),
        ({"rows": np.zeros(3, np.float32)}, "do not fit together"),
        ({"ids": np.array([4, 1, 8], np.int32)}, "ascend"),
        ({"ids": np.array([1, 1, 8], np.int32)}, "ascend"),
        ({"ids": np.array([-1, 1, 8], np.int32)}, "negative"),
        ({"clock": -1}, "clock"),
        ({"clock": LIMIT}, "clock"),
        ({"size": -1}, "size"),
        ({"rows": np.zeros((3, 2**16), np.float32)}, "do not fit the message format"),
    ],
)
def test_a_bad_message_is_not_sent(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        encode(sample()[0]._replace(**change))


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        (0, b"GET ", "not a Sottovoce message"),
        (1, 2, "version 2"),
        (2, 33, "flags"),
        (3, 3, "rows of 3 numbers"),
        (4, 11, "11 rows"),
        (5, 2, "head of 2"),
        (6, LIMIT, "clock"),
        (7, 2**63, "size"),
    ],
)
def test_a_bad_header_is_named(field: int, value: Any, complaint: str) -> None:
    header = [b"SVOC", 1, 1, 2, 3, 1, 9, 41]
    header[field] = value
    body = struct.pack("<4sBBHIIIQ", *header) + encode(sample()[0])[28:-4]
    with pytest.raises(MessageError, match=complaint):
        decode(body + struct.pack("<I", zlib.crc32(body)), sample()[1])


def test_an_item_outside_the_catalogue_is_refused() -> None:
    message, expect = sample()
    with pytest.raises(MessageError, match="item 8"):
        decode(encode(message), expect._replace(items=8))


def test_a_whole_table_has_a_row_for_every_item() -> None:
    message, expect = sample(gathered=False)
    assert_same(decode(encode(message), expect), message)
    with pytest.raises(MessageError, match="same catalogue"):
        decode(encode(message), expect._replace(items=4))


@pytest.mark.parametrize("expect", [Expect(10, 2, 1), Expect(2**32, 2**16 - 1, 2**32 - 1)])
def test_no_memory_is_set_aside_for_what_a_header_only_claims(expect: Expect) -> None:
    body = struct.pack("<4sBBHIIIQ", b"SVOC", 1, 1, 2**16 - 1, 2**32 - 1, 2**32 - 1, 9, 41)
    tracemalloc.start()
    with pytest.raises(MessageError):
        decode(body + struct.pack("<I", zlib.crc32(body)), expect)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000
