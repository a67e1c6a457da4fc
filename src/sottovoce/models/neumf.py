"""Neural matrix factorization (He et al. 2017; FedNeuMF, Perifanis and Efraimidis 2022).

    x₀ = [pᵤ | pⱼ],    xₙ = max(0, Wₙ xₙ₋₁ + bₙ),    z = h · [qᵤ ∘ qⱼ | x_N] + h₀,    ŷ = σ(z)

GMF and MLP with vectors of their own under one output layer: an item's row is [qⱼ | pⱼ], a person's
private vector [qᵤ | pᵤ], the head all layers.
It starts and learns as `gmf` does; `mlp` says how 12 factors and layers of 48, 24, 12 and 6 are read.
"""

from typing import Annotated, NamedTuple

from annotated_types import Ge, Gt, Le, Len

from sottovoce.models._neural import Optimizer, network
from sottovoce.models.interface import Context, resolve, shape
from sottovoce.registry import component


@component("model", "neumf")
class NeuMF(NamedTuple):
    """A product of vectors and a tower of layers, under one output."""

    factors: Annotated[int, Ge(1), Le(512)] = 12
    """The length of the vectors, of each of the two halves."""
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
    start_from: tuple[str, str] | None = None
    """Directories of a finished run of `gmf` and of one of `mlp`, with `run.keep_models = true` and the same
    data, split, seed and sizes: begin with what they have learnt, each with half a say in the output layer
    (He et al. 2017). He et al. continue with plain SGD, because the moments of Adam are not kept; here they
    begin anew, and Adam stays the default: set `optimizer = "sgd"` to do as they did. By default begin at
    random."""


@resolve.rule(NeuMF)
def _resolve(model, context):
    return network(model, context, product=model.factors, tower=model.factors)


@shape.rule(NeuMF)
def _shape(model):
    return shape(resolve(model, Context(1, 0, 0, 1, 1)))
