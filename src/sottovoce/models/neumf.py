"""Neural matrix factorization (He et al. 2017; FedNeuMF, Perifanis and Efraimidis 2022).

    x₀ = [pᵤ | pⱼ],    xₙ = max(0, Wₙ xₙ₋₁ + bₙ),    z = h · [qᵤ ∘ qⱼ | x_N] + h₀,    ŷ = σ(z)

GMF and MLP with vectors of their own under one output layer: an item's row is [qⱼ | pⱼ], a person's
private vector is [qᵤ | pᵤ], and the head is all layers.
It starts and learns as `gmf` does; `mlp` says how 12 factors and layers of 48, 24, 12 and 6 are read.
"""

from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Le, Len

from sottovoce.models._neural import network
from sottovoce.models._settings import neural
from sottovoce.models.interface import Context, resolve
from sottovoce.registry import component


@component("model", "neumf")
@neural(before="start_from")
class NeuMF(NamedTuple):
    """A product of vectors and a tower of layers, under one output."""

    factors: Annotated[int, Ge(1), Le(512)] = 12
    """The length of the vectors, of each of the two halves."""
    layers: Annotated[tuple[Annotated[int, Ge(1), Le(4096)], ...], Len(1, 32)] = (48, 24, 12, 6)
    """The sizes of the tower's layers; its input, twice the factors, is not among them."""
    start_from: tuple[str, str] | None = None
    """Directories of a finished run of `gmf` and of one of `mlp`, with `run.keep_models = true` and the same
    data, split, seed and sizes: begin with what they have learnt, each with half a say in the output layer
    (He et al. 2017). Adam begins without moments. He et al. continue with plain SGD instead, because they
    do not save moments: set `optimizer = "sgd"` to do as they did. By default begin at random."""


@resolve.rule(NeuMF)
def _resolve(model: NeuMF, context: Context) -> Any:
    return network(model, context, product=model.factors, tower=model.factors)
