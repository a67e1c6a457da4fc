"""CKKS: the stated precision, what the server gets, and hostile bytes."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import ckks
from sottovoce.exchange.homomorphic.ckks import CKKS, NOISE, SLOTS
from sottovoce.exchange.homomorphic.fixed import Fixed
from sottovoce.exchange.homomorphic.optional import needed

SCHEME, FIXED = CKKS(), Fixed(24, 4.0, 20)
KEYS = SCHEME.make()
SERVER = SCHEME.adder(KEYS.public)
DATA = KEYS.seal(np.linspace(-4, 4, 100), FIXED)


@pytest.mark.parametrize("terms", [1, 16, 256])
def test_noise_stays_far_below_the_bound(terms: int) -> None:
    """On a grid so fine that rounding hides nothing; the bound is more than twenty deviations."""
    fixed = Fixed(48, 1.0, terms)
    values = np.random.default_rng(terms).uniform(-1, 1, (min(terms, 16), SLOTS))
    total, exact = None, np.zeros(SLOTS)
    for n in range(terms):
        vector = KEYS.parse(KEYS.seal(values[n % 16], fixed), SLOTS, fixed)
        total = vector if total is None else KEYS.add(total, vector)
        exact += np.rint(values[n % 16] * 2.0**48) / 2.0**48
    found = KEYS.open(KEYS.write(total or []), SLOTS, fixed)
    assert np.std(found - exact) < NOISE * np.sqrt(terms) / 20
    assert np.abs(found - exact).max() < SCHEME.error(fixed) / 2.0**48
    assert np.std(found - exact) > NOISE * np.sqrt(terms) / 40, "the parameters have changed: state it anew"


def test_as_many_terms_as_allowed_at_the_limit_do_not_wrap() -> None:
    fixed = Fixed(0, 1.0, ckks.MOST_TERMS)
    one = KEYS.seal(np.array([1.0, -1.0]), fixed)
    total = KEYS.parse(one, 2, fixed)
    for _ in range(10):
        total = KEYS.add(total, KEYS.parse(KEYS.write(total), 2, fixed))
    np.testing.assert_array_equal(KEYS.open(KEYS.write(total), 2, fixed), [1024, -1024])
    with pytest.raises(MessageError, match="at most 1024"):
        KEYS.seal(np.zeros(1), Fixed(0, 1.0, 1025))


def test_the_server_gets_no_secret_key() -> None:
    context = needed("tenseal").context_from(KEYS.public[22:])
    assert not context.has_secret_key()
    assert not hasattr(SERVER, "open")
    with pytest.raises(MessageError, match="not a public key"):
        SCHEME.adder(KEYS.secret)
    forged = KEYS.secret[:5] + bytes([ckks.PUBLIC]) + KEYS.secret[6:]
    with pytest.raises(MessageError, match="public key"):
        SCHEME.adder(forged)


def test_other_parameters_are_refused() -> None:
    tenseal = needed("tenseal")
    for degree, moduli in ((4096, [54, 54]), (8192, [60, 40, 60])):
        context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, degree, coeff_mod_bit_sizes=moduli)
        context.global_scale = ckks.SCALE if degree == 8192 else 2**40
        keys = ckks.CKKSHolder(context, DATA[6:14])
        with pytest.raises(MessageError, match=r"parameters in use here|length that cannot be"):
            SCHEME.adder(keys.public)
        forged = ckks._write(ckks.VECTOR, DATA[6:14], 1, [tenseal.ckks_vector(context, [1.0]).serialize()])
        with pytest.raises(MessageError, match=r"not a ciphertext|length that cannot be"):
            SERVER.parse(forged, 1, FIXED)


def test_ciphertexts_of_another_scale_or_count_are_refused() -> None:
    tenseal = needed("tenseal")
    context = tenseal.context_from(KEYS.public[22:])
    for vector in (
        tenseal.ckks_vector(context, [1.0, 2.0], scale=2**40),
        tenseal.ckks_vector(context, [1.0]),
        tenseal.ckks_vector(context, np.zeros(SLOTS + 1)),
    ):
        with pytest.raises(MessageError, match=r"not a ciphertext|length that cannot be"):
            SERVER.parse(ckks._write(ckks.VECTOR, DATA[6:14], 2, [vector.serialize()]), 2, FIXED)


@settings(max_examples=150)
@given(st.integers(0, 200), st.integers(1, 255), st.booleans())
def test_damaged_bytes_are_refused_or_another_ciphertext(at: int, flip: int, end: bool) -> None:
    bad = bytearray(DATA)
    bad[-1 - at if end else at] ^= flip
    try:
        SERVER.parse(bytes(bad), 100, FIXED)
    except MessageError:
        return
    assert end or at >= 22, "no damaged header is accepted"


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    whole = ckks._write(ckks.VECTOR, DATA[6:14], 100, [data])
    for read in (SCHEME.adder, SCHEME.holder, lambda d: SERVER.parse(d, 100, FIXED)):
        for bad in (data, whole, DATA[: len(data)]):
            with pytest.raises(MessageError):
                read(bad)


def test_lengths_are_bounded_before_they_are_read() -> None:
    huge = DATA[:18] + struct.pack("<I", 2**31) + DATA[22:]
    with pytest.raises(MessageError, match="length that cannot be"):
        SERVER.parse(huge, 100, FIXED)
    long = ckks._write(ckks.VECTOR, DATA[6:14], 100, [bytes(200_000)])
    with pytest.raises(MessageError, match="length that cannot be"):
        SERVER.parse(long, 100, FIXED)
    with pytest.raises(MessageError, match="2 bytes too many"):
        SERVER.parse(DATA + b"xx", 100, FIXED)
