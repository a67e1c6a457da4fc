"""Generalized matrix factorization (He et al. 2017; FedGMF, Perifanis and Efraimidis 2022).

    z = h · (qᵤ ∘ qⱼ) + h₀,    ŷ = σ(z)

An item's row is qⱼ, a person's private vector is qᵤ, and the head is (h, h₀).

A training makes `epochs` passes. In each, the instances are the person's distinct items, labelled 1, and for
each of them `negatives` random items that the person has not met, labelled 0. They are drawn anew and
shuffled. For every batch B of them the optimizer makes one step along the gradient of the mean binary cross
entropy,

    L = −1/|B| Σ y ln ŷ + (1 − y) ln(1 − ŷ)

With fresh state, Adam moves all rows that the training has met so far, as a dense implementation does: the
other rows have no moments, and stay. With kept state, each step moves all rows of the training. Rows that
it does not meet stay as they are, and so do their moments: a dense implementation would move them too.
Bias correction counts all steps of the person. A row grows older by one in every epoch that meets it. In
central training everybody's instances are shuffled together, and a step moves all rows and vectors.

Weights of layers start as Glorot and Bengio (2010) proposed, uniform in ±√(6 / (inputs + outputs)), and
biases at zero (PyTorch's own default is ±1/√inputs for both). Vectors start likewise, as a layer from items
to factors would. On validation data that was better than the normal numbers of deviation 0.01 that He et al.
begin with. A federation needs vectors that are not all the same (`start = "independent"`, its default):
from a common one it learns what is popular, and hardly anything personal in a hundred rounds.
"""

from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Le

from sottovoce.models._neural import network
from sottovoce.models._product import Product
from sottovoce.models._settings import neural
from sottovoce.models.interface import Context, resolve
from sottovoce.registry import component


@component("model", "gmf")
@neural()
class GMF(NamedTuple):
    """Generalized matrix factorization: a weighted product of vectors."""

    factors: Annotated[int, Ge(1), Le(512)] = 12
    """The length of the vectors."""


@resolve.rule(GMF)
def _resolve(model: GMF, context: Context) -> Any:
    return Product(*network(model, context, product=model.factors, tower=0))
