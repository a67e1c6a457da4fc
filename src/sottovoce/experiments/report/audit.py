"""What observers can find out: the audit of a run, if `sottovoce audit` has made one."""

from typing import Any

from sottovoce.experiments.audit.sentences import WAYS, share
from sottovoce.experiments.audit.written import AUDIT, damaged, read
from sottovoce.experiments.pages.markup import Html, element
from sottovoce.experiments.report.layout import Cell, Column, Part, Section, Table
from sottovoce.experiments.report.methods import Method, Study

_FIGURE = {"items": "recall", "membership": "auc", "communities": "neighbours", "ratings": "right"}
_NAMES = {
    "items": "a person's items",
    "membership": "an item of the person, out of two",
    "communities": "similar people",
    "ratings": "ratings",
    "last-one": "people alone behind a row of a sum",
}
_OBSERVERS = {
    "server": "the server",
    "neighbour": "one neighbour",
    "colluders": "all observing neighbours together",
    "both sides": "neighbours on both sides",
}
_CAPTION = (
    "What attacks on the recorded messages find, as means over people with 95 % intervals, and what guessing "
    "finds. An observer who looks for items knows how many a person has."
)


def found(study: Study) -> list[Section]:
    """One section, if some run was audited; of a method with several seeds, the first run that was."""
    parts: list[Part] = []
    audits = [(method, *one) for method in study.methods if (one := _first(method)) is not None]
    for number, (method, path, audit) in enumerate(audits, 1):
        try:
            if len(study.methods) > 1:
                parts.append(element("h3", method.name))
            parts += _shown(audit, f"audit-{number}" if len(audits) > 1 else "audit")
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise damaged(path) from None
    return [Section("What observers find out", parts, "words")] if parts else []


def _first(method: Method) -> tuple[Any, dict[str, Any]] | None:
    for run in method.runs:
        if run.directory is not None and (audit := read(run.directory)) is not None:
            return run.directory / AUDIT, audit
    return None


def _shown(audit: dict[str, Any], identity: str) -> list[Part]:
    told: Html = element("ul", *(element("li", sentence) for sentence in audit["sentences"]))
    columns = [
        Column("observer"),
        Column("looks for"),
        Column("by"),
        Column("finds", ("", "low", "high")),
        Column("guessing"),
        Column("after one round"),
    ]
    rows = [_row(entry) for entry in audit["attacks"]]
    return [told, Table(identity, columns, rows, _CAPTION)]


def _row(entry: dict[str, Any]) -> list[Cell]:
    name = _FIGURE.get(entry["attack"], "exposed")
    figure, first = entry[name], entry["over_rounds"][0][name]
    interval = f"{share(figure['low'])} to {share(figure['high'])}" if figure["value"] is not None else ""
    return [
        Cell(_OBSERVERS[entry["observer"]]),
        Cell(_NAMES[entry["attack"]]),
        Cell(WAYS[entry["way"]]),
        Cell(share(figure["value"]), interval, tuple(figure[key] for key in ("value", "low", "high"))),
        Cell(share(figure["guessing"]), values=(figure["guessing"],)),
        Cell(
            share(first["value"]) if entry["over_rounds"][0]["rounds"] == 1 else "—", values=(first["value"],)
        ),
    ]
