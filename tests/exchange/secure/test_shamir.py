"""Any t shares give the secret, fewer tell nothing; the field is the published one."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.secure import shamir
from sottovoce.exchange.secure.primitives import repeatable


def product(a: int, b: int) -> int:
    """Multiplication of polynomials over GF(2), bit by bit, and reduction by x^16 + x^12 + x^3 + x + 1."""
    found = 0
    for bit in range(16):
        found ^= (a << bit) * (b >> bit & 1)
    for bit in range(31, 15, -1):
        found ^= (0b1_0001_0000_0000_1011 << (bit - 16)) * (found >> bit & 1)
    return found


def power(a: int, exponent: int) -> int:
    found = 1
    for _ in range(exponent):
        found = product(found, a)
    return found


def inverse(a: int) -> int:
    found, square = 1, a
    for _ in range(15):  # a^(2^16 - 2)
        square = product(square, square)
        found = product(found, square)
    return found


def join(shares: Sequence[bytes], people: Sequence[int]) -> bytes:
    """Lagrange's formula, number by number."""
    out = b""
    for at in range(0, 32, 2):
        secret = 0
        for one, share in zip(people, shares, strict=True):
            term = int.from_bytes(share[at : at + 2], "little")
            for other in people:
                if other != one:
                    term = product(product(term, other + 1), inverse((other + 1) ^ (one + 1)))
            secret ^= term
        out += secret.to_bytes(2, "little")
    return out


def test_field_is_the_published_one() -> None:
    """The Parity Volume Set Specification 2.0 uses this field, and lists powers of 2 in it."""
    exponents = 1, 2, 4, 7, 8, 11, 13, 14, 16, 19, 22
    listed = 2, 4, 16, 128, 256, 2048, 8192, 16384, 4107, 32856, 17132
    two = np.uint16(1)
    powers = {}
    for exponent in range(1, 23):
        two = shamir.multiply(two, np.uint16(2))
        powers[exponent] = int(two)
    assert tuple(powers[each] for each in exponents) == listed
    assert tuple(power(2, each) for each in exponents) == listed


@given(st.integers(0, 65535), st.integers(0, 65535))
def test_products(a: int, b: int) -> None:
    assert int(shamir.multiply(np.uint16(a), np.uint16(b))) == product(a, b)


def test_every_element_has_an_inverse() -> None:
    every = np.arange(1, 65536, dtype=np.uint16)
    assert (shamir.multiply(every, shamir._inverse(every)) == 1).all()


def test_shares_worked_out_by_hand() -> None:
    """With t = 2 and one coefficient a, the share of person i is secret + a (i + 1), an xor and a product."""
    secret = bytes([7, 0, *range(30)])
    shares = shamir.split([secret], [0, 1, 2], 2, lambda count: b"\x0b\x10" + bytes(count - 2))
    assert shares[0, 0].tobytes() == (7 ^ 0x100B).to_bytes(2, "little") + secret[2:]
    assert shares[1, 0].tobytes() == (7 ^ 0x2016).to_bytes(2, "little") + secret[2:]
    assert shares[2, 0].tobytes() == (7 ^ 0x301D).to_bytes(2, "little") + secret[2:]


@settings(max_examples=50)
@given(st.data())
def test_any_t_shares_give_the_secrets(data: st.DataObject) -> None:
    people = sorted(data.draw(st.sets(st.integers(0, 1023), min_size=1, max_size=6)))
    threshold = data.draw(st.integers(1, len(people)))
    secrets = data.draw(st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=3))
    random_bytes = repeatable(data.draw(st.binary(max_size=4)))
    shares = shamir.split(secrets, people, threshold, random_bytes)
    assert shares.shape == (len(people), len(secrets), 32)
    for some in itertools.combinations(range(len(people)), threshold):
        holders = [people[at] for at in some]
        assert shamir.join(shares[list(some)], holders) == secrets
        assert join([shares[at, 0].tobytes() for at in some], holders) == secrets[0]
    if len(people) > threshold:
        assert shamir.join(shares, people) == secrets


def test_one_share_of_two_tells_nothing_at_all() -> None:
    """Over all coefficients every value of a share comes exactly once, whatever the secret is."""
    coefficients = np.arange(65536, dtype="<u2")
    for secret in (b"\x00" * 32, b"\xff" * 32, bytes(range(32))):
        many = [secret] * 4096  # 16 elements each: 65,536 in all
        share = shamir.split(many, [4, 9], 2, lambda count: coefficients.tobytes())
        for person in range(2):
            values = np.ascontiguousarray(share[person]).view("<u2").ravel()
            for element in range(16):
                constant = int.from_bytes(secret[2 * element : 2 * element + 2], "little")
                masked = values[element::16] ^ constant
                assert len(np.unique(masked)) == 4096


def test_fewer_shares_look_uniform_and_independent_of_the_secret() -> None:
    """Chi-square over bytes of t - 1 = 3 shares: 255 degrees of freedom, above 340 once in 4,000 times."""
    for secret in (b"\x00" * 32, b"\xaa" * 32):
        shares = shamir.split([secret] * 2000, [0, 1, 2, 3, 4], 4, repeatable(secret))
        for one, other in itertools.combinations(range(3), 2):
            for values in (shares[one], shares[one] ^ shares[other]):
                found = np.bincount(values.ravel(), minlength=256)
                assert ((found - 250.0) ** 2 / 250.0).sum() < 340


def test_too_few_shares_give_something_else() -> None:
    secret = bytes(range(32))
    shares = shamir.split([secret], [0, 1, 2, 3], 3, repeatable(b"x"))
    assert shamir.join(shares[:2], [0, 1]) != [secret]
    assert shamir.join(shares[:3], [0, 1, 3]) != [secret]  # swapped


@pytest.mark.parametrize("people", [[], [1, 1], [-1, 2], [65535, 3]])
def test_people_who_cannot_be(people: list[int]) -> None:
    with pytest.raises(MessageError):
        shamir.join(np.zeros((len(people), 1, 32), np.uint8), people)


@pytest.mark.parametrize("threshold", [0, 3])
def test_thresholds_that_cannot_be(threshold: int) -> None:
    with pytest.raises(MessageError, match="cannot be made"):
        shamir.split([bytes(32)], [0, 1], threshold, repeatable(b""))


def test_shares_of_another_shape_are_refused() -> None:
    for shape in ((1, 1, 32), (2, 1, 31)):
        with pytest.raises(MessageError, match="cannot hold"):
            shamir.join(np.zeros(shape, np.uint8), [0, 1])
