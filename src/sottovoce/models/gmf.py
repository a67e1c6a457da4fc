"""Generalized matrix factorization (He et al. 2017; FedGMF, Perifanis and Efraimidis 2022).

    z = h · (qᵤ ∘ qⱼ) + h₀,    ŷ = σ(z)

An item's row is qⱼ, a person's private vector qᵤ, the head (h, h₀).

A training makes `epochs` passes. In each, the instances are the own distinct items, labelled 1, and for
each of them `negatives` random ones that the person has not met, labelled 0, drawn anew and shuffled. For
every batch B of them the optimizer makes one step along the gradient of the mean binary cross entropy,

    L = −1/|B| Σ y ln ŷ + (1 − y) ln(1 − ŷ)

Adam moves all rows that the training has come by, as a dense implementation does: others have no
moments, and stay. A row grows older by one in every epoch that came by. In central training everybody's
instances are shuffled among each other, and a step moves all rows and vectors.

Weights of layers start as Glorot and Bengio (2010) proposed, uniform in ±√(6 / (inputs + outputs)), biases
at zero (PyTorch's own default is ±1/√inputs for both), and vectors likewise, as a layer from items to
factors would. On validation data that was better than the normal numbers of deviation 0.01 that He et al.
begin with. A federation needs vectors that are not all the same (`start = "independent"`, its default):
from a common one it learns what is popular, and hardly anything personal in a hundred rounds.
"""

from typing import Annotated, NamedTuple

from annotated_types import Ge, Gt, Le

from sottovoce.models._neural import Optimizer, network
from sottovoce.models._product import Product
from sottovoce.models.interface import Context, resolve, shape
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
    """Instances per step of the optimizer, 0: all that a person has. By default 256 in central training (He
    et al. 2017), 64 with private data. Perifanis and Efraimidis give none: on validation data 16
    came sooner to the same quality, at more time per round."""
    negatives: Annotated[int, Ge(0), Le(1000)] = 4
    """Sampled items that a person has not met, for each own item."""


@resolve.rule(GMF)
def _resolve(model, context):
    return Product(*network(model, context, product=model.factors, tower=0))


@shape.rule(GMF)
def _shape(model):
    return shape(resolve(model, Context(1, 0, 0, 1, 1)))
