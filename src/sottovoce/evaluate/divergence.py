"""Find models that diverged: numbers that are not finite, or too large for single precision.

A number is too large if its square is not a finite float32, that is from 2⁶⁴ = 1.8 · 10¹⁹ on: the product of
two such numbers overflows. Numbers are compared by their bits without the sign. These bits have the order of
the absolute values, with infinity and NaN at the top, so that one pass at the speed of memory finds the
largest.
"""

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import driver, helper, prange
from sottovoce.state import People, Tables, slots_of

LIMIT = np.float32(2.0**64)
"""Numbers with at least this absolute value have diverged."""


@helper
def _largest(bits, sign):
    """The bits of the largest absolute value. `sign` masks the sign bit."""
    top = bits[0] & sign
    for n in range(1, len(bits)):
        top = max(top, bits[n] & sign)
    return top


@driver
def _sizes(bits, sign, out):
    for n in prange(len(out)):
        out[n] = _largest(bits[n], sign)


def bounded(numbers: NDArray[np.float32] | NDArray[np.uint16]) -> NDArray[np.bool_]:
    """[rows]: which rows hold only numbers below `LIMIT`. An array of uint16 holds bfloat16 numbers.

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
    """[people]: whose vector, or whose table, holds a number that diverged."""
    rows = tables.rows.reshape(tables.slots, -1)
    sound = bounded(rows) & bounded(tables.head)
    return ~(sound[slots_of(people)] & bounded(people.user))
