"""The sampler against SciPy's Skellam distribution, and sums of shares against the whole."""

import numpy as np
import pytest
from scipy.stats import chisquare, skellam

from sottovoce.exchange.noise.interface import add_noise
from sottovoce.exchange.noise.skellam import Skellam
from sottovoce.kernels import driver, stream

DRAWS = 200_000


@driver
def _noise(noise, integers, key):
    add_noise(noise, integers, key)


def drawn(variance, count=DRAWS, seed=1):
    numbers = np.zeros(count, np.int64)
    _noise(Skellam(variance), numbers, np.uint64(stream(seed, 98, 0, 0)))
    return numbers


def fits(numbers, variance):
    most = int(12 * np.sqrt(variance)) + 12
    x = np.arange(-most, most + 1)
    expected = skellam.pmf(x, variance / 2, variance / 2) * len(numbers)
    observed = np.bincount(np.clip(numbers, -most, most) + most, minlength=len(x)).astype(float)
    some = expected > 10
    expected = np.append(expected[some], expected[~some].sum() + 1e-9)
    observed = np.append(observed[some], observed[~some].sum())
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.parametrize("variance", [0.5, 8.0, 19.0, 25.0, 900.0])
def test_numbers_have_their_distribution(variance):
    numbers = drawn(variance)
    assert fits(numbers, variance) > 1e-3
    assert fits(numbers, 1.06 * variance) < 1e-6


def test_shares_add_up_to_the_whole():
    total = sum(drawn(4.0, 50_000, seed) for seed in range(10))
    assert fits(total, 40.0) > 1e-3


def test_large_variances():
    numbers = drawn(1e10, 20_000)
    assert abs(numbers.mean() / 1e5) < 4 / np.sqrt(20_000)
    assert abs(numbers.std() / 1e5 - 1) < 4 / np.sqrt(2 * 20_000)
