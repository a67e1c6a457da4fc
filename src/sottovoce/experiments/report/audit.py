"""Who can see what: the audit of a run, if `sottovoce audit` has made one, or how to make one."""

from typing import Any

from sottovoce import files
from sottovoce.experiments.audit.advice import FIGURES, advice, otherwise, personal
from sottovoce.experiments.audit.sentences import WAYS, best, share
from sottovoce.experiments.audit.written import AUDIT, damaged, read
from sottovoce.experiments.pages.markup import Html, element
from sottovoce.experiments.report.layout import NONE, Cell, Column, Part, Section, Table
from sottovoce.experiments.report.methods import Method, Study
from sottovoce.experiments.runs.observed import OBSERVED

TITLE = "Who can see what"
_NAMES = {
    "items": "items the person has",
    "membership": "a person's item, out of two",
    "announced": "the row of a person's item, out of two",
    "not-items": "items the person does not have",
    "communities": "similar people",
    "ratings": "ratings",
    "instances": "number of training instances",
    "vector": "the person's vector",
    "rows": "the person's change of rows",
    "head": "the person's change of the head",
    "last-one": "people alone behind a row of a sum",
    "singled": "people whose vectors are found in a sum",
}
_OBSERVERS = {
    "server": "the server",
    "masked": "the server, from masked rows",
    "sums": "the server, from sums",
    "key": "the server with a participant's key",
    "participant": "one participant",
    "participants": "all observing participants together",
    "decrypting": "one participant, from sums that it decrypts",
    "decrypting together": "all observing participants, from sums that they decrypt",
    "group": "a member of a group, from its sum",
    "neighbour": "one neighbour",
    "colluders": "all observing neighbours together",
    "both sides": "neighbours on both sides",
}
_ACCESS, _DEDUCED, _NOTHING = "✓", "‡", "✗"
_ALL = 0.95
_CAPTION = (
    "As Table 1 of Perifanis and Efraimidis (2022), measured. ✓: at least 95 % is found. ‡: more is found "
    "than otherwise. ✗: no more is found. Below: what is found without knowing the person, by guessing or by "
    "taking people for others, whichever finds more. Vectors and changes are compared by their cosine."
)
_EVERY = (
    "All ways to attack the recorded messages, as means over people with 95 % intervals, and what guessing "
    "finds. An observer who looks for items knows how many a person has."
)


def found(study: Study) -> list[Section]:
    """One section; of a method with several seeds, the first run that was audited."""
    parts: list[Part] = []
    audits = [(method, *one) for method in study.methods if (one := _first(method)) is not None]
    for number, (method, path, audit) in enumerate(audits, 1):
        try:
            if len(study.methods) > 1:
                parts.append(element("h3", method.name))
            parts += _shown(audit, f"-{number}" if len(audits) > 1 else "")
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise damaged(path) from None
    if not parts and (how := _how(study)):
        parts.append(how)
    return [Section(TITLE, parts)] if parts else []


def _first(method: Method) -> tuple[Any, dict[str, Any]] | None:
    for run in method.runs:
        if run.directory is not None and (audit := read(run.directory)) is not None:
            return run.directory / AUDIT, audit
    return None


def _how(study: Study) -> Html | None:
    """How to measure it; None if everything is in one place anyway."""
    runs = [run for method in study.methods for run in method.runs if run.figures.nodes > 1]
    if not runs:
        return None
    if any(run.directory is not None and files.is_folder(run.directory / OBSERVED) for run in runs):
        told = "Observers recorded messages, and nobody has attacked them yet. To measure what they find out:"
        return element("div", element("p", told), element("pre", "sottovoce audit RUN_DIR"))
    served = runs[0].recipe.components().protocol.topology == "server"
    who = '"server"' if served else "60"
    told = (
        "Nobody observed this run, so it was not measured what others can find out. To measure it, run it "
        "again with observers, and audit it:"
    )
    command = (
        f"sottovoce run RECIPE --set 'privacy.observe={{ who = {who}, rounds = [1, 10] }}' --out RUN_DIR\n"
        "sottovoce audit RUN_DIR"
    )
    return element("div", element("p", told), element("pre", command))


def _shown(audit: dict[str, Any], number: str) -> list[Part]:
    entries = audit["attacks"]
    told: Html = element("ul", *(element("li", sentence) for sentence in advice(entries)))
    columns = [
        Column("observer"),
        Column("looks for"),
        Column("by"),
        Column("finds", ("", "low", "high")),
        Column("guessing"),
        Column("after one round"),
    ]
    rows = [_row(entry) for entry in entries if entry["attack"] in FIGURES]
    every = Table(f"audit{number}", columns, rows, _EVERY, "All ways of all attacks")
    sentences = element("ul", *(element("li", sentence) for sentence in audit["sentences"]))
    more = element("details", element("summary", "All attacks in words"), sentences)
    return [told, _matrix(entries, f"who-sees-what{number}"), more, every]


def _matrix(entries: list[dict[str, Any]], identity: str) -> Table:
    """What is private in rows, observers in columns."""
    ways = best(entries)
    who = [name for name in _OBSERVERS if any(observer == name for observer, _ in ways)]
    what = [name for name in _NAMES if any((observer, name) in ways for observer in who)]
    columns = [Column("what"), *(Column(_OBSERVERS[name], ("", "otherwise")) for name in who)]
    rows = [[Cell(_NAMES[one]), *(_seen(ways.get((name, one)), one) for name in who)] for one in what]
    return Table(identity, columns, rows, _CAPTION)


def _seen(entry: dict[str, Any] | None, attack: str) -> Cell:
    figure = None if entry is None else entry[FIGURES[attack]]
    if figure is None or figure["value"] is None:
        return Cell(NONE, values=(None, None))
    value, least = figure["value"], otherwise(figure)
    mark = _NOTHING if not personal(figure) else _ACCESS if value >= _ALL else _DEDUCED
    if attack in ("vector", "rows", "head"):
        return Cell(f"{mark} {value:.2f}", f"{least:.2f} otherwise", (value, least))
    if attack == "last-one":
        return Cell(share(value), "", (value, None))
    return Cell(f"{mark} {share(value)}", f"{share(least)} otherwise", (value, least))


def _row(entry: dict[str, Any]) -> list[Cell]:
    name = FIGURES[entry["attack"]]
    figure, first = entry[name], entry["over_rounds"][0][name]
    interval = f"{share(figure['low'])} to {share(figure['high'])}" if figure["value"] is not None else ""
    return [
        Cell(_OBSERVERS[entry["observer"]]),
        Cell(_NAMES[entry["attack"]]),
        Cell(WAYS[entry["way"]]),
        Cell(share(figure["value"]), interval, tuple(figure[key] for key in ("value", "low", "high"))),
        Cell(share(figure["guessing"]), values=(figure["guessing"],)),
        Cell(
            share(first["value"]) if entry["over_rounds"][0]["rounds"] == 1 else NONE,
            values=(first["value"],),
        ),
    ]
