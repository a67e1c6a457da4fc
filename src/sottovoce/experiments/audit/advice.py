"""Short sentences on what to do about what an audit found."""

from collections.abc import Iterable
from typing import Any

from sottovoce.experiments.audit.sentences import best, share
from sottovoce.registry import names

SLACK = 0.01
"""How far a figure may be above what is found otherwise and still count as equal."""
FIGURES = {
    "items": "recall",
    "membership": "auc",
    "announced": "auc",
    "not-items": "recall",
    "communities": "neighbours",
    "ratings": "right",
    "instances": "right",
    "vector": "likeness",
    "rows": "likeness",
    "head": "likeness",
    "last-one": "exposed",
    "singled": "people",
}
"""The figure of each attack that tells how much is found."""
PEERS = ("neighbour", "colluders", "both sides")


def otherwise(figure: dict[str, Any]) -> float:
    """What is found without knowing the person: by guessing, or by taking people for others."""
    beside = (figure["guessing"], figure.get("another"))
    return max((value for value in beside if value is not None), default=0.0)


def personal(figure: dict[str, Any]) -> bool:
    """Whether more is found of a person than otherwise, by more than chance."""
    return figure["value"] is not None and bool(figure["low"] > otherwise(figure) + SLACK)


def advice(entries: Iterable[dict[str, Any]]) -> list[str]:
    """What leaks most, and what to do about it: one sentence or two for each kind of observer."""
    found, told = best(entries), []
    leaking = {who for (who, attack), one in found.items() if attack == "items" and personal(one["recall"])}
    if "server" in leaking:
        told.append(f"The server can tell what single people did. {_against_a_server()}")
    masked = found.get(("masked", "announced"))
    if masked is not None and personal(masked["auc"]):
        told.append("Masked rows are not masked well: they tell whose they are. Report the defect.")
    if "key" in leaking:
        told.append(
            "One participant who gives the shared key to the server opens everybody's updates. Use masks, "
            "which have no such key, unless you trust every participant."
        )
    alike = found.get(("group", "singled"))
    if alike is not None and personal(alike["people"]):
        told.append(
            f"{share(alike['people']['value'])} of people can be told from the sum of their group. Sum in "
            "larger groups (protocol.group), and withhold rows with few contributors (protocol.fewest)."
        )
    if leaking & {"sums", "participant", "participants"}:
        told.append(
            "Sums of a group tell something about its members. Ask more people for each sum "
            "(protocol.participants)."
        )
    if leaking & set(PEERS):
        told.append(
            "Neighbours can tell what a person did by comparing models of the same sender. Let nodes meet "
            'other people in each round (network.peers = "uniform"), or withhold changes (privacy.steps).'
        )
    if leaking & {"decrypting", "decrypting together"}:
        told.append(
            "Participants can tell something of each other from sums that they decrypt, in which no row is "
            "withheld. Ask more people for each sum (protocol.participants), or use masks."
        )
    alone = found.get(("server", "last-one"), found.get(("decrypting", "last-one")))
    if alone is not None and alone["exposed"]["value"]:
        told.append(
            f"{share(alone['exposed']['value'])} of people stand alone behind a row of a sum at some time. "
            "Whoever sees this sum sees their change. Ask more people for each sum."
        )
    proved = next((one for (_, attack), one in found.items() if attack == "canaries"), None)
    if proved is not None and proved["claimed"] is not None and proved["epsilon"] > proved["claimed"]:
        told.append("The noise does not keep its promise. Do not rely on it, and report the defect.")
    return told or ["No attack found more about a person than it finds without knowing the person."]


def _against_a_server() -> str:
    ways = []
    if "secure" in names("sum"):
        ways.append('sum updates under masks (protocol.sum = "secure")')
    if "gaussian" in names("step"):
        ways.append('add noise (privacy.steps = ["gaussian"])')
    if not ways:
        return "Trust it with that, or withhold rows with a step (privacy.steps)."
    text = " or ".join(ways)
    return f"{text[0].upper()}{text[1:]}, and audit again."
