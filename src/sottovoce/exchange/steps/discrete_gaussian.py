"""Differential privacy in shares of discrete Gaussian noise, for secure sums (Kairouz, Liu and Steinke 2021).

Each participant clips the update, expresses it in whole multiples of 2^-places, and adds a discrete Gaussian
number to every number of it, touched or not. A share is too small to hide its owner: only the sum is
protected, and the server must see nothing else (`sum = "secure"`). Sums of discrete Gaussians come very close
to one of them; the accountant takes the difference into account (`exchange.noise.shares`). Against `skellam`
shares are drawn exactly, and their standard deviation is rounded up to a whole number of steps.

The guarantee is distributed: no server need be trusted, but enough participants to add their shares.
Neighbours differ in all data of one person, against an update of zeros (`add or remove`).
"""

import math
from typing import Any, NamedTuple

from sottovoce.errors import RecipeError
from sottovoce.exchange.noise.discrete_gaussian import DiscreteGaussian
from sottovoce.exchange.noise.shares import LEAST_SCALE, discrete_gaussian_noise
from sottovoce.exchange.steps._shared import adds_share, deviation_in_steps, distribution
from sottovoce.registry import component


def _effective(step: Any, variance: float) -> float:
    if variance < LEAST_SCALE**2:
        raise RecipeError(
            f"A share of the noise is less than {LEAST_SCALE:g} steps of 2^-{step.places}.",
            "Give more binary places (places = …).",
        )
    scale = distribution(step).scale
    return discrete_gaussian_noise(scale, step.survivors, step.length * 2.0**step.places)


@component("step", "discrete-gaussian")
@adds_share("discrete-gaussian", _effective)
class DiscreteGaussianShare(NamedTuple):
    """Distributed differential privacy: a share of discrete Gaussian noise."""


@distribution.rule(DiscreteGaussianShare)
def _distribution(step):
    return DiscreteGaussian(math.ceil(deviation_in_steps(step) / math.sqrt(step.survivors)))
