"""The Skellam distribution: the difference of two Poisson numbers (Agarwal, Kairouz and Liu 2021).

    X = A − B,   A, B ~ Poisson(μ / 2),   with the variance μ

Sums of Skellam numbers are Skellam numbers, so that the noise of many participants adds up to exactly what
was asked for; sums of discrete Gaussians only come very close to that. Poisson numbers are drawn by
transformed rejection (PTRS, Hörmann 1993) in 64-bit floating-point numbers: exact but for rounding errors of
the acceptance, where the discrete Gaussian has none.
"""

import math
from typing import NamedTuple

from sottovoce.exchange.noise.interface import SPAN, sample, word
from sottovoce.kernels import helper

FEW = 10.0
"""Means below this are drawn by multiplication (Knuth 1969)."""


class Skellam(NamedTuple):
    """The difference of two Poisson numbers."""

    variance: float
    """μ."""


@helper
def _unit(source):
    """A number in (0, 1]."""
    return (word(source) + 1) / SPAN


@helper
def _few(source, mean):
    limit, count, product = math.exp(-mean), 0, _unit(source)
    while product > limit:
        count += 1
        product *= _unit(source)
    return count


@helper
def _many(source, mean):
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    fast = 0.9277 - 3.6224 / (b - 2)
    scale = math.log(1.1239 + 1.1328 / (b - 3.4))
    while True:
        u, v = _unit(source) - 0.5, _unit(source)
        edge = max(0.5 - abs(u), 1e-300)
        count = math.floor((2 * a / edge + b) * u + mean + 0.43)
        if edge >= 0.07 and v <= fast:
            return int(count)
        if count < 0 or (edge < 0.013 and v > edge):
            continue
        log_density = count * math.log(mean) - mean - math.lgamma(count + 1)
        if math.log(v) + scale - math.log(a / (edge * edge) + b) <= log_density:
            return int(count)


@helper
def poisson(source, mean):
    """A Poisson number with this mean, at most about 1e15."""
    return _few(source, mean) if mean < FEW else _many(source, mean)


@sample.rule(Skellam)
def _sample(noise, source):
    return poisson(source, noise.variance / 2) - poisson(source, noise.variance / 2)
