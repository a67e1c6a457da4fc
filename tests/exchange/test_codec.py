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
from sottovoce.exchange.codec import decode, encode, largest, payload, size
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.message import LARGEST_WEIGHT, LIMIT, MODEL, UPDATE, Expect, Message

FLOATS = st.floats(-LARGEST_WEIGHT, LARGEST_WEIGHT, width=32)
AGES = st.integers(0, LIMIT - 1)


@st.composite
def messages(draw: Any) -> tuple[Message, Expect]:
    """A valid message, whole or gathered, and the expectation that it meets."""
    items, width, head = draw(st.integers(0, 9)), draw(st.integers(0, 4)), draw(st.integers(0, 3))
    ids = sorted(draw(st.sets(st.integers(0, max(items - 1, 0)), max_size=items)))
    count = draw(st.sampled_from([items, len(ids)]))
    update = count == len(ids) and draw(st.booleans())
    hashes = draw(st.binary(min_size=8, max_size=8)), draw(st.binary(min_size=8, max_size=8))
    message = Message(
        rows=draw(arrays(np.float32, (count, width), elements=FLOATS)),
        age=draw(arrays(np.int32, 0 if update else count, elements=AGES)),
        ids=np.array(ids if count == len(ids) else [], np.int32),
        head=draw(arrays(np.float32, head, elements=FLOATS)),
        clock=draw(AGES),
        size=draw(st.integers(0, 2**63 - 1)),
        relay=not update and draw(st.booleans()),
        kind=UPDATE if update else MODEL,
        sender=draw(st.integers(0, 2**64 - 1)),
        number=draw(st.integers(0, 2**64 - 1)),
        catalogue=hashes[0],
        settings=hashes[1],
    )
    return message, Expect(items, width, head, *hashes)


def assert_same(one: Message, other: Message) -> None:
    for mine, theirs in zip(one[:4], other[:4], strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        assert mine.tobytes() == theirs.tobytes()
    assert (one.clock, one.size, *one[7:]) == (other.clock, other.size, *other[7:])
    np.testing.assert_array_equal(one.scale, other.scale)


def sample(gathered: bool = True) -> tuple[Message, Expect]:
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    ids = np.array([1, 4, 8] if gathered else [], np.int32)
    head = np.array([0.5], np.float32)
    stamp = {"sender": 5, "number": 6, "catalogue": b"catalogu", "settings": b"settings"}
    message = Message(rows, np.array([0, 7, 2], np.int32), ids, head, clock=9, size=41, **stamp)
    return message, Expect(10 if gathered else 3, 2, 1, b"catalogu", b"settings")


@given(messages())
def test_round_trip_and_size(case: tuple[Message, Expect]) -> None:
    message, expect = case
    data = encode(message)
    shape = *message.rows.shape, len(message.head)
    assert len(data) == size(*shape, message.gathered, kind=message.kind) <= largest(expect)
    found = decode(data, expect, message.kind)
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
            decode(data[:length], expect, message.kind)
    with pytest.raises(MessageError, match="announces"):
        decode(data + b"\0", expect, message.kind)


@given(messages(), st.integers(1, 255))
def test_every_changed_byte_is_noticed(case: tuple[Message, Expect], change: int) -> None:
    message, expect = case
    data = encode(message)
    for at in range(len(data)):
        with pytest.raises(MessageError):
            decode(data[:at] + bytes([data[at] ^ change]) + data[at + 1 :], expect, message.kind)


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
        found = decode(forged, expect, message.kind)
    except MessageError:
        return
    assert_same(decode(encode(found), expect, message.kind), found)
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
    body = struct.pack("<4sBBHHIIIQQQ8s8s", b"SVOC", 2, 0, 1, 2, 3, 1, 9, 41, 5, 6, b"catalogu", b"settings")
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
        ({"rows": np.full((3, 2), 1e12, np.float32)}, "1048576 is the limit"),
        ({"head": np.array([-2e6], np.float32)}, "1048576 is the limit"),
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
        ({"sender": -1}, "sender"),
        ({"kind": UPDATE}, "do not fit together"),
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
        (1, 1, "version 1"),
        (2, UPDATE, "an update, and a model was expected"),
        (2, 9, "something of kind 9"),
        (3, 33, "flags"),
        (4, 3, "rows of 3 numbers"),
        (5, 11, "11 rows"),
        (6, 2, "head of 2"),
        (7, LIMIT, "clock"),
        (8, 2**63, "size"),
        (11, b"Catalogu", "another catalogue"),
        (12, b"Settings", "other settings"),
    ],
)
def test_a_bad_header_is_named(field: int, value: Any, complaint: str) -> None:
    header = [b"SVOC", 2, 0, 1, 2, 3, 1, 9, 41, 5, 6, b"catalogu", b"settings"]
    header[field] = value
    body = struct.pack("<4sBBHHIIIQQQ8s8s", *header) + encode(sample()[0])[62:-4]
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
    claims = 2**16 - 1, 2**32 - 1, 2**32 - 1
    body = struct.pack("<4sBBHHIIIQQQ8s8s", b"SVOC", 2, 0, 1, *claims, 9, 41, 5, 6, bytes(8), bytes(8))
    tracemalloc.start()
    with pytest.raises(MessageError):
        decode(body + struct.pack("<I", zlib.crc32(body)), expect)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


def test_an_update_names_its_items_and_has_no_ages() -> None:
    message, expect = sample()
    update = message._replace(kind=UPDATE, age=message.age[:0])
    assert_same(decode(encode(update), expect, UPDATE), update)
    assert len(encode(update)) == len(encode(message)) - 4 * 3
    with pytest.raises(MessageError, match="which items"):
        encode(update._replace(ids=update.ids[:0]))
    with pytest.raises(MessageError, match="a model, and an update was expected"):
        decode(encode(message), expect, UPDATE)


def test_fewer_rows_take_less_in_proportion_and_fewer_bits_what_they_save():
    def share(chain):
        return payload(chain, 100, 6, 0)

    assert share(Whole()) == share(Chain(delta=True)) == 1
    assert share(Chain(share=0.2)) == 0.2
    for some in (1.0, 0.2):
        whole, coded = (size(int(100 * some), 6, 0, some < 1, bits) for bits in (32, 8))
        assert share(Chain(some, 8)) == pytest.approx(some * coded / whole)
        assert share(Chain(some, 8)) > some * 8 / 32, "ages have as many bits as before"
