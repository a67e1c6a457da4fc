"""Noise from the operating system: another one each time, and the same distribution when words run out."""

import numpy as np

from sottovoce.exchange.noise import system
from sottovoce.exchange.noise.discrete_gaussian import DiscreteGaussian
from sottovoce.exchange.noise.interface import SPAN, Words, sample
from sottovoce.exchange.noise.system import drawn_from_system


def test_numbers_differ_between_calls_and_have_the_right_spread():
    a, b = (drawn_from_system(DiscreteGaussian(100), 20_000) for _ in range(2))
    assert (a != b).mean() > 0.9
    for numbers in (a, b):
        assert abs(numbers.mean()) < 600 / np.sqrt(20_000)
        assert abs(numbers.std() / 100 - 1) < 6 / np.sqrt(2 * 20_000)


def test_where_words_run_out_more_are_fetched_and_nothing_is_skipped(monkeypatch):
    """The numbers are those of all fetched words in a row, however few come at a time."""
    rng, fetched = np.random.default_rng(1), []

    def words(count):
        fetched.append(rng.integers(0, SPAN, min(count, 40)))
        return fetched[-1]

    monkeypatch.setattr(system, "_words", words)
    numbers = drawn_from_system(DiscreteGaussian(5), 30)
    assert len(fetched) > 5
    source = Words(np.concatenate(fetched), np.zeros(1, np.int64))
    assert [int(sample(DiscreteGaussian(5), source)) for _ in range(30)] == numbers.tolist()
