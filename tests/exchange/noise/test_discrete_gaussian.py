"""The sampler against its distribution, in compiled code with fixed seeds."""

import numpy as np
import pytest
from scipy.stats import chisquare

from sottovoce.exchange.noise.discrete_gaussian import LARGEST, DiscreteGaussian, discrete_laplace
from sottovoce.exchange.noise.interface import Hashed, add_noise, sample
from sottovoce.kernels import driver, stream

DRAWS = 200_000


@driver
def _noise(noise, integers, key):
    add_noise(noise, integers, key)


@driver
def _laplace(source, scale, numbers):
    for n in range(len(numbers)):
        numbers[n] = discrete_laplace(source, scale)


def drawn(noise, count=DRAWS, seed=1):
    numbers = np.zeros(count, np.int64)
    _noise(noise, numbers, np.uint64(stream(seed, 99, 0, 0)))
    return numbers


def fits(numbers, log_density, most):
    """The p-value that these numbers have this density, up to a factor, on -most … most."""
    x = np.arange(-most, most + 1)
    weight = np.exp(log_density(x))
    expected = weight / weight.sum() * len(numbers)
    observed = np.bincount(np.clip(numbers, -most, most) + most, minlength=len(x)).astype(float)
    some = expected > 10
    expected = np.append(expected[some], expected[~some].sum() + 1e-9)
    observed = np.append(observed[some], observed[~some].sum())
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.parametrize("scale", [1, 2, 7, 40])
def test_numbers_have_the_density_of_a_gaussian(scale):
    numbers = drawn(DiscreteGaussian(scale))
    assert fits(numbers, lambda x: -(x**2) / (2 * scale**2), 12 * scale) > 1e-3
    # The same test tells another scale apart.
    assert fits(numbers, lambda x: -(x**2) / (2 * (1.03 * scale) ** 2), 12 * scale) < 1e-6


def test_laplace_numbers_have_their_density():
    numbers = np.empty(DRAWS, np.int64)
    _laplace(Hashed(np.uint64(stream(2, 99, 0, 0)), np.zeros(1, np.int64)), 3, numbers)
    assert fits(numbers, lambda x: -np.abs(x) / 3, 80) > 1e-3


def test_the_largest_scale_does_not_overflow():
    numbers = drawn(DiscreteGaussian(LARGEST), 20_000)
    assert abs(numbers.mean() / LARGEST) < 4 / np.sqrt(20_000)
    assert abs(numbers.std() / LARGEST - 1) < 4 / np.sqrt(2 * 20_000)


def test_compiled_numbers_equal_those_of_plain_python():
    key = stream(1, 99, 0, 0)
    source = Hashed(key, np.zeros(1, np.int64))
    slow = [int(sample(DiscreteGaussian(7), source)) for _ in range(50)]
    assert drawn(DiscreteGaussian(7), 50).tolist() == slow


def test_noise_is_added_and_repeats():
    noise, start = DiscreteGaussian(7), np.arange(1000)
    numbers = start.copy()
    _noise(noise, numbers, np.uint64(stream(5, 99, 0, 0)))
    np.testing.assert_array_equal(numbers - start, drawn(noise, 1000, seed=5))
    assert (drawn(noise, 1000, seed=6) != numbers - start).any()
