"""A multilayer perceptron for pairs (He et al. 2017; FedMLP, Perifanis and Efraimidis 2022).

    x₀ = [pᵤ | pⱼ],    xₙ = max(0, Wₙ xₙ₋₁ + bₙ),    z = h · x_N + h₀,    ŷ = σ(z)

An item's row is pⱼ, a person's private vector pᵤ, the head all layers.
It starts and learns as `gmf` does.

Perifanis and Efraimidis give 12 factors and hidden layers of 48, 24, 12 and 6. That is read as an input x₀ of
12 + 12 = 24 numbers, and four layers above it. 48 could also be the input, of two vectors of 24. But then an
item had three times the numbers in `neumf` that it has in `gmf`, where the encrypted models of their
Table 7 differ by a factor of two.
"""

from typing import Annotated, NamedTuple

from annotated_types import Ge, Gt, Le, Len

from sottovoce.models._neural import Optimizer, network
from sottovoce.models.interface import Context, resolve, shape
from sottovoce.registry import component


@component("model", "mlp")
class MLP(NamedTuple):
    """A tower of layers over the vectors of a person and an item."""

    factors: Annotated[int, Ge(1), Le(512)] = 12
    """The length of the vectors."""
    layers: Annotated[tuple[Annotated[int, Ge(1), Le(4096)], ...], Len(1, 32)] = (48, 24, 12, 6)
    """The sizes of the tower's layers; its input, twice the factors, is not among them."""
    step: Annotated[float, Gt(0)] = 1e-3
    """The learning rate."""
    optimizer: Optimizer = "adam"
    """Adam (Kingma and Ba 2014), or plain SGD."""
    epochs: Annotated[int, Ge(1)] = 1
    """Passes over one's own items in each training; negatives are drawn anew for each."""
    batch: Annotated[int, Ge(0)] | None = None
    """Instances per step of the optimizer, 0: all that a person has. By default 256 in central training (He
    et al. 2017), 64 with private data. Perifanis and Efraimidis give none: on validation data 16
    came sooner to the same quality, at more time per round."""
    negatives: Annotated[int, Ge(0), Le(1000)] = 4
    """Sampled items that a person has not met, for each own item."""


@resolve.rule(MLP)
def _resolve(model, context):
    return network(model, context, product=0, tower=model.factors)


@shape.rule(MLP)
def _shape(model):
    return shape(resolve(model, Context(1, 0, 0, 1, 1)))
