"""Differential privacy in shares of Skellam noise, under a secure sum (Agarwal, Kairouz and Liu 2021).

Each participant clips the update, expresses it in whole multiples of 2^-places, and adds the difference of
two Poisson numbers to every number of it, touched or not. A share is too small to hide its owner: only the
sum is protected, and the server must see nothing else (`sum = "secure"`). Sums of Skellam numbers are Skellam
numbers again, so the noise of the `survivors` is exactly what was asked for (`exchange.noise.shares`).

The guarantee is distributed: no server need be trusted, but enough participants to add their shares.
Neighbours differ in all data of one person, against an update of zeros (`add or remove`).
"""

from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Gt, Lt

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.exchange.noise.interface import sample
from sottovoce.exchange.noise.shares import skellam_noise
from sottovoce.exchange.noise.skellam import Skellam
from sottovoce.exchange.noise.system import drawn_from_system
from sottovoce.exchange.steps._noisy import FromSystem, noise_at, noisy, unit_of
from sottovoce.exchange.steps._shared import deviation_in_steps, share, told
from sottovoce.exchange.steps.interface import on_device
from sottovoce.kernels import helper
from sottovoce.privacy.guarantee import ADD_OR_REMOVE, Guarantee, calibrate, calibrated, guarantee
from sottovoce.registry import component


@component("step", "skellam")
@noisy
class SkellamShare(NamedTuple):
    """Distributed differential privacy: a share of Skellam noise, for a secure sum."""

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
    return Skellam(deviation_in_steps(step) ** 2 / step.survivors)


@unit_of.rule(SkellamShare)
def _unit(step):
    return 2.0**-step.places


@noise_at.rule(SkellamShare)
def _noise_at(step, source, n):
    return sample(_share(step), source)


@on_device.rule(SkellamShare)
def _on_device(step: SkellamShare, count: int) -> FromSystem:
    numbers = drawn_from_system(_share(step), count)
    return FromSystem(step.length, _unit(step), step.disclosures, numbers)


def _effective(step: Any) -> float:
    return skellam_noise(share("skellam", step), step.survivors, step.length * 2.0**step.places)


@calibrated.rule(SkellamShare)
def _calibrated(component: SkellamShare) -> Any:
    return calibrate("skellam", component, 1.0, _effective, whole_orders=True)


@guarantee.rule(SkellamShare)
def _guarantee(component: SkellamShare) -> Guarantee:
    step = calibrated(component)
    given = step.epsilon, step.delta, step.disclosures
    return Guarantee("distributed", ADD_OR_REMOVE, _effective(step), *given, step.survivors, True)


@discloses.rule(SkellamShare)
def _discloses(component: SkellamShare) -> tuple[Disclosure, ...]:
    return told(component)
