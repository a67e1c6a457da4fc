"""Bounds on what sums of shares leak, against divergences that are computed number by number."""

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import skellam

from sottovoce.exchange.noise.shares import discrete_gaussian_noise, share_variance, skellam_noise


def divergence(p, q, order):
    """Rényi divergence of two distributions on the same numbers."""
    some = (p > 1e-280) & (q > 1e-280)
    terms = order * np.log(p[some]) + (1 - order) * np.log(q[some])
    return np.logaddexp.reduce(terms) / (order - 1)


@pytest.mark.parametrize("order", [2, 5, 16])
@pytest.mark.parametrize(("variance", "survivors", "shift"), [(2.0, 10, 1), (4.0, 25, 3), (1.0, 200, 8)])
def test_the_bound_on_skellam_noise_holds_and_is_tight(variance, survivors, shift, order):
    total = variance * survivors
    x = np.arange(-600, 601)
    p, q = (skellam.pmf(x - s, total / 2, total / 2) for s in (0, shift))
    bound = order / (2 * skellam_noise(variance, survivors, shift) ** 2)
    assert 0.7 * bound < divergence(p, q, order) <= bound


@pytest.mark.parametrize("order", [1.5, 4])
@pytest.mark.parametrize(("scale", "survivors", "shift"), [(2, 4, 2), (3, 8, 5)])
def test_the_bound_on_sums_of_discrete_gaussians_holds_and_is_tight(scale, survivors, shift, order):
    x = np.arange(-60, 61)
    one = np.exp(-(x**2) / (2 * scale**2))
    total = one = one / one.sum()
    for _ in range(survivors - 1):
        total = fftconvolve(total, one)
    total = np.maximum(total, 0)
    trusted = total > 1e-12  # beyond that, convolution is rounding errors
    p, q = np.where(trusted, total, 0), np.roll(np.where(trusted, total, 0), shift)
    bound = order / (2 * discrete_gaussian_noise(scale, survivors, shift) ** 2)
    assert 0.8 * bound < divergence(p, q, order) <= bound * (1 + 1e-6)


def test_survivors_add_up_to_the_noise():
    assert share_variance(10.0, 25) * 25 == pytest.approx(100)
    # More shares than needed hide more, fewer hide less.
    assert skellam_noise(4.0, 30, 10) > skellam_noise(4.0, 25, 10) > skellam_noise(4.0, 20, 10)
    assert discrete_gaussian_noise(2, 25, 10) == pytest.approx(1.0, rel=1e-6)
