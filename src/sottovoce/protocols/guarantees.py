"""What a guarantee of differential privacy needs of the other components, each refusal with its reason.

A guarantee covers what its component sends. It is worth nothing if something else that depends on people's
data leaves beside it, so everything that could is refused here.
"""

from collections.abc import Sequence
from typing import Any

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.errors import RecipeError
from sottovoce.exchange.secure.ranges import PLACES
from sottovoce.privacy.guarantee import Guarantee, finest, found, guarantee, summed_at_least
from sottovoce.protocols.consensus import SMALLEST
from sottovoce.protocols.interface import aggregates, group_size, sees_vectors


def check(
    protocol: Any, merge: Any, peers: Any, steps: Sequence[Any], sum: Any = None, people: int = 0
) -> Guarantee | None:
    """The guarantee of a network's steps, or of its way of summing, once nothing undoes it.

    `people` is how many there are; 0: not known yet. None: nobody promises anything.
    """
    promised = [one for one in (*steps, sum) if guarantee(one) is not None]
    if len(promised) > 1:
        raise RecipeError(
            "Two components add noise for differential privacy, and each person has one budget.",
            "Leave one of them out.",
        )
    if not promised:
        return None
    if promised[0] in steps and promised[0] is not steps[-1]:
        raise RecipeError(
            "A step after the one that adds noise could send what the noise hides.",
            "Name the step that adds noise last; it clips by itself.",
        )
    if protocol.topology == "central":
        raise RecipeError(
            "Central training has all data in one place, and no step or sum takes part in it.",
            "Choose the protocol 'gossip' or 'federated'.",
        )
    if protocol.topology != "server" and guarantee(sum) is not None:
        raise RecipeError(
            "The noise of this sum is added by a server, and here there is none.",
            "Choose the protocol 'federated', or the step 'gaussian'.",
        )
    promise = found(promised)
    if protocol.topology == "server":
        _check_server(protocol, merge, sum)
    else:
        _check_peers(merge, peers)
    if promise is not None and promise.survivors:
        _check_sum(protocol, sum, promised[0], promise, people)
        _check_places(promised[0], sum)
    if promise is not None and people and promise.delta * people >= 1:
        raise RecipeError(
            f"delta = {promise.delta:g} is not below 1 / {people:,}, the number of people: with such a δ, "
            "publishing all data of one random person would count as private.",
            f"Write delta = {0.1 / people:.0e} or less.",
        )
    return promise


def _check_server(protocol: Any, rule: Any, sum: Any) -> None:
    if sees_vectors(protocol) or aggregates(protocol) is not None:
        raise RecipeError(
            "This protocol sends people's vectors to the server, and no noise hides those.",
            "Choose the protocol 'federated'.",
        )
    if guarantee(sum) is None:
        return
    if not isinstance(rule, Simple):
        raise RecipeError(
            "This aggregation weighs people by their data, or divides each row by how many people changed "
            "it, and both are data.",
            'Set protocol.aggregate = "simple", which divides by the number of participants.',
        )
    if getattr(protocol, "selection", "random") == "useful":
        raise RecipeError(
            "selection = 'useful' asks people by how long their updates were before noise was added, and "
            "so tells that to everybody who sees who takes part.",
            'Set selection = "random" or "in-turn".',
        )


def _check_sum(protocol: Any, sum: Any, step: Any, promise: Guarantee, people: int) -> None:
    """Shares of noise hide a person in a sum alone, and only if enough shares are in it."""
    if protocol.topology == "consensus" and protocol.group != 1:
        _check_groups(protocol, step, promise, people)
        return
    everybody = protocol.topology == "server" and (group_size(protocol) or people)
    if protocol.topology != "server" or (everybody and not summed_at_least(sum, everybody)):
        raise RecipeError(
            "A share of the noise does not hide its owner, and here others see more than sums.",
            "Set protocol.sum = \"secure\" with the protocol 'federated', sum in groups with the protocol "
            "'consensus', or take the step \"gaussian\", which needs no sum.",
        )
    if everybody and summed_at_least(sum, everybody) < promise.survivors:
        raise RecipeError(
            f"A sum may be of {summed_at_least(sum, everybody)} people, and the noise is enough if "
            f"{promise.survivors} add their shares.",
            f"Set protocol.sum.smallest = {promise.survivors}, so that people refuse smaller groups, or "
            "lower survivors.",
        )


def _check_groups(protocol: Any, step: Any, promise: Guarantee, people: int) -> None:
    """In groups without a server, everybody who reads a sum knows one of its shares: their own."""
    group = protocol.group or SMALLEST
    least = min(group, people or group) - protocol.spare - 1
    if least < promise.survivors:
        raise RecipeError(
            f"A sum of a group may be of {least + 1} people, each of whom knows their own share of the "
            f"noise, and the noise is enough if {promise.survivors} others add theirs.",
            f"Set protocol.group = {promise.survivors + protocol.spare + 1} or more, or survivors = {least} "
            "or less.",
        )
    if step.places > PLACES:
        raise RecipeError(
            f"Noise has {step.places} binary places, and the sums of groups keep {PLACES}.",
            f"Set places of the step to {PLACES} or less.",
        )
    # A group may have nearly twice as many members as asked for.
    largest = (people or 2 * group) * step.length * 2.0**step.places
    if 2 * largest >= 2 ** (protocol.modulus - 1):
        raise RecipeError(
            f"A sum of updates of length {step.length:g} can have {largest:.0f} steps of "
            f"2^-{step.places}, too many for {protocol.modulus} bits.",
            "Set protocol.modulus = 32 or 64, or give fewer binary places (places = …).",
        )


def _check_places(step: Any, sum: Any) -> None:
    """Integers that are rounded once more before they are summed would not have the noise that was proved."""
    if step.places > finest(sum):
        raise RecipeError(
            f"Noise has {step.places} binary places, and the sum keeps {finest(sum)}.",
            f"Set row_places and head_places of protocol.sum to {step.places} or more, or places of the step "
            f"to {finest(sum)}.",
        )


_NEEDS = {
    "size": "weighs models by how much data people have, and so sends that number",
    "quality": "weighs models by how well they serve the receiver, and what the receiver passes on then "
    "depends on the receiver's private items",
}


def _check_peers(merge: Any, peers: Any) -> None:
    why = _NEEDS.get(getattr(merge, "needs", ""))
    if why:
        raise RecipeError(
            f"This merge rule {why}; no noise hides it.",
            'Set protocol.merge = "linear" or "model-age": under noise on every row, ages and clocks only '
            "count trainings.",
        )
    if getattr(peers, "needs", "") == "quality":
        raise RecipeError(
            "These peers are chosen by how good their models are for the receiver, and the choice tells it.",
            'Choose other peers, such as "uniform" or "shuffled".',
        )
