"""Figures of an audit in short sentences."""

from collections.abc import Iterable
from typing import Any

from sottovoce.plural import count

WHO = {
    "server": "The server",
    "neighbour": "One neighbour",
    "colluders": "A group of all observing neighbours",
    "both sides": "A group of neighbours on both sides of a person",
    "masked": "The server, from masked rows,",
    "sums": "The server, from sums alone,",
    "group": "A member of a group, from its sum,",
    "key": "The server with the key of a colluding participant",
    "decrypting": "One participant, from sums that it decrypts,",
    "decrypting together": "A group of all observing participants, from sums that they decrypt,",
    "steps": "Whoever sees updates",
    "participant": "One participant",
    "participants": "A group of all observing participants",
}
WAYS = {
    "changed": "the rows that changed",
    "repeated": "rows that change again and again",
    "every": "rows that change in every message",
    "unchanged": "rows that do not change",
    "sent vector": "the vector that is sent",
    "sent number": "the number that is sent",
    "direction": "the direction in which rows move",
    "changes": "what is seen of the change",
    "head": "the matrix of vectors that is sent",
    "alone": "rows with one contributor",
    "differences": "rows that differ by one contributor",
    "length": "how far rows move",
    "side": "the side to which rows move",
    "rare side": "the side to which fewer rows move",
    "age": "the growth of row ages",
    "unusual": "a growth of row ages that others do not show",
    "never": "rows that never change",
    "rose": "biases that rise",
    "fell": "biases that fall",
    "unseen": "biases that never fall",
    "likely": "biases, and what others have",
    "withheld": "the vector before and after an item that was not sent",
    "everything": "biases that rise, and the vector before and after",
    "whole changes": "changes that point the same way",
    "row lengths": "rows that move equally far",
    "same rows": "rows that change equally often",
    "found items": "the items that were found",
    "biases": "one update, by way of the biases",
    "two steps": "two updates in a row",
    "plain sum": "a plain sum",
    "masked sum": "a masked sum",
    "decrypted sum": "a decrypted sum",
    "trials": "canaries",
    "one run": "canaries in sums",
}


_WHAT = {
    "vector": "a person's vector, up to its length and sign,",
    "rows": "a person's update of the rows",
    "head": "a person's update of the head",
}


_PROMISES = {
    "steps": "the steps promise",
    "sums": "the shares of noise in a sum promise",
    "participant": "the server's noise promises",
}


def share(value: float | None) -> str:
    """A share in percent: whole ones from 10 % to 90 %, otherwise with a decimal."""
    if value is None:
        return "—"
    percent = 100 * value
    return f"{percent:.0f} %" if 10 <= percent <= 90 or percent in (0, 100) else f"{percent:.1f} %"


def _mixed_up(figure: dict[str, Any]) -> str:
    """What the same attack finds if it takes people for others, if that is more than a guess."""
    another, least = figure.get("another"), figure["guessing"]
    if another is None or another <= 1.2 * least:
        return ""
    return f", and what was found of somebody else {share(another)}"


def between(figure: dict[str, Any]) -> str:
    """The interval of a share."""
    return f"{share(figure['low'])} to {share(figure['high'])}"


