"""Pushes as bytes: nothing is lost, nothing bad gets in, and the size is known beforehand."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange import codec
from sottovoce.exchange.message import PUSH
from sottovoce.exchange.pushed import (
    CHECKSUM,
    HEADER,
    LARGEST,
    Expect,
    Form,
    Pushed,
    decode,
    encode,
    largest,
    size,
)
from sottovoce.exchange.short_numbers import from_short

SHORT = st.one_of(st.just(1024), st.integers(1024, 2**16 - 1), st.just(2**16 - 1)).map(
    lambda code: float(from_short(np.array([code], np.uint16))[0])
)


def array(values, kind, shape):
    return np.array(values, kind).reshape(shape)


@st.composite
def pushes(draw):
    """A push that is valid where counts carry noise."""
    items, counts, bits = draw(st.integers(1, 20)), draw(st.integers(1, 2)), draw(st.integers(2, 32))
    form = Form(items, draw(st.integers(0, 4)) + counts, counts, draw(st.integers(1, 5)), bits)
    ids = np.array(sorted(draw(st.sets(st.integers(0, items - 1)))), np.int32)
    rows = len(ids)
    alone = array(draw(st.lists(st.booleans(), min_size=rows, max_size=rows)), np.bool_, rows) & (counts == 2)
    whole, noisy = rows - int(alone.sum()), draw(st.booleans())
    number = st.builds(lambda value, down: -value if noisy and down else value, SHORT, st.booleans())
    told = array(
        draw(st.lists(number, min_size=rows * counts, max_size=rows * counts)), np.float32, (rows, counts)
    )
    told[alone, :-1] = 0
    scale = draw(st.lists(st.one_of(st.just(0.0), SHORT), min_size=whole, max_size=whole))
    most = 2 ** (bits - 1) - 1
    kind = np.int8 if bits <= 8 else np.int16 if bits <= 16 else np.int32 if bits < 32 else np.float32
    code = st.floats(-LARGEST, LARGEST, width=32) if bits == 32 else st.integers(-most, most)
    numbers = form.row - counts
    codes = array(
        draw(st.lists(code, min_size=whole * numbers, max_size=whole * numbers)), kind, (whole, numbers)
    )
    head = draw(
        st.lists(
            st.sampled_from([0.0, 1.0, -0.75, -(2.0**-60), 1.25]), min_size=form.head, max_size=form.head
        )
    )
    head[-1] = draw(st.floats(2.0**-30, 100, width=32))
    scales = array([] if bits == 32 else scale, np.float32, -1)
    stamp = draw(st.tuples(*[st.integers(0, 2**64 - 1)] * 3)), draw(st.binary(min_size=8, max_size=8))
    return Pushed(
        ids, alone, told, scales, codes, array(head, np.float32, -1), form, *stamp[0], stamp[1], b"settings"
    )


@given(pushes())
def test_it_is_there_and_back_and_its_size_is_known(push):
    data = encode(push)
    found = decode(data, push.expect)
    for mine, theirs in zip(push[:6], found[:6], strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert found[6:] == push[6:]
    alone = int(push.alone.sum())
    negative = int((push.counts < 0).any(axis=1).sum())
    assert len(data) == size(len(push.ids) - alone, alone, negative, push.form) <= largest(push.form)
    assert encode(found) == data


@given(pushes(), st.data())
def test_cut_or_changed_bytes_are_refused(push, draw):
    data = encode(push)
    with pytest.raises(MessageError):
        decode(data[: draw.draw(st.integers(0, len(data) - 1))], push.expect)
    with pytest.raises(MessageError):
        decode(data + b"\0", push.expect)
    at = draw.draw(st.integers(0, 8 * len(data) - 1))
    with pytest.raises(MessageError):
        decode(flipped(data, at), push.expect)


def flipped(data, at):
    changed = bytearray(data)
    changed[at // 8] ^= 1 << at % 8
    return bytes(changed)


def sealed(data):
    """With the check sum that a liar computes."""
    body = data[: -CHECKSUM.size]
    return body + CHECKSUM.pack(zlib.crc32(body))


@given(pushes(), st.data())
def test_a_liars_bytes_are_refused_or_are_a_valid_push(push, draw):
    data = encode(push)
    changed = sealed(flipped(data, draw.draw(st.integers(0, 8 * (len(data) - CHECKSUM.size) - 1))))
    try:
        found = decode(changed, push.expect)
    except MessageError:
        return
    assert encode(found) == changed or found.head[:-2].tobytes() != push.head[:-2].tobytes()
    for values in (found.counts, found.scale, found.codes.astype(float), found.head):
        assert np.isfinite(values).all()


FORM = Form(items=9, row=5, counts=2, head=4, bits=5)


def sample(bits=5, **changes):
    """Rows of items 1, 4 and 8; of item 4 there is a count alone."""
    form = FORM._replace(bits=bits)
    kind, scale = (np.float32, []) if bits == 32 else (np.int8, [0.5, 2.0])
    push = Pushed(
        ids=np.array([1, 4, 8], np.int32),
        alone=np.array([False, True, False]),
        counts=np.array([[0.5, 0.5], [0, 0.25], [0.5, 1]], np.float32),
        scale=np.array(scale, np.float32),
        codes=np.array([[1, -2, 3], [15, -15, 0]], kind),
        head=np.array([1, -0.5, 0.25, 0.5], np.float32),
        form=form,
        sweep=3,
        sender=7,
        number=2,
    )
    return push._replace(**changes)


EXPECT = Expect(FORM, 3, weight=10.0)


def test_the_bytes_of_an_example():
    data = encode(sample())
    assert data[:6] == b"SVOC" + bytes([codec.VERSION, PUSH])
    assert data[HEADER.size : HEADER.size + 3] == bytes([0b10010, 0b1, 0b010])  # items 1, 4, 8; the second
    at = HEADER.size + 3 + 2 * 2 + 5 * 2
    assert data[at : at + 2] == (1 | 30 << 5 | 3 << 10).to_bytes(2, "little")  # 1, −2, 3 in 5 bits each
    assert len(data) == at + 4 + 1 + 1 + 2 * 2 + 2 * 4 + 4
    assert len(encode(sample(32))) == HEADER.size + 3 + 4 * 5 + 2 * 3 * 4 + 1 + 1 + 2 * 2 + 2 * 4 + 4


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        (EXPECT._replace(sweep=4), "of sweep 3, and sweep 4 is under way"),
        (EXPECT._replace(catalogue=b"catalogs"), "another catalogue"),
        (EXPECT._replace(settings=b"settings"), "other settings"),
        (EXPECT._replace(form=FORM._replace(items=10)), "9 rows of 5 numbers"),
        (EXPECT._replace(form=FORM._replace(row=6)), "9 rows of 5 numbers"),
        (EXPECT._replace(form=FORM._replace(head=5)), "a head of 4"),
        (EXPECT._replace(form=FORM._replace(bits=6)), "of 6 bits"),
        (EXPECT._replace(form=FORM._replace(counts=1)), "9 rows"),
        (EXPECT._replace(weight=0.4), "weight"),
    ],
)
def test_pushes_of_others_are_refused(expect, problem):
    decode(encode(sample()), EXPECT)
    with pytest.raises(MessageError, match=problem):
        decode(encode(sample()), expect)


@pytest.mark.parametrize("bits", [5, 32])
@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"counts": np.array([[0.5, 0.5], [0, 0], [0.5, 1]], np.float32)}, "of nobody"),
        ({"counts": np.array([[0, 0.5], [0, 0.5], [0.5, 1]], np.float32)}, "of nobody"),
        ({"counts": np.array([[np.nan, 0.5], [0, 0.5], [0.5, 1]], np.float32)}, "not finite"),
        ({"head": np.array([1, 1, np.inf, 0.5], np.float32)}, "not finite"),
        ({"head": np.array([1, np.nan, 1, 0.5], np.float32)}, "not finite"),
        ({"head": np.array([1, 1, 1, 0], np.float32)}, "weight"),
        ({"head": np.array([1, 1, 1, -1], np.float32)}, "weight"),
        ({"head": np.array([1, 1, 1, np.nan], np.float32)}, "not finite"),
        ({"head": np.ones(5, np.float32)}, "fit together"),
        ({"ids": np.array([1, 1, 8], np.int32)}, "ascend"),
        ({"ids": np.array([1, 4, 9], np.int32)}, "in the catalogue"),
        ({"ids": np.array([-1, 4, 8], np.int32)}, "in the catalogue"),
        ({"alone": np.zeros(3, np.bool_)}, "fit together"),
        ({"sweep": 2**64}, "out of range"),
        ({"sender": -1}, "out of range"),
    ],
)
def test_what_no_receiver_accepts_is_not_sent(bits, changes, problem):
    with pytest.raises(MessageError, match=problem):
        encode(sample(bits, **changes))


def test_numbers_that_16_bits_do_not_hold_are_not_sent():
    for scale in ([0.5, 2.0**24], [0.5, 2.0**-40], [0.5, 1 + 2.0**-20]):
        with pytest.raises(MessageError):
            encode(sample(scale=np.array(scale, np.float32)))
    with pytest.raises(MessageError, match="negative scale"):
        encode(sample(scale=np.array([0.5, -1], np.float32)))


def test_negative_counts_are_refused_where_nobody_adds_noise():
    counts = np.array([[0.5, 0.5], [0, -0.25], [0.5, 1]], np.float32)
    for bits in (5, 32):
        push = sample(bits, counts=counts)
        expect = EXPECT._replace(form=push.form)
        np.testing.assert_array_equal(decode(encode(push), expect._replace(noisy=True)).counts, counts)
        with pytest.raises(MessageError, match="negative count"):
            decode(encode(push), expect)


def with_bytes(data, at, new):
    return sealed(data[:at] + new + data[at + len(new) :])


def test_hostile_floats_and_headers():
    data, expect = encode(sample(32)), EXPECT._replace(form=FORM._replace(bits=32))
    codes = HEADER.size + 3 + 4 * 5
    for number in (np.nan, np.inf, 1e30):
        with pytest.raises(MessageError, match="not finite"):
            decode(with_bytes(data, codes, np.float32(number).tobytes()), expect)
        with pytest.raises(MessageError):
            decode(with_bytes(data, len(data) - 8, np.float32(number).tobytes()), expect)
    shape = 4 + 1 + 1 + 2 + 1 + 1 + 2 + 4 + 4  # where the numbers of rows stand
    for whole, alone in ((2**32 - 1, 1), (9, 1), (0, 0), (3, 0), (1, 2)):
        with pytest.raises(MessageError):
            decode(with_bytes(data, shape, np.array([whole, alone], "<u4").tobytes()), expect)
    for at, new in ((0, b"SVOX"), (4, b"\x09"), (5, b"\x00"), (6, b"\x02\x00"), (6, b"\x01\x00")):
        with pytest.raises(MessageError):
            decode(with_bytes(data, at, new), expect)
    with pytest.raises(MessageError, match="a push"):
        codec.decode(data, codec.Expect(9, 4, 4))


def test_bits_that_stand_for_nothing_are_refused():
    data = encode(sample())
    for at, new in (
        (HEADER.size + 1, bytes([0b11])),  # a tenth item of nine
        (HEADER.size + 2, bytes([0b110])),  # two counts alone, and one was announced
        (HEADER.size + 3 + 14, (16).to_bytes(2, "little")),  # the code −16
        (HEADER.size + 3 + 15, bytes([0x80])),  # a bit beside three codes
    ):
        with pytest.raises(MessageError):
            decode(with_bytes(data, at, new), EXPECT)
