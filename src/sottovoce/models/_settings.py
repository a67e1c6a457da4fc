"""Settings of training that `gmf`, `mlp` and `neumf` share, declared once.

`neural` builds the class of a model from its own fields and those of `Training`. A recipe and the reference
see one flat list of settings.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from annotated_types import Ge, Gt, Le

from sottovoce.models.interface import Context, Shape, optimizer_size, resolve, shape
from sottovoce.registry import with_fields

Optimizer = Literal["adam", "sgd"]
OptimizerState = Literal["fresh", "kept"]
C = TypeVar("C", bound=type)


class Training(NamedTuple):
    """How a network of neural collaborative filtering learns."""

    step: Annotated[float, Gt(0)] = 1e-3
    """The learning rate."""
    optimizer: Optimizer = "adam"
    """Adam (Kingma and Ba 2014), or plain SGD."""
    optimizer_state: OptimizerState = "fresh"
    """What Adam knows when a training begins: nothing (`fresh`), or its moments and number of steps from the
    person's last training (`kept`). Kept state stays on the person's device, is never sent or merged, and
    takes twice the memory of a model for every person. Central training always keeps it, beside its one
    model. SGD has none."""
    epochs: Annotated[int, Ge(1)] = 1
    """Passes over one's own items in each training; negatives are drawn anew for each."""
    batch: Annotated[int, Ge(0)] | None = None
    """Instances per step of the optimizer, 0: all that a person has. By default 256 in central training (He
    et al. 2017), 64 with private data. Perifanis and Efraimidis give none: on validation data 16
    came sooner to the same quality, at more time per round."""
    negatives: Annotated[int, Ge(0), Le(1000)] = 4
    """Sampled items that a person has not met, for each of the person's items."""


def _before_a_run(model: Any) -> Any:
    """The network of a model as long as nothing is known about the data."""
    return resolve(model, Context(1, 0, 0, 1, 1))


def _shape(model: Any) -> Shape:
    found: Shape = shape(_before_a_run(model))
    return found


def _optimizer_size(model: Any, items: int) -> int:
    size: int = optimizer_size(_before_a_run(model), items)
    return size


def neural(*, before: str = "") -> Callable[[C], C]:
    """Add the settings of `Training` to a model's own, in front of the setting `before`.

    The model needs no more than to `resolve` to a network.
    """

    def extend(cls: C) -> C:
        made: C = with_fields(cls, Training, before)
        shape.rule(made)(_shape)
        optimizer_size.rule(made)(_optimizer_size)
        return made

    return extend