def sentence(entry: dict[str, Any]) -> str:
    """What an entry of `audit.json` says."""
    who = WHO[entry["observer"]]
    after = f"after {count(entry['rounds'], 'round')}"
    match entry["attack"]:
        case "items":
            recall, precision = entry["recall"], entry["precision"]
            if recall["value"] is None:
                return f"{who} cannot look for anybody's items."
            return (
                f"{who} finds {share(recall['value'])} of a person's items {after} "
                f"({between(recall)}); guessing finds {share(recall['guessing'])}"
                f"{_mixed_up(recall)}. "
                f"Of the items named, {share(precision['value'])} are right; "
                f"of guessed ones, {share(precision['guessing'])}."
            )
        case "membership":
            auc, few = entry["auc"], entry["recall_at_1_percent_false_alarms"]
            if auc["value"] is None:
                return f"{who} cannot tell a person's items from others."
            return (
                f"{who} tells a person's item from another one in {share(auc['value'])} of cases "
                f"({between(auc)}); guessing does in 50 %{_mixed_up(auc)}. "
                f"With one false alarm in a hundred, {share(few)} of the items are found."
            )
        case "announced":
            auc = entry["auc"]
            if auc["value"] is None:
                return f"{who} cannot tell a person's rows from others."
            return (
                f"{who} tells a row of a person's item from another row of the group's sum in "
                f"{share(auc['value'])} of cases ({between(auc)}); guessing does in 50 %."
            )
        case "communities":
            found = entry["neighbours"]
            if found["value"] is None or not found["guessing"]:
                return f"{who} cannot compare people."
            return (
                f"{who} finds {share(found['value'])} of the people who resemble a person most "
                f"({between(found)}); guessing finds {share(found['guessing'])}: "
                f"{found['value'] / found['guessing']:.1f} times guessing."
            )
        case "not-items":
            recall, precision = entry["recall"], entry["precision"]
            if precision["value"] is None:
                return f"{who} cannot exclude any item."
            return (
                f"{who} can exclude {share(recall['value'])} of the items that a person does not have "
                f"{after} ({between(recall)}). Of the items excluded, {share(precision['value'])} are "
                f"excluded rightly; of guessed ones, {share(precision['guessing'])}."
            )
        case "instances":
            right = entry["right"]
            return (
                f"{who} knows of {share(right['value'])} of people on how many instances they trained; "
                f"guessing is right in {share(right['guessing'])}."
            )
        case "vector" | "rows" | "head":
            like, what = entry["likeness"], _WHAT[entry["attack"]]
            if like["value"] is None:
                return f"{who} sees nothing of {what}."
            beside = "" if like["guessing"] is None else f"; somebody else's has {like['guessing']:.2f}"
            return (
                f"{who} has {what} with a likeness of {like['value']:.2f} ({like['low']:.2f} to "
                f"{like['high']:.2f}), where 1 is all of it{beside}."
            )
        case "ratings":
            right, error = entry["right"], entry["error"]
            if right["value"] is None:
                return f"{who} cannot look for anybody's ratings."
            return (
                f"{who} knows {share(right['value'])} of the ratings ({between(right)}) from "
                f"{WAYS[entry['way']]}, with an error of {error['value']:.2g}; guessing is right in "
                f"{share(right['guessing'])}, with an error of {error['guessing']:.2g}."
            )
        case "singled":
            found, recall, precision = entry["people"], entry["recall"], entry["precision"]
            if not found["value"]:
                return f"{who} finds nobody's vector ({between(found)})."
            return (
                f"{who} finds the vectors of {share(found['value'])} of the people in it ({between(found)}) "
                f"from {WAYS[entry['way']]}; guessing finds {share(found['guessing'])}. It names "
                f"{share(recall['value'])} of people's items, of which {share(precision['value'])} are right."
            )
        case "canaries":
            claimed = entry["claimed"]
            told = f"Canaries prove that ε is at least {entry['epsilon']:.2f}, with a confidence of 95 %"
            if claimed is None:
                return f"{told}; the steps promise no ε."
            kept = "which the promise allows" if entry["epsilon"] <= claimed else "so THE PROMISE IS BROKEN"
            return f"{told}; {_PROMISES[entry['observer']]} {claimed:g}, {kept}."
        case _:
            kind, _, _ = entry["way"].partition(" ")
            told = (
                f"In {kind} sums {share(entry['alone'])} of the rows have a "
                "single contributor, whose change the sum shows."
            )
            exposed = share(entry["exposed"]["value"])
            return told if kind == "masked" else f"{told} {exposed} of people are such a contributor {after}."


def headlines(entries: list[dict[str, Any]]) -> list[str]:
    """A sentence for each attack of each observer: of all ways, the one that finds most."""
    return [sentence(entry) for entry in best(entries).values()]


def best(entries: Iterable[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The way that finds most, for each observer and attack."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in entries:
        key = entry["observer"], entry["attack"]
        if key not in found or success(entry) > success(found[key]):
            found[key] = entry
    return found


def success(entry: dict[str, Any]) -> float:
    """How well a way works, to compare it with others of the same attack."""
    match entry["attack"]:
        case "items":  # the harmonic mean of precision and recall
            precision, recall = (entry[name]["value"] or 0.0 for name in ("precision", "recall"))
            return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        case "communities":
            return float(entry["neighbours"]["value"] or 0.0)
        case "ratings" | "instances":
            return float(entry["right"]["value"] or 0.0)
        case "membership" | "announced":
            return float(entry["auc"]["value"] or 0.0)
        case "vector" | "rows" | "head":
            return float(entry["likeness"]["value"] or 0.0)
        case "singled":
            return float(entry["people"]["value"] or 0.0)
        case _:
            return 0.0
