"""Numbers in 16 bits: a bfloat16, the upper half of a float32, in a uint16.

A number between two bfloat16 is rounded up or down at random, with the chances that make the mean right.
Rounding to the nearest would lose every step that is small enough.
"""

import functools
from typing import Any

import numba
import numpy as np
from numba.extending import overload

from sottovoce.kernels.components import LEAN


def dither(key: int, index: int, half: int) -> int:
    """16 random bits: the lower (`half` 0) or upper (1) ones of number `index` of the stream `key`.

    In arithmetic of 32 bits, which vectorises; the multipliers are those of Wellons (2018).
    """
    x = (int(index) * 0x9E3779B1 + int(key)) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15) ^ (int(key) >> 32)) * 0x846CA68B) & 0xFFFFFFFF
    return ((x ^ (x >> 16)) >> (16 * half)) & 0xFFFF


_in_place = functools.partial(overload, jit_options={"forceinline": True, **LEAN})


@_in_place(dither)
def _dither_compiled(key, index, half):
    golden, mix1, mix2 = np.uint32(0x9E3779B1), np.uint32(0x7FEB352D), np.uint32(0x846CA68B)
    s15, s16, low = np.uint32(15), np.uint32(16), np.uint32(0xFFFF)

    def compiled(key, index, half):
        x = np.uint32(np.uint32(index) * golden + np.uint32(key))
        x = np.uint32((x ^ (x >> s16)) * mix1)
        x = np.uint32((x ^ (x >> s15) ^ np.uint32(key >> np.uint64(32))) * mix2)
        return np.uint32((x ^ (x >> s16)) >> np.uint32(16 * half)) & low

    return compiled


def to_float32(value: Any) -> Any:
    """A number of an array as float32: a uint16 holds a bfloat16; other numbers stay as they are."""
    return np.uint32(int(value) << 16).view(np.float32) if isinstance(value, np.uint16) else value


@_in_place(to_float32)
def _load_compiled(value):
    if value == numba.uint16:
        return lambda value: np.uint32(np.uint32(value) << np.uint32(16)).view(np.float32)
    return lambda value: value


def from_float32(array: Any, value: Any, bits: int) -> Any:
    """A number as `array` holds it. In a uint16 it is the bfloat16 below or above, as 16 random bits decide.

    A number that a bfloat16 holds exactly stays as it is.
    """
    short = array.dtype == np.uint16
    return np.uint16((int(np.float32(value).view(np.uint32)) + int(bits)) >> 16 & 0xFFFF) if short else value


@_in_place(from_float32)
def _store_compiled(array, value, bits):
    if array.dtype == numba.uint16:
        return lambda array, value, bits: np.uint16(
            np.uint32(np.float32(value).view(np.uint32) + np.uint32(bits)) >> np.uint32(16)
        )
    return lambda array, value, bits: value
