"""Paillier keys and ciphertexts as bytes: nothing is lost, nothing bad gets in."""

import random
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.paillier import generate
from sottovoce.exchange.homomorphic.paillier_format import (
    decode_public,
    decode_secret,
    decode_vector,
    encode_public,
    encode_secret,
    encode_vector,
    size,
)

BITS = 256
KEY, OTHER = (generate(BITS, random.Random(seed).randrange, weak=True) for seed in (1, 2))
VECTOR = encode_vector(KEY.public, KEY.encrypt([1, 2, 3]))


@given(st.lists(st.integers(0, 2**200), max_size=5))
def test_vectors_return(plain: list[int]) -> None:
    data = encode_vector(KEY.public, KEY.encrypt(plain))
    assert len(data) == size(len(plain), BITS)
    assert KEY.decrypt(decode_vector(data, KEY.public, len(plain))) == plain


def test_keys_return() -> None:
    assert decode_public(encode_public(KEY.public), BITS) == KEY.public
    assert decode_secret(encode_secret(KEY), BITS) == KEY


def test_the_header_is_as_documented() -> None:
    data = encode_public(KEY.public)
    assert data[:8] == b"SVPA" + struct.pack("<BBH", 1, 0, BITS)
    assert int.from_bytes(data[20:], "little") == KEY.public.n
    assert int.from_bytes(VECTOR[16:20], "little") == 3


@given(st.integers(0, len(VECTOR) - 1), st.integers(1, 255))
def test_damaged_headers_and_lengths_are_refused(at: int, flip: int) -> None:
    """A bit in a ciphertext may make another valid one; one in the header never passes."""
    bad = bytearray(VECTOR)
    bad[at] ^= flip
    if at < 20:
        with pytest.raises(MessageError):
            decode_vector(bytes(bad), KEY.public, 3)
    with pytest.raises(MessageError):
        decode_vector(VECTOR[:at], KEY.public, 3)


@given(st.binary(max_size=300))
def test_any_bytes_are_refused(data: bytes) -> None:
    for decode in (
        lambda: decode_vector(data, KEY.public, 3),
        lambda: decode_public(data, BITS),
        lambda: decode_secret(data, BITS),
    ):
        with pytest.raises(MessageError):
            decode()


def test_another_count_key_or_length_is_refused() -> None:
    with pytest.raises(MessageError, match="256 bits and 2 numbers were expected"):
        decode_vector(VECTOR, KEY.public, 2)
    with pytest.raises(MessageError, match="another key"):
        decode_vector(VECTOR, OTHER.public, 3)
    with pytest.raises(MessageError, match="512 bits"):
        decode_public(encode_public(KEY.public), 512)
    with pytest.raises(MessageError, match="213 bytes, and 212 were announced"):
        decode_vector(VECTOR + b"x", KEY.public, 3)


@pytest.mark.parametrize("bad", [0, 2**512 - 1, KEY.public.n, KEY.p])
def test_numbers_that_are_no_ciphertexts_are_refused(bad: int) -> None:
    data = VECTOR[:-64] + int(bad).to_bytes(64, "little")
    with pytest.raises(MessageError, match="ciphertext"):
        decode_vector(data, KEY.public, 3)


@pytest.mark.parametrize("n", [2**255, 2**255 + 95, 2**254 + 1, 0])
def test_numbers_that_are_no_public_keys_are_refused(n: int) -> None:
    data = encode_public(KEY.public)[:20] + n.to_bytes(32, "little")
    with pytest.raises(MessageError, match="not a public key"):
        decode_public(data, BITS)


def test_secret_keys_that_are_none_are_refused() -> None:
    data = encode_secret(KEY)
    with pytest.raises(MessageError, match="not a secret key"):
        decode_secret(data[:-1] + bytes([data[-1] ^ 1]), BITS)
    with pytest.raises(MessageError, match="not the one"):
        decode_secret(data[:8] + bytes(8) + data[16:], BITS)
