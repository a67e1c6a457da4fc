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
from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Gt, Lt

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.errors import RecipeError
from sottovoce.exchange.noise.discrete_gaussian import DiscreteGaussian
from sottovoce.exchange.noise.interface import sample
from sottovoce.exchange.noise.shares import LEAST_SCALE, discrete_gaussian_noise
from sottovoce.exchange.noise.system import drawn_from_system
from sottovoce.exchange.steps._noisy import FromSystem, noise_at, noisy, unit_of
from sottovoce.exchange.steps._shared import deviation_in_steps, share, told
from sottovoce.exchange.steps.interface import on_device
from sottovoce.kernels import helper
from sottovoce.privacy.guarantee import ADD_OR_REMOVE, Guarantee, calibrate, calibrated, guarantee
from sottovoce.registry import component


@component("step", "discrete-gaussian")
@noisy
class DiscreteGaussianShare(NamedTuple):
    """Distributed differential privacy: a share of discrete Gaussian noise."""

    length: Annotated[float, Gt(0)] = 1.0
    """c, the longest that an update may be before noise is added."""
    noise: Annotated[float, Ge(0)] = 0.0
    """z, the standard deviation of the noise that all `survivors` add together, divided by `length`; 0: as
    much as `disclosures` need."""
    epsilon: Annotated[float, Gt(0)] = 8.0
    """ε, the budget of each person over all sums."""
    delta: Annotated[float, Gt(0), Lt(1)] = 1e-5
    """δ, which must be below 1 / the number of people."""
    disclosures: Annotated[int, Ge(0)] = 0
    """In how many sums a person may take part; 0: in as many as the budget allows."""
    survivors: Annotated[int, Ge(0)] = 0
    """How many honest participants every sum has at least: the threshold of the secure sum, or fewer."""
    places: Annotated[int, Ge(0), Lt(24)] = 12
    """The binary places of numbers. The secure sum must have at least as many, for rows and for the head."""


@helper
def _share(step):
    return DiscreteGaussian(math.ceil(deviation_in_steps(step) / math.sqrt(step.survivors)))


@unit_of.rule(DiscreteGaussianShare)
def _unit(step):
    return 2.0**-step.places


@noise_at.rule(DiscreteGaussianShare)
def _noise_at(step, source, n):
    return sample(_share(step), source)


@on_device.rule(DiscreteGaussianShare)
def _on_device(step: DiscreteGaussianShare, count: int) -> FromSystem:
    numbers = drawn_from_system(_share(step), count)
    return FromSystem(step.length, _unit(step), step.disclosures, numbers)


def _effective(step: Any) -> float:
    if share("discrete-gaussian", step) < LEAST_SCALE**2:
        raise RecipeError(
            f"A share of the noise is less than {LEAST_SCALE:g} steps of 2^-{step.places}.",
            "Give more binary places (places = …).",
        )
    return discrete_gaussian_noise(_share(step).scale, step.survivors, step.length * 2.0**step.places)


@calibrated.rule(DiscreteGaussianShare)
def _calibrated(component: DiscreteGaussianShare) -> Any:
    return calibrate("discrete-gaussian", component, 1.0, _effective)


@guarantee.rule(DiscreteGaussianShare)
def _guarantee(component: DiscreteGaussianShare) -> Guarantee:
    step = calibrated(component)
    given = step.epsilon, step.delta, step.disclosures
    return Guarantee("distributed", ADD_OR_REMOVE, _effective(step), *given, step.survivors)


@discloses.rule(DiscreteGaussianShare)
def _discloses(component: DiscreteGaussianShare) -> tuple[Disclosure, ...]:
    return told(component)
