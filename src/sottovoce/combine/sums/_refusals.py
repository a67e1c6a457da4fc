"""What cannot go with a sum that hides single updates, each refused with the reason."""

from typing import Any

from sottovoce.combine.aggregate.interface import head_weight, row_weight, weighs_rows
from sottovoce.combine.sums.interface import Task
from sottovoce.errors import RecipeError

_INSTANCES = (0, 1, 2, 3, 7, 1000)


def refuse(task: Task, name: str, why: str) -> None:
    """Refuse what needs to see single updates, and compression; `why` says that it saves nothing."""
    if task.vector:
        raise RecipeError(
            f"protocol.sum = {name!r} hides each person's update, and this protocol sends people's own "
            "vectors to the server with it.",
            "Use the protocol 'federated', or plain sums.",
        )
    if task.lengths:
        raise RecipeError(
            f"protocol.sum = {name!r} hides each person's update, and selection = 'useful' needs the length "
            "of each.",
            'Set protocol.selection = "random" or "in-turn", or use plain sums.',
        )
    if weighs_rows(task.rule):
        raise RecipeError(
            f"protocol.sum = {name!r} needs a weighted sum, and this aggregation weighs each row by how it "
            "changed, which only its sender can see.",
            'Choose another rule, such as protocol.aggregate = "mf-fedavg".',
        )
    if task.chain.share < 1 or task.chain.bits < 32:
        raise RecipeError(
            f"protocol.compress would save nothing with protocol.sum = {name!r}: {why}.",
            "Leave protocol.compress out.",
        )
    weights = [weigh(task.rule, n) for n in _INSTANCES for weigh in (row_weight, head_weight)]
    if any(weight != int(weight) or weight < 0 for weight in weights):
        raise RecipeError(
            f"protocol.sum = {name!r} adds whole weights, and this aggregation has others.",
            'Choose another rule, such as protocol.aggregate = "mf-fedavg".',
        )


def alike(rule: Any) -> bool:
    """Whether everybody's rows have the weight 1."""
    return all(row_weight(rule, instances) == 1 for instances in _INSTANCES)


def by_instances(rule: Any) -> bool:
    """Whether the head's weight is the number of instances."""
    return all(head_weight(rule, instances) == instances for instances in _INSTANCES)
