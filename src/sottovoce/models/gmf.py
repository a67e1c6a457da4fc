"""Generalized matrix factorization (He et al. 2017; FedGMF, Perifanis and Efraimidis 2022).

    z = h · (qᵤ ∘ qⱼ) + h₀,    ŷ = σ(z)

An item's row is qⱼ, a person's private vector qᵤ, the head (h, h₀). How it learns from implicit feedback
is told in `_neural`, which `mlp` and `neumf` share.
"""

from typing import Annotated, NamedTuple

from annotated_types import Ge, Gt, Le

from sottovoce.models import Context, resolve, shape
from sottovoce.models._neural import Optimizer, network
from sottovoce.registry import component


@component("model", "gmf")
class GMF(NamedTuple):
    """Generalized matrix factorization: a weighted product of vectors."""

    factors: Annotated[int, Ge(1), Le(512)] = 12
    """The length of the vectors."""
    step: Annotated[float, Gt(0)] = 1e-3
    """The learning rate."""
    optimizer: Optimizer = "adam"
    """Adam (Kingma and Ba 2014), or plain SGD."""
    epochs: Annotated[int, Ge(1)] = 1
    """Passes over one's own items in each training; negatives are drawn anew for each."""
    batch: Annotated[int, Ge(0)] | None = None
    """Instances per step of the optimizer, 0: all that a person has. By default 64 with private data, chosen
    on validation data because Perifanis and Efraimidis give none, and in central training 256 (He
    et al. 2017)."""
    negatives: Annotated[int, Ge(0), Le(1000)] = 4
    """Sampled items that a person has not met, for each own item."""


@resolve.rule(GMF)
def _resolve(model, context):
    return network(model, context, product=model.factors, tower=0)


@shape.rule(GMF)
def _shape(model):
    return shape(resolve(model, Context(1, 0, 0, 1, 1)))
