"""Student's t distribution, by the incomplete beta function.

    P(|T| > t) = I_x(ν/2, 1/2),   x = ν / (ν + t²)

I_x is computed by its continued fraction (8.17.22 of the NIST Digital Library of Mathematical Functions)
with the algorithm of Lentz (Applied Optics 15(3), 1976), modified by Thompson and Barnett (1986). It is
written here because a library for this one function would be larger than everything else.
"""

import functools
import math

_TINY, _CLOSE, _STEPS = 1e-300, 1e-15, 500


def two_sided(t: float, freedom: float) -> float:
    """The two-sided p-value of `t` with ν = `freedom` degrees of freedom.

    >>> round(two_sided(2.228, 10), 3)
    0.05
    """
    if t == 0:
        return 1.0
    # These forms of x and 1 − x keep their digits if t is small or large.
    return incomplete_beta(freedom / 2, 0.5, 1 / (1 + t * t / freedom), 1 / (1 + freedom / (t * t)))


@functools.lru_cache(maxsize=1000)
def critical(freedom: float, alpha: float) -> float:
    """The critical value: P(|T| > t) = `alpha`.

    >>> round(critical(10, 0.05), 3)
    2.228
    """
    low, high = 0.0, 1.0
    while two_sided(high, freedom) > alpha:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if two_sided(middle, freedom) > alpha else (low, middle)
    return high


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """I_x(a, b), with rest = 1 − x."""
    if x > (a + 1) / (a + b + 2):  # the fraction converges faster on the other side
        return 1.0 - incomplete_beta(b, a, rest, x)
    front = a * math.log(x) + b * math.log(rest) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(front) / (a * _fraction(a, b, x))


def _fraction(a: float, b: float, x: float) -> float:
    """1 + d₁/(1 + d₂/(1 + …)). The incomplete beta function is a multiple of its reciprocal."""
    value, c, d = 1.0, 1.0, 0.0
    for n in range(1, _STEPS):
        m = n // 2
        if n % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1.0 / _away(1.0 + term * d)
        c = _away(1.0 + term / c)
        value *= c * d
        if abs(c * d - 1.0) < _CLOSE:
            break
    return value


def _away(value: float) -> float:
    """The value, kept away from zero so that dividing by it does not overflow."""
    return value if abs(value) > _TINY else _TINY
