"""What would undo steps that decide what leaves a device, each refused with the reason."""

from collections.abc import Sequence
from typing import Any

from sottovoce.combine.aggregate.interface import row_weight
from sottovoce.errors import RecipeError
from sottovoce.exchange.steps.interface import check_step, hides_items


def check(steps: Sequence[Any], model: Any, protocol: Any, rule: Any) -> None:
    """Refuse a model that a step cannot work on, and rules that need what a step keeps on the device.

    `rule` is the merge rule of peers, or the aggregation rule of a server or of sums among peers.
    """
    for step in steps:
        check_step(step, model)
    if not any(map(hides_items, steps)):
        return
    if protocol.topology == "peers" and rule.needs == "size":
        raise RecipeError(
            "This merge rule weighs models by how many interactions a person has, and a step keeps that "
            "number on the device.",
            'Set protocol.merge = "linear" or "model-age", or leave the step out.',
        )
    if protocol.topology in ("server", "consensus") and row_weight(rule, 2) != row_weight(rule, 1):
        raise RecipeError(
            "This aggregation weighs people by how much data they train on, and a step keeps that number on "
            "the device.",
            'Set protocol.aggregate = "sum", "simple" or "mf-fedavg", or leave the step out.',
        )
