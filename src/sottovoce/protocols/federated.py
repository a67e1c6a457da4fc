"""Federated learning (Algorithms 1 and 2, Hegedűs et al. 2019; Algorithm 1, Perifanis and Efraimidis 2022).

A server holds the model. In an aggregation it sends the model to participants. They train it on their own
data and send back what they changed, compressed. The server moves its model by the average. People's
vectors stay with them. Everybody who trained a row, with an item of their own or with a sampled negative,
contributes to the row's average. A row that nobody changed keeps its value.

An aggregation takes a download and an upload. A participant who goes offline during the download, or is too
slow for it, is left out. A participant who fails during the upload has trained, but the server does not
hear of it. A round is one aggregation, unless participants are selected in turn. Then a round is a global
round of Perifanis and Efraimidis: everybody who is online takes part once, in random groups of C. In virtual
time rounds are equal times for all protocols, so global rounds last as long as they take: aggregations go
through everybody in random order, skip people who are offline at their turn, and begin a new order when
nobody is left.

Where clients do little, as a single triple of FPL (Anelli et al. 2020), a round may have many `aggregations`,
each with participants drawn anew. With 0 a round is an epoch: ρ = X⁺ participations, as many as people have
interactions, in rpe = ρ / |U⁻| aggregations of |U⁻| `participants` (Equation 10). If rpe is not whole, epochs
differ by one aggregation, so that their sum is right.

`useful` participants (active sampling, suggested in their Section 7) are drawn with chances in proportion
to ε + (1 − ε) sᵢ / s̄, where sᵢ is the length of the last change that person i sent, s̄ the mean length and
ε = 0.1. People never asked come first. A person who does not answer has sᵢ = 0, so that people who can
answer are preferred, as Nishio and Yonetani (2019) do. The server then keeps a figure on everybody that tells
who has much data or an unusual taste. It must see each change by itself, so no secure sum can hide them.
"""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Lt

from sottovoce.data.interactions import Interactions
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.errors import RecipeError
from sottovoce.protocols._drawn import drawn
from sottovoce.protocols._participants import Aggregation, Groups, Selection, kept, select
from sottovoce.protocols._server import PRESENCE, served
from sottovoce.protocols.interface import fitted, keeps, lengths, participants
from sottovoce.registry import component
from sottovoce.state import Floats


@served
@component("protocol", "federated", topology="server")
class Federated(NamedTuple):
    """A server averages what participants change."""

    participants: Annotated[int, Ge(0)] = 0
    """C, how many of those online take part in an aggregation; 0: all of them."""
    selection: Selection = "random"
    """Who of those online takes part. `random`: drawn anew for every aggregation. `in-turn`: everybody once
    in a round, which has as many aggregations as that takes. `useful`: people who move the model far are
    drawn more often."""
    aggregations: Annotated[float, Ge(0)] = 1.0
    """rpe, how many aggregations a round has, each with other participants; 0: an epoch of X⁺ / C, with X⁺
    the number of interactions. It needs `selection = "random"` and no `links`."""
    dropout: Annotated[float, Ge(0), Lt(1)] = 0.0
    """The share of participants that fail after they received the model: they neither train nor answer."""
    start: Literal["common", "independent"] = "independent"
    """Whether people begin with the same vector, or each with their own."""


@fitted.rule(Federated)
def _fitted(protocol: Federated, train: Interactions) -> Federated:
    if protocol.aggregations == 1:
        return protocol
    if protocol.selection != "random":
        raise RecipeError(
            f"A round with selection = {protocol.selection!r} has the aggregations that selection needs, and "
            f"aggregations = {protocol.aggregations:g} asks for others.",
            'Leave protocol.aggregations out, or set protocol.selection = "random".',
        )
    if 0 < protocol.aggregations < 1:
        raise RecipeError(
            f"protocol.aggregations = {protocol.aggregations:g} is less than one aggregation in a round.",
            "Give 1 or more, or 0 for an epoch.",
        )
    group = min(protocol.participants or train.people, train.people)
    each = protocol.aggregations or max(1.0, len(train) / max(1, group))
    return protocol._replace(aggregations=each)


@keeps.rule(Federated)
def _keeps(protocol: Federated, people: int) -> dict[str, Any]:
    return kept(protocol.selection, protocol.participants, people)


@lengths.rule(Federated)
def _lengths(protocol: Federated, kept: dict[str, Any]) -> Floats:
    found: Floats = kept.get("useful", np.empty(0, np.float32))
    return found


@participants.rule(Federated)
def _participants(protocol: Federated, kept: dict[str, Any], user: Floats, asked: Aggregation) -> Groups:
    if protocol.aggregations == 1:
        return select(kept, protocol.participants, asked)
    if asked.timing.timed:
        raise RecipeError(
            "In virtual time each aggregation takes a download and an upload, and a round cannot have "
            f"{protocol.aggregations:g} of them.",
            "Leave network.links out, or protocol.aggregations.",
        )
    return drawn(asked, protocol.participants, protocol.aggregations)


LENGTHS = Disclosure(
    "how long each person's last change was, kept by name",
    "the server",
    "Who has much data or an unusual taste. Each change must be seen by itself: no secure sum can hide it.",
)


@discloses.rule(Federated)
def _discloses(component: Any) -> tuple[Disclosure, ...]:
    if component.participants and component.selection == "useful":
        return (PRESENCE, LENGTHS)
    return (PRESENCE,)
