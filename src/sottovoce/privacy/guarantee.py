"""What a component guarantees: differential privacy for all data of one person, within a budget.

Three figures belong together: the budget ε (at δ), the noise, and how many disclosures a person can make. Two
of them determine the third. Where a recipe gives noise alone, the budget ends the person's disclosures; where
it gives their number, the noise follows.

Whom the guarantee protects against is its trust model:

| trust         | who adds the noise                | who is trusted                                        |
|---------------|-----------------------------------|-------------------------------------------------------|
| `local`       | each person, all of it            | nobody                                                |
| `distributed` | each participant, a share         | enough participants add theirs; the server sees sums  |
| `central`     | the server, to the sum            | the server, which sees every update                   |
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from sottovoce.errors import RecipeError
from sottovoce.kernels import operation
from sottovoce.privacy import accountant

REPLACE = "replace: all data of one person against any other data"
ADD_OR_REMOVE = "add or remove: all data of one person against none; who takes part is known"


class Guarantee(NamedTuple):
    """Differential privacy for one person, over all of the person's disclosures together."""

    trust: str
    """`local`, `distributed` or `central`."""
    relation: str
    """Which data sets are neighbours: REPLACE or ADD_OR_REMOVE."""
    noise: float
    """The standard deviation of the noise, divided by the sensitivity under that relation."""
    epsilon: float
    """The budget of each person."""
    delta: float
    disclosures: int
    """How many disclosures of a person the budget allows."""
    survivors: int = 0
    """How many participants every sum must have that nobody sees into; 0: no sum is needed."""
    whole_orders: bool = False
    """Whether the bound holds for whole orders of Rényi divergence alone."""

    def spent(self, disclosures: int) -> float:
        """ε of this many disclosures."""
        return accountant.epsilon(self.noise, disclosures, self.delta, self.whole_orders)


@operation(default=lambda component: None)
def guarantee(component: Any) -> Guarantee | None:
    """The `Guarantee` of a component; None: it gives none. Python only."""


@operation(default=lambda component: component)
def calibrated(component: Any) -> Any:
    """The component with noise and number of disclosures both known. Python only."""


@operation(default=lambda sum, group: 0)
def summed_at_least(sum: Any, group: int) -> int:
    """How many of a `group` are in every sum, if a server sees nothing but sums; 0: it sees more. Python
    only."""


@operation(default=lambda sum: 64)
def finest(sum: Any) -> int:
    """How many binary places a way of summing keeps at least; by default all of them. Python only."""


def calibrate(
    name: str,
    component: Any,
    sensitivity: float,
    effective: Callable[[Any], float] | None = None,
    whole_orders: bool = False,
) -> Any:
    """Fill in what a component leaves open: its `noise` (per unit of its bound), or its `disclosures`.

    `sensitivity` is measured in the component's bound: how far one person can move what is disclosed.
    `effective` gives the noise of a Gaussian that leaks as much, by default `noise / sensitivity`.
    """
    epsilon, delta = component.epsilon, component.delta
    if not component.noise and not component.disclosures:
        raise RecipeError(
            f"{name!r} is told neither how much noise to add nor how often people disclose.",
            "Give noise = …, or disclosures = …; the other one follows from epsilon and delta.",
        )
    if not component.noise:
        noise = accountant.noise_for(epsilon, component.disclosures, delta, whole_orders)
        # Noise in whole numbers leaks a little more than a Gaussian.
        component = component._replace(noise=noise * sensitivity * (1 if effective is None else 1.001))
    noise = component.noise / sensitivity if effective is None else effective(component)
    most = accountant.allowed(noise, epsilon, delta, whole_orders)
    if most == 0:
        raise RecipeError(
            f"With noise = {component.noise:g}, a single disclosure of {name!r} exceeds epsilon = "
            f"{epsilon:g}: it costs {accountant.epsilon(noise, 1, delta, whole_orders):.3g}.",
            "Give more noise, or a larger epsilon.",
        )
    if component.disclosures > most:
        raise RecipeError(
            f"With noise = {component.noise:g}, {component.disclosures} disclosures of {name!r} cost more "
            f"than epsilon = {epsilon:g}, which allows {most}.",
            "Leave out noise or disclosures; the other one follows.",
        )
    return component._replace(disclosures=component.disclosures or most)


def found(components: Any) -> Guarantee | None:
    """The guarantee of the first component that gives one."""
    given = (guarantee(one) for one in components)
    return next((one for one in given if one is not None), None)
