"""Noise in shares: each participant of a sum adds a part of it, and what arrives is enough together.

The sum has at least `survivors` participants, the threshold of a masked sum. Each adds noise with 1/survivors
of the variance that the sum needs, so that it has enough when only these are left, and more when more are.
Participants who collude with the server know their own shares: these do not count, so count them out of the
survivors.

What the accountant takes is a Gaussian that leaks at least as much (`noise`, divided by the sensitivity):

- Sums of Skellam numbers are Skellam numbers. Rényi divergence of order α is at most
  αΔ₂²/2μ + ((2α − 1)Δ₂² + 6Δ₁)/4μ² for a variance of μ (Agarwal, Kairouz and Liu 2021). Of whole vectors
  Δ₁ ≤ Δ₂², and α ≥ 1, so the bound is at most α(1 + 4/μ)Δ₂²/2μ: a Gaussian with the variance μ/(1 + 4/μ).
- Sums of n discrete Gaussians with standard deviation σ satisfy ½ε²-concentrated differential privacy with
  ε = Δ₂/√nσ + τ√d in d dimensions, τ = 10 Σ_{k<n} exp(−2π²σ²k/(k + 1)) (Kairouz, Liu and Steinke 2021).
"""

import math

MOST_NUMBERS = 2.0**40
"""More numbers than any update has."""
LEAST_SCALE = 2.0
"""The least standard deviation of a discrete Gaussian share: below it the sum is no Gaussian any more."""


def share_variance(deviation: float, survivors: int) -> float:
    """The variance of each share, if the noise of `survivors` together is to have this deviation."""
    return deviation**2 / survivors


def skellam_noise(variance: float, survivors: int, sensitivity: float) -> float:
    """The noise, as a Gaussian's, of the sum of Skellam shares; `sensitivity` in whole numbers."""
    total = variance * survivors
    return math.sqrt(total / (1 + 4 / total)) / sensitivity


def discrete_gaussian_noise(scale: int, survivors: int, sensitivity: float) -> float:
    """The noise, as a Gaussian's, of the sum of discrete Gaussian shares with this scale."""
    # Every term of the sum is at most the first one: k = 1.
    gap = 10 * (survivors - 1) * math.exp(-(math.pi**2) * scale**2)
    return 1 / (sensitivity / (math.sqrt(survivors) * scale) + gap * math.sqrt(MOST_NUMBERS))
