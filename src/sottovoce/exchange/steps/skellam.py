"""Differential privacy in shares of Skellam noise, under a secure sum (Agarwal, Kairouz and Liu 2021).

Each participant clips the update, expresses it in whole multiples of 2^-places, and adds the difference of
two Poisson numbers to every number of it, touched or not. A share is too small to hide its owner: only the
sum is protected, and the server must see nothing else (`sum = "secure"`). Sums of Skellam numbers are Skellam
numbers again, so the noise of the `survivors` is exactly what was asked for (`exchange.noise.shares`).

The guarantee is distributed: no server need be trusted, but enough participants to add their shares.
Neighbours differ in all data of one person, against an update of zeros (`add or remove`).
"""

from typing import Any, NamedTuple

from sottovoce.exchange.noise.shares import skellam_noise
from sottovoce.exchange.noise.skellam import Skellam
from sottovoce.exchange.steps._shared import adds_share, deviation_in_steps, distribution
from sottovoce.registry import component


def _effective(step: Any, variance: float) -> float:
    return skellam_noise(variance, step.survivors, step.length * 2.0**step.places)


@component("step", "skellam")
@adds_share("skellam", _effective, whole_orders=True)
class SkellamShare(NamedTuple):
    """Distributed differential privacy: a share of Skellam noise, for a secure sum."""


@distribution.rule(SkellamShare)
def _distribution(step):
    return Skellam(deviation_in_steps(step) ** 2 / step.survivors)
