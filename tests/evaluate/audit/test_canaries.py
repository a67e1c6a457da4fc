"""Bounds on ε hold for a correct Gaussian mechanism, and convict a broken one."""

import math

import numpy as np
import pytest
from scipy import stats

from sottovoce.evaluate.audit.canaries import chance_of, from_trials, one_run, smallest_epsilon

DELTA = 1e-5


def epsilon_of_gaussian(sigma, delta=DELTA):
    """The exact ε of one Gaussian step with sensitivity 1 (Balle and Wang 2018, Theorem 8)."""

    def lost(epsilon):
        one = stats.norm.cdf(1 / (2 * sigma) - epsilon * sigma)
        return one - math.exp(epsilon) * stats.norm.cdf(-1 / (2 * sigma) - epsilon * sigma)

    low, high = 0.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if lost(middle) > delta else (low, middle)
    return high


def mechanism(contribution, sigma, trials, width=20, seed=0):
    """Clip to length 1 and add noise; the score of each output along the canary."""
    rng = np.random.default_rng(seed)
    canary = np.full(width, 1 / math.sqrt(width))
    clipped = contribution * canary * min(1.0, 1.0 / max(contribution, 1e-300))
    return (clipped + sigma * rng.normal(size=(trials, width))) @ canary


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
def test_a_correct_step_keeps_its_promise(sigma):
    claimed = epsilon_of_gaussian(sigma)
    for seed in range(20):
        with_it, without = (mechanism(c, sigma, 4000, seed=2 * seed + n) for n, c in enumerate((9.0, 0.0)))
        bound = from_trials(with_it, without, DELTA)
        assert 0 <= bound.epsilon <= claimed
    if sigma < 1:
        assert bound.epsilon > 1, "the bound is not empty"


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
def test_one_run_of_a_correct_step(sigma):
    claimed, found = epsilon_of_gaussian(sigma), []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        present = rng.random(1000) < 0.5
        scores = np.where(
            present, mechanism(1.0, sigma, 1000, seed=seed), mechanism(0.0, sigma, 1000, seed=99 + seed)
        )
        found.append(one_run(scores, present, DELTA).epsilon)
    assert max(found) <= claimed
    if sigma < 1:
        assert min(found) > 0.5


@pytest.mark.parametrize("claimed", [1.0, 4.0])
def test_a_step_without_noise_is_convicted(claimed):
    sigma = 1e-9
    with_it, without = mechanism(1.0, sigma, 2000), mechanism(0.0, sigma, 2000, seed=1)
    assert from_trials(with_it, without, DELTA).epsilon > claimed
    present = np.arange(1000) % 2 == 0
    assert one_run(np.where(present, with_it[:1000], without[:1000]), present, DELTA).epsilon > claimed


def test_a_step_that_forgets_to_clip_is_convicted():
    """Noise for length 1 does not hide a contribution of length 20."""
    rng, sigma = np.random.default_rng(1), 1.0
    present, absent = 20 + sigma * rng.normal(size=4000), sigma * rng.normal(size=4000)
    assert from_trials(present, absent, DELTA).epsilon > epsilon_of_gaussian(sigma)


def test_guessing_proves_nothing():
    rng = np.random.default_rng(1)
    proved = [one_run(rng.normal(size=400), rng.random(400) < 0.5, 0.0).epsilon > 0 for _ in range(200)]
    assert np.mean(proved) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)
    assert from_trials(np.zeros(10), np.zeros(10), 0.0).epsilon == 0


def test_chances_of_right_guesses():
    """Without δ: a binomial tail; with δ, the term of Steinke et al. summed slowly."""
    for right, epsilon in ((60, 0.1), (90, 2.0), (100, 3.0)):
        q = 1 / (1 + math.exp(-epsilon))
        tail = stats.binom.sf(right - 1, 100, q)
        assert chance_of(200, 100, right, epsilon, 0.0) == pytest.approx(tail, rel=1e-6)
        worst = max(
            sum(stats.binom.pmf(right - j, 100, q) for j in range(1, i + 1)) / i for i in range(1, right + 1)
        )
        slow = min(1.0, tail + 2 * 200 * 1e-3 * worst)
        assert chance_of(200, 100, right, epsilon, 1e-3) == pytest.approx(slow, rel=1e-6)
    # All of 100 guesses right: q¹⁰⁰ = 5 %.
    q = 0.05 ** (1 / 100)
    assert smallest_epsilon(100, 100, 100, 0.0, 0.05) == pytest.approx(math.log(q / (1 - q)), abs=1e-4)
