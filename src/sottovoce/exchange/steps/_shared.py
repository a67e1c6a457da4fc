"""What steps that add a share of the noise have in common: their settings, and all but the distribution.

Each participant clips the update, expresses it in whole multiples of 2^-places, and adds a random whole
number to every number of it, touched or not. A share is too small to hide its owner: only the sum is
protected, and the server must see nothing else (`sum = "secure"`). The guarantee is distributed: no server
need be trusted, but enough participants to add their shares. Neighbours differ in all data of one person,
against an update of zeros (`add or remove`).

A step gives the `distribution` of a share, and as what noise of a Gaussian it counts in the sum.
"""

import math
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Gt, Lt

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.errors import RecipeError
from sottovoce.exchange.noise.interface import sample
from sottovoce.exchange.noise.shares import share_variance
from sottovoce.exchange.noise.system import drawn_from_system
from sottovoce.exchange.steps._noisy import FromSystem, noise_at, noisy, unit_of
from sottovoce.exchange.steps.interface import on_device
from sottovoce.kernels import helper, operation
from sottovoce.privacy.guarantee import ADD_OR_REMOVE, Guarantee, calibrate, calibrated, guarantee
from sottovoce.registry import with_fields

LARGEST = 2.0**20
"""The largest standard deviation of a share, in steps of the grid. Eight of them, and a number of at most
2^23 steps, make less than 2^24 together, and are exact in float32."""


class Share(NamedTuple):
    """A share of the noise that a sum needs."""

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


@operation
def distribution(step):
    """The distribution of one share, in steps of the grid."""


@helper
def deviation_in_steps(step):
    """The standard deviation that the noise of all survivors has together, in steps of the grid."""
    return step.noise * step.length * 2.0**step.places


def _unit(step):
    return 2.0**-step.places


def _noise_at(step, source, n):
    return sample(distribution(step), source)


def _on_device(step: Any, count: int) -> FromSystem:
    numbers = drawn_from_system(distribution(step), count)
    return FromSystem(step.length, 2.0**-step.places, step.disclosures, numbers)


def adds_share(
    name: str, effective: Callable[[Any, float], float], whole_orders: bool = False
) -> Callable[[Any], Any]:
    """Make a class a step that adds a share of the noise; it implements `distribution` besides.

    `effective` gives the noise of a Gaussian that leaks as much as the sum, divided by the sensitivity, from
    a step and the variance of each share. `whole_orders` is explained in `Guarantee`.
    """

    def gaussian(step: Any) -> float:
        return effective(step, _variance(name, step))

    def filled_in(component: Any) -> Any:
        return calibrate(name, component, 1.0, gaussian, whole_orders)

    def promise(component: Any) -> Guarantee:
        step = calibrated(component)
        given = step.epsilon, step.delta, step.disclosures, step.survivors
        return Guarantee("distributed", ADD_OR_REMOVE, gaussian(step), *given, whole_orders)

    def extend(cls: Any) -> Any:
        made = noisy(with_fields(cls, Share))
        unit_of.rule(made)(_unit)
        noise_at.rule(made)(_noise_at)
        on_device.rule(made)(_on_device)
        calibrated.rule(made)(filled_in)
        guarantee.rule(made)(promise)
        discloses.rule(made)(_told)
        return made

    return extend


def _variance(name: str, step: Any) -> float:
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


def _told(component: Any) -> tuple[Disclosure, ...]:
    length, survivors, epsilon = component.length, component.survivors, component.epsilon
    return (
        Disclosure(
            "a sum of clipped updates, with noise on every row and the head",
            "the server",
            f"Every update is clipped to a length of {length:g}, and carries 1/{survivors} of the noise. "
            "Nobody may see a single one: the sum must be secure. All sums together change nobody's belief "
            f"about a person by more than a factor of e^{epsilon:g}, but with a probability of "
            f"{component.delta:g} (ε and δ), as long as {survivors} honest participants are in each.",
        ),
    )
