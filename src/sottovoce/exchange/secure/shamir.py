"""Shamir's secret sharing of 32-byte secrets: any t of n shares give the secret, t - 1 tell nothing.

Shamir, "How to share a secret", 1979. The field is GF(2^16) with x^16 + x^12 + x^3 + x + 1 (0x1100B, of
which x is a generator), so that a group can have hundreds of people; a secret is 16 elements, little-
endian, each shared by a polynomial of its own of degree t - 1 whose constant term it is. Person i holds
the values at i + 1.

Multiplication looks up logarithms, so its time can depend on the cache and through it on the secret.
Whoever runs code on the same device to measure that could also read the client's memory.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.primitives import KEY, RandomBytes

POLYNOMIAL = 0x1100B
ORDER = 2**16 - 1
"""The number of elements other than zero, and so the most shares there can be."""
ELEMENTS = KEY // 2
"""Elements of the field in a secret."""


@functools.cache
def _tables() -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """Logarithms and powers of the generator.

    Zero has a logarithm so large that a sum with it reads a zero from the end of the powers.
    """
    log, power = np.zeros(ORDER + 1, np.int32), np.zeros(4 * ORDER + 1, np.uint16)
    value = 1
    for exponent in range(ORDER):
        power[exponent] = value
        log[value] = exponent
        value <<= 1
        if value > ORDER:
            value ^= POLYNOMIAL
    power[ORDER : 2 * ORDER] = power[:ORDER]
    log[0] = 2 * ORDER
    return log, power


def multiply(a: Any, b: Any) -> NDArray[np.uint16]:
    """Products in the field, of arrays that NumPy can bring to one shape."""
    log, power = _tables()
    product: NDArray[np.uint16] = power[log[a] + log[b]]
    return product


def _inverse(a: NDArray[np.uint16]) -> NDArray[np.uint16]:
    log, power = _tables()
    return power[ORDER - log[a]]


def split(
    secrets: Sequence[bytes], people: Sequence[int], threshold: int, random_bytes: RandomBytes
) -> NDArray[np.uint8]:
    """Shares [people, secrets, 32] of some secrets, for people by their number in the group."""
    if not 1 <= threshold <= len(people):
        raise MessageError(f"{len(people)} shares of which {threshold} are needed cannot be made.")
    at = _places(people)[:, None]
    constant = np.frombuffer(b"".join(secrets), "<u2")
    others = np.frombuffer(random_bytes((threshold - 1) * constant.nbytes), "<u2")
    values = np.zeros((len(people), len(constant)), np.uint16)
    for coefficient in (*others.reshape(threshold - 1, len(constant)), constant):  # Horner's rule
        values = multiply(values, at) ^ coefficient
    return values.astype("<u2").view(np.uint8).reshape(len(people), len(secrets), KEY)


def join(shares: NDArray[np.uint8], people: Sequence[int]) -> list[bytes]:
    """The secrets of which these people hold shares [people, secrets, 32].

    The number of people must be at least the threshold; with fewer the result is random.
    """
    at = _places(people)
    if shares.shape[0] != len(people) or shares.shape[2:] != (KEY,):
        raise MessageError(f"{len(people)} people cannot hold shares of shape {shares.shape}.")
    values = np.ascontiguousarray(shares).view("<u2").reshape(len(people), -1)
    # Lagrange at 0: the product of x_j / (x_j - x_i) over all j other than i, where - is xor.
    apart = at[None, :] ^ at[:, None]
    np.fill_diagonal(apart, 1)
    ratio = multiply(np.broadcast_to(at, apart.shape), _inverse(apart))
    np.fill_diagonal(ratio, 1)
    weight = functools.reduce(multiply, ratio.T)
    secret = np.bitwise_xor.reduce(multiply(weight[:, None], values), axis=0)
    data = secret.astype("<u2").tobytes()
    return [data[start : start + KEY] for start in range(0, len(data), KEY)]


def _places(people: Sequence[int]) -> NDArray[np.uint16]:
    """Where the polynomials are evaluated for these people."""
    if not people or len(set(people)) < len(people):
        raise MessageError("Two shares are one person's, or there is none.")
    if min(people) < 0 or max(people) >= ORDER:
        raise MessageError(f"A share is of person {max(people)}, and there can be {ORDER}.")
    return np.array(people, np.uint16) + np.uint16(1)
