"""The discrete Gaussian, sampled exactly (Canonne, Kamath and Steinke 2020).

    P(x) ∝ exp(−x² / 2σ²),   x a whole number, σ the `scale`, a whole number too

Every decision compares whole random numbers with whole numbers, so that no rounding error can leak anything
(Mironov 2012 showed that those of floating-point noise do). A discrete Laplace number Y with scale t = σ + 1
is accepted with probability exp(−(|Y| − σ²/t)² / 2σ²) (their Algorithm 3). With (|Y|t − σ²) / σt = i + r, i
whole, this is exp(−½)^(i²) · exp(−r)^i · exp(−r²/2), and each factor is drawn by itself: no product of whole
numbers then exceeds 64 bits.
"""

from typing import NamedTuple

from sottovoce.exchange.noise.interface import random_below, sample
from sottovoce.kernels import helper

LARGEST = 1 << 24
"""The largest scale: all products of whole numbers stay below 2⁶²."""


class DiscreteGaussian(NamedTuple):
    """Whole numbers with the density of a Gaussian."""

    scale: int
    """σ, from 1 to LARGEST."""


@helper
def _chance(source, a, b):
    """True with probability a / b, for 0 ≤ a ≤ b."""
    return random_below(source, b) < a


@helper
def _exponential(source, a, b):
    """True with probability exp(−a / b), for 0 ≤ a ≤ b (their Algorithm 1)."""
    k = 1
    while _chance(source, a, b) and _chance(source, 1, k):
        k += 1
    return k % 2 == 1


@helper
def _half_square(source, a, b):
    """True with probability exp(−(a / b)² / 2), for 0 ≤ a ≤ b."""
    k = 1
    while _chance(source, a, b) and _chance(source, a, b) and _chance(source, 1, 2 * k):
        k += 1
    return k % 2 == 1


@helper
def _accepted(source, a, b):
    """True with probability exp(−(a / b)² / 2), for any a ≥ 0."""
    whole = a // b
    rest = a - whole * b
    for _ in range(whole * whole):
        if not _exponential(source, 1, 2):
            return False
    for _ in range(whole):
        if not _exponential(source, rest, b):
            return False
    return _half_square(source, rest, b)


@helper
def discrete_laplace(source, scale):
    """A whole number x with probability ∝ exp(−|x| / scale) (their Algorithm 2)."""
    while True:
        low = random_below(source, scale)
        if _exponential(source, low, scale):
            high = 0
            while _exponential(source, 1, 1):
                high += 1
            found, negative = low + scale * high, random_below(source, 2) == 1
            if found > 0 or not negative:
                return -found if negative else found


@sample.rule(DiscreteGaussian)
def _sample(noise, source):
    scale = noise.scale
    while True:
        found = discrete_laplace(source, scale + 1)
        if _accepted(source, abs(abs(found) * (scale + 1) - scale * scale), scale * (scale + 1)):
            return found
