"""Whose models have diverged: numbers that are not finite, or too large for arithmetic in single precision.

A number counts as too large when its square is no longer a finite float32, from 2⁶⁴ = 1.8 · 10¹⁹ on: no
product of two such numbers can be trusted. Numbers are compared as bits without their sign, which have
the order of the numbers, infinity and NaN above all; so one pass at the speed of memory finds the largest.
"""

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import driver, helper, prange
from sottovoce.state import People, Tables, slots_of

LIMIT = np.float32(2.0**64)
"""A number of at least this size has diverged."""


@helper
def _largest(bits, sign):
    """The largest of some numbers by size, as bits."""
    top = bits[0] & sign
    for n in range(1, len(bits)):
        top = max(top, bits[n] & sign)
    return top


@driver
def _sizes(bits, sign, out):
    for n in prange(len(out)):
        out[n] = _largest(bits[n], sign)


def bounded(numbers: NDArray[np.float32] | NDArray[np.uint16]) -> NDArray[np.bool_]:
    """Which rows of an array hold nothing but numbers below `LIMIT`; uint16 stands for bfloat16.

    >>> bounded(np.array([[1, -2], [np.nan, 0], [1e30, 0]], np.float32)).tolist()
    [True, False, False]
    """
    short = numbers.dtype == np.uint16
    kind = np.uint16 if short else np.uint32
    if not numbers.size:
        return np.ones(len(numbers), np.bool_)
    sign, limit = kind(0x7FFF if short else 0x7FFFFFFF), LIMIT.view(np.uint32) >> (16 if short else 0)
    sizes = np.empty(len(numbers), kind)
    _sizes(np.ascontiguousarray(numbers).view(kind), sign, sizes, batch=len(numbers))
    return np.asarray(sizes < limit)


def diverged(tables: Tables, people: People) -> NDArray[np.bool_]:
    """Whose own vector, or the whole table that they recommend with, holds what has diverged."""
    rows = tables.rows.reshape(tables.slots, -1)
    sound = bounded(rows) & bounded(tables.head)
    return ~(sound[slots_of(people)] & bounded(people.user))
