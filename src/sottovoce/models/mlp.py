"""A multilayer perceptron for pairs (He et al. 2017; FedMLP, Perifanis and Efraimidis 2022).

    x₀ = [pᵤ | pⱼ],    xₙ = max(0, Wₙ xₙ₋₁ + bₙ),    z = h · x_N + h₀,    ŷ = σ(z)

An item's row is pⱼ, a person's private vector is pᵤ, and the head is all layers.
It starts and learns as `gmf` does.

Perifanis and Efraimidis give 12 factors and hidden layers of 48, 24, 12 and 6. That is read as an input x₀ of
12 + 12 = 24 numbers, and four layers above it. 48 could also be the input, of two vectors of 24. But then an
item had three times the numbers in `neumf` that it has in `gmf`, where the encrypted models of their
Table 7 differ by a factor of two.
"""

from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Le, Len

from sottovoce.models._neural import network
from sottovoce.models._settings import neural
from sottovoce.models.interface import Context, resolve
from sottovoce.registry import component


@component("model", "mlp")
@neural()
class MLP(NamedTuple):
    """A tower of layers over the vectors of a person and an item."""

    factors: Annotated[int, Ge(1), Le(512)] = 12
    """The length of the vectors."""
    layers: Annotated[tuple[Annotated[int, Ge(1), Le(4096)], ...], Len(1, 32)] = (48, 24, 12, 6)
    """The sizes of the tower's layers; its input, twice the factors, is not among them."""


@resolve.rule(MLP)
def _resolve(model: MLP, context: Context) -> Any:
    return network(model, context, product=0, tower=model.factors)
