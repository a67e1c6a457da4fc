"""What steps that add a share of the noise have in common: their settings, and what they say."""

import math
from typing import Any

from sottovoce.disclosure import Disclosure
from sottovoce.errors import RecipeError
from sottovoce.exchange.noise.shares import share_variance
from sottovoce.kernels import helper

LARGEST = 2.0**20
"""The largest standard deviation of a share, in steps of the grid. Eight of them, and a number of at most
2^23 steps, make less than 2^24 together, and are exact in float32."""


@helper
def deviation_in_steps(step):
    """The standard deviation that the noise of all survivors has together, in steps of the grid."""
    return step.noise * step.length * 2.0**step.places


def share(name: str, step: Any) -> float:
    """The variance of each share in steps of the grid, refused where whole numbers cannot hold it."""
    if step.survivors < 2:
        raise RecipeError(
            f"{name!r} is not told of how many people a sum is at least, so its share of noise has no size.",
            "Give survivors = …, the threshold of the secure sum, without participants who may collude.",
        )
    if step.length * 2.0**step.places > 2**23:
        raise RecipeError(
            f"An update of length {step.length:g} has more than 2^23 steps of 2^-{step.places}.",
            "Give fewer binary places (places = …), or a smaller length.",
        )
    variance = share_variance(deviation_in_steps(step), step.survivors)
    if not 1 <= variance <= LARGEST**2:
        raise RecipeError(
            f"A share of the noise has a standard deviation of {math.sqrt(variance):.3g} steps of 2^-"
            f"{step.places}, and it must be from 1 to {LARGEST:.0f}.",
            "Give more or fewer binary places (places = …).",
        )
    return variance


def told(step: Any) -> tuple[Disclosure, ...]:
    """What a step with shares of noise discloses."""
    return (
        Disclosure(
            "a sum of clipped updates, with noise on every row and the head",
            "the server",
            f"Every update is clipped to a length of {step.length:g}, and carries 1/{step.survivors} of the "
            "noise. Nobody may see a single one: the sum must be secure. All sums together change nobody's "
            f"belief about a person by more than a factor of e^{step.epsilon:g}, but with a probability of "
            f"{step.delta:g} (ε and δ), as long as {step.survivors} honest participants are in each.",
        ),
    )
