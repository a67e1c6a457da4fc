"""Send numbers with 16 or 8 bits, rounded up or down at random so that the mean is right.

Each column of a message has a range of its own, low to high, in 2^bits − 1 steps. A number v is sent
as ⌊(v − low) / step + u⌋ with u uniform in [0, 1), whose expectation is (v − low) / step: errors
cancel when models are averaged, which rounding to the nearest does not promise.
"""

from typing import Literal, NamedTuple

import numpy as np

from sottovoce.exchange.compression.interface import Chain, link
from sottovoce.kernels import inlined
from sottovoce.registry import component


@component("compression", "quantize")
class Quantize(NamedTuple):
    """Fewer bits for each number of a row."""

    bits: Literal[16, 8] = 8
    """Bits for each number."""


@link.rule(Quantize)
def _link(compression: Quantize, chain: Chain) -> Chain:
    return chain._replace(bits=compression.bits)


@inlined
def step_of(low, high, bits):
    """The size of a step of a column, never zero."""
    step = (high - low) / np.float32((1 << bits) - 1)
    return step if step > 0 else np.float32(1)


@inlined
def encoded(value, low, step, bits, draw):
    """A number as a whole one in [0, 2^bits)."""
    return min(max(int((value - low) / step + np.float32(draw)), 0), (1 << bits) - 1)


@inlined
def decoded(code, low, step):
    """The number that was meant."""
    return low + code * step
