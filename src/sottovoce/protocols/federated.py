"""Federated learning (Algorithms 1 and 2, Hegedűs et al. 2019; Algorithm 1, Perifanis and Efraimidis 2022).

A server holds the model. In an aggregation it sends it to participants; they train it on their own data
and send back what they changed, compressed; the server moves by the average. People's vectors stay
with them. A row is changed by who trained it, with an item of one's own or with a sampled negative: all of
these contribute to its average. A row that nobody changed keeps its value.

An aggregation takes a download and an upload; who goes offline in the download, or is too slow for it,
is left out, and who does so in the upload has trained, but the server does not hear of it. An aggregation
is what a round means, unless participants are selected in turn. Then a round is a global round of
Perifanis and Efraimidis: everybody who is online takes part once, in random groups of C. In virtual
time, where rounds are equal times for all protocols, global rounds last as long as they take:
aggregations follow each other through everybody in random order, who is offline when the turn comes is
passed over, and where nobody is left a new order begins.

Useful participants (active sampling, which their Section 7 suggests) are drawn with chances in proportion
to ε + (1 − ε) sᵢ / s̄, with sᵢ the length of the last change that person i sent, s̄ its mean and ε = 0.1;
those never asked come first. Who does not answer has sᵢ = 0, so those who can are preferred, as
Nishio and Yonetani 2019 do. The server then keeps a figure on everybody that tells who has much data or
an unusual taste, and must see each one's change by itself, so a secure sum cannot hide them.
"""

from typing import Annotated, Any, Literal, NamedTuple

from annotated_types import Ge, Lt

from sottovoce.disclosure import Disclosure, discloses
from sottovoce.protocols._participants import Groups, Selection, Terms, kept, select
from sottovoce.protocols._server import CHANGES, served
from sottovoce.protocols.interface import keeps, participants
from sottovoce.registry import component
from sottovoce.state import Floats
from sottovoce.timing import Timing


@served
@component("protocol", "federated", topology="server")
class Federated(NamedTuple):
    """A server averages what participants change."""

    participants: Annotated[int, Ge(0)] = 0
    """C, how many of those online take part in an aggregation; 0: all of them."""
    selection: Selection = "random"
    """Which of those online: `random` ones, drawn anew for every aggregation; `in-turn`, everybody once in a
    round of as many aggregations as it takes; `useful`, those more often who move the model far."""
    dropout: Annotated[float, Ge(0), Lt(1)] = 0.0
    """The share of participants that fail once they have received the model: they never answer, nor train."""
    start: Literal["common", "independent"] = "independent"
    """Whether people begin with the same vector, or each with an own one."""


@keeps.rule(Federated)
def _keeps(protocol: Federated, people: int) -> dict[str, Any]:
    return kept(protocol.selection, protocol.participants, people)


@participants.rule(Federated)
def _participants(
    protocol: Federated,
    kept: dict[str, Any],
    user: Floats,
    timing: Timing,
    terms: Terms,
    begin: float,
    run: int,
    number: int,
) -> Groups:
    return select(kept, protocol.participants, timing, terms, begin, run, number)


LENGTHS = Disclosure(
    "how long each person's last change was, kept by name",
    "the server",
    "Who has much data or an unusual taste. Each change must be seen by itself: no secure sum can hide it.",
)


@discloses.rule(Federated)
def _discloses(component: Any) -> tuple[Disclosure, ...]:
    if component.participants and component.selection == "useful":
        return (CHANGES, LENGTHS)
    return (CHANGES,)
