"""ε of many disclosures, against formulas that share nothing with dp-accounting."""

import math
import sys

import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr

from sottovoce.errors import RecipeError
from sottovoce.privacy import accountant
from sottovoce.privacy.accountant import allowed, epsilon, noise_for


def exact(noise, disclosures, delta):
    """ε of the Gaussian mechanism (Theorem 8, Balle and Wang 2018); k of them are one with noise / √k."""
    ratio = math.sqrt(disclosures) / noise

    def excess(eps):
        first = math.exp(log_ndtr(ratio / 2 - eps / ratio))
        return first - math.exp(eps + log_ndtr(-ratio / 2 - eps / ratio)) - delta

    return brentq(excess, 0, 200, xtol=1e-9) if excess(0) > 0 else 0.0


def by_concentration(noise, disclosures, delta):
    """ε by ρ + 2√(ρ ln 1/δ), with ρ = k / 2z² (Proposition 1.3, Bun and Steinke 2016): never better."""
    rho = disclosures / (2 * noise**2)
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


CASES = [(0.6, 1, 1e-5), (1.0, 1, 1e-5), (2.0, 10, 1e-5), (5.0, 100, 1e-6), (30.0, 50, 1e-4), (20.0, 1, 1e-5)]


@pytest.mark.parametrize(("noise", "disclosures", "delta"), CASES)
@pytest.mark.parametrize("whole", [False, True])
def test_epsilon_is_between_the_exact_one_and_a_coarser_bound(noise, disclosures, delta, whole):
    found = epsilon(noise, disclosures, delta, whole)
    assert exact(noise, disclosures, delta) <= found
    assert whole or found <= by_concentration(noise, disclosures, delta)


def test_renyi_divergence_of_a_gaussian_by_hand():
    """ε = min over α of kα/2z² + ln((α − 1)/α) − (ln δ + ln α)/(α − 1) (Canonne et al. 2020)."""
    noise, k, delta = 2.0, 10, 1e-5
    orders = [1 + n / 1000 for n in range(100, 30000)]
    by_hand = min(
        k * a / (2 * noise**2) + math.log1p(-1 / a) - (math.log(delta) + math.log(a)) / (a - 1)
        for a in orders
    )
    assert epsilon(noise, k, delta) == pytest.approx(by_hand, rel=1e-3)


def test_epsilon_grows_with_disclosures_and_falls_with_noise():
    assert epsilon(1.0, 0, 1e-5) == 0
    assert epsilon(0.0, 1, 1e-5) == math.inf
    assert epsilon(1.0, 1, 1e-5) < epsilon(1.0, 2, 1e-5) < epsilon(0.5, 2, 1e-5)
    with pytest.raises(RecipeError, match="delta = 1 is no probability"):
        epsilon(1.0, 1, 1.0)


@pytest.mark.parametrize(("noise", "budget"), [(1.0, 8.0), (3.0, 1.0), (10.0, 8.0), (0.3, 64.0), (0.1, 1.0)])
def test_one_more_disclosure_than_allowed_exceeds_the_budget(noise, budget):
    most = allowed(noise, budget, 1e-5)
    assert epsilon(noise, most, 1e-5) <= budget < epsilon(noise, most + 1, 1e-5)


@pytest.mark.parametrize(("budget", "disclosures"), [(1.0, 1), (8.0, 50), (64.0, 20)])
def test_noise_is_enough_and_hardly_more(budget, disclosures):
    noise = noise_for(budget, disclosures, 1e-5)
    assert epsilon(noise, disclosures, 1e-5) <= budget < epsilon(0.999 * noise, disclosures, 1e-5)
    assert allowed(noise, budget, 1e-5) == disclosures


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    accountant.epsilon.cache_clear()
    with pytest.raises(RecipeError, match=r"needs dp-accounting.*sottovoce\[dp\]"):
        epsilon(1.2345, 3, 1e-5)
