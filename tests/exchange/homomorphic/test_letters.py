"""Letters between participants and server: nothing is lost, nothing bad gets in."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import letters
from sottovoce.exchange.homomorphic.letters import CONTRIBUTION, INVITATION, Letter, decode, encode
from sottovoce.exchange.homomorphic.plan import Plan
from tests.exchange.homomorphic.groups import PACKED, SINGLE

AGREED = b"agreed!!"
LETTER = Letter(CONTRIBUTION, 3, 7, (b"rows", b"", b"counts"))
DATA, LONGEST = encode(LETTER, AGREED), [4, 2, 10]


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.lists(st.binary(max_size=9), max_size=6).map(tuple),
)
def test_letters_return(number: int, sender: int, parts: tuple[bytes, ...]) -> None:
    letter = Letter(INVITATION, number, sender, parts)
    assert decode(encode(letter, AGREED), INVITATION, AGREED, [9] * len(parts)) == letter


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_every_damaged_byte_is_noticed(at: int, flip: int) -> None:
    bad = bytearray(DATA)
    bad[at] ^= flip
    for data in (bytes(bad), DATA[:at], DATA + b"x"):
        with pytest.raises(MessageError):
            decode(data, CONTRIBUTION, AGREED, LONGEST)


@given(st.binary(max_size=80))
def test_any_bytes_are_refused(data: bytes) -> None:
    body = struct.pack("<4sBBB8sII", b"SVHE", 1, CONTRIBUTION, 3, AGREED, 1, 1) + data
    for bad in (data, body, body + struct.pack("<I", zlib.crc32(body))):
        if bad[:-4] != DATA[:-4]:
            with pytest.raises(MessageError):
                decode(bad, CONTRIBUTION, AGREED, [0, 0, 0])


@pytest.mark.parametrize(
    ("kind", "agreed", "longest", "problem"),
    [
        (INVITATION, AGREED, LONGEST, "a contribution, and an invitation was expected"),
        (CONTRIBUTION, b"another!", LONGEST, "another plan or scheme"),
        (CONTRIBUTION, AGREED, [3, 2, 10], "a part of 4 bytes, and 3 is the most"),
        (CONTRIBUTION, AGREED, [4, 2], "3 parts, and 2 were expected"),
    ],
)
def test_what_is_not_expected_is_refused(kind: int, agreed: bytes, longest: list[int], problem: str) -> None:
    assert decode(DATA, CONTRIBUTION, AGREED, LONGEST) == LETTER
    with pytest.raises(MessageError, match=problem):
        decode(DATA, kind, agreed, longest)


def test_fewer_parts_where_they_are_allowed() -> None:
    two = encode(Letter(INVITATION, 1, 2, (b"a", b"b")), AGREED)
    assert decode(two, INVITATION, AGREED, [1] * 6, 2).parts == (b"a", b"b")
    with pytest.raises(MessageError, match="2 parts, and 6"):
        decode(two, INVITATION, AGREED, [1] * 6)


def test_settings_tell_plans_and_schemes_apart() -> None:
    plan = Plan(5, 2, 1, 4)
    found = {letters.settings(*one) for one in ((plan, PACKED), (plan, SINGLE), (Plan(5, 2, 1, 5), PACKED))}
    assert len(found) == 3
