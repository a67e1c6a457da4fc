"""The outcome of a reproduction in the sentences that the terminal, the page and the docs share."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sottovoce.experiments.pages import plots
from sottovoce.experiments.pages.markup import Html
from sottovoce.experiments.pages.words import name, percent
from sottovoce.experiments.reproduce import figures
from sottovoce.metrics import lower_is_better
from sottovoce.plural import count

HEADER = ["", "figure", "paper", "ours", "allowed", ""]
BAND = "Lines are means; bands show the lowest and the highest of the seeds."
OVER_SEEDS = "Ours: mean ± standard deviation over seeds. A dash: the paper prints no number."
REPEATED = "Medians of the repetitions, with their range."
TIMES = "Ours: the median of the repetitions, their range, and how many times the paper's number it is."
LEAKS = (
    "What attacks find, and in parentheses what is found without knowing the person: by guessing, or by "
    "taking people for others, whichever finds more. Items, ratings, similar people: the share found. "
    "Item of two: how often a person's item is told from another one. No item: the share of items that are "
    "known not to be the person's. Instances: the share of people whose number is known. Vector, rows, head: "
    "the cosine with the truth. Alone in a sum: the share of people who are behind a row of a sum alone."
)
MEANS = "Mean ± standard deviation over seeds."
LEAVES = (
    "As the components declare it. Ratings, and a person's vector where nothing else is said, stay private."
)
_ACROSS = {"megabytes": "megabytes per person"}
EARLIER = "The earlier rule: a difference counts beyond two standard deviations over seeds."


def title(found: Mapping[str, Any]) -> str:
    """What is reproduced."""
    if own(found):
        return str(found["own"]["shows"])
    paper = found["paper"]
    return f"{paper['shows']} ({paper['authors']} {paper['year']})"


def own(found: Mapping[str, Any]) -> bool:
    """Whether results are our own, with no paper beside them."""
    return "own" in found


def about(found: Mapping[str, Any]) -> tuple[str, str, str]:
    """Where the statements come from, in three parts, of which the second is a title."""
    if own(found):
        return found["own"]["about"], "", ""
    paper = found["paper"]
    return f"{paper['authors']}: ", paper["title"], f", {paper['year']}"


def verdict(found: Mapping[str, Any]) -> str:
    """How many of the statements and figures hold; a reduced version has no verdict."""
    if found["quick"]:
        return "No verdict." if own(found) else "No verdict on the paper."
    told = [claim for claim in found["claims"] if claim["source"]]
    ours = [claim for claim in found["claims"] if not claim["source"]]
    kinds = {"the paper's statements": told, "its printed figures": found["rows"], "our own statements": ours}
    if own(found):
        kinds = {"statements": found["claims"]}
    parts = []
    for what, judged in kinds.items():
        known = [entry["holds"] for entry in judged if entry["holds"] is not None]
        looked = [f["holds"] for entry in judged for f in entry.get("findings", ()) if f["holds"] is not None]
        counted = f" ({sum(looked)} of {len(looked)} comparisons)" if len(looked) > len(known) else ""
        if known:
            parts.append(f"{what} {sum(known)} of {len(known)}{counted}")
    rest = " Some comparisons are undecided." if any(map(_open_ends, found["claims"])) else ""
    rest += "" if "confidence" in found else " Judged by the earlier rule."
    return f"What holds: {', '.join(parts)}.{rest}" if parts else "Nothing here can be judged."


def measured(found: Mapping[str, Any]) -> bool:
    """Whether a function measured the figures; otherwise they come from runs."""
    return "machines" in found


def machines(found: Mapping[str, Any]) -> list[str]:
    """The machines that measured, with the versions of what they ran."""
    told = []
    for one in found.get("machines", ()):
        versions = (
            f"{name} {version}" for name, version in one.items() if name not in ("processor", "system")
        )
        told.append(
            f"Measured on one core of {one['processor']} ({one['system']}) with {', '.join(versions)}."
        )
    if (load := found.get("load")) is not None:
        told.append(
            f"Other programs may have run beside it: while it measured, the load was {load[0]:g} to "
            f"{load[1]:g} (processes that want a processor, over a minute)."
        )
    return told


def scope(found: Mapping[str, Any]) -> str:
    """Under which seeds it was run, and which parts were not run."""
    seeds = found["seeds"]
    under = f"seed {seeds[0]}" if len(seeds) == 1 else f"{len(seeds)} seeds ({', '.join(map(str, seeds))})"
    few = [f"{label} under {n} of them" for label, n in found.get("fewer", {}).items() if n < len(seeds)]
    under = ", ".join([under, *few])
    once = "seed"
    if measured(found):
        under, once = count(len(seeds), "repetition"), "repetition"
    spread = f"; a single {once} decides no comparison" if len(seeds) == 1 else ""
    if found["quick"]:
        what = "" if own(found) else " about the paper"
        return f"A reduced version (--quick) decides nothing{what}: {under}."
    if not found["missing"]:
        told = f"{'In' if measured(found) else 'Under'} {under}{spread}."
    else:
        ran, missing = (", ".join(found[which]) for which in ("ran", "missing"))
        told = f"Run: {ran}, {'in' if measured(found) else 'under'} {under}{spread}. Not run: {missing}."
    return told if "confidence" in found else f"{told} {EARLIER}"


def mark(holds: bool | None) -> str:
    """Whether something holds; None is open."""
    return "not judged" if holds is None else "holds" if holds else "does not hold"


def judgement(claim: Mapping[str, Any]) -> str:
    """Whether a claim holds, and if not in all comparisons, in how many."""
    if claim["holds"]:
        return "holds in all decided comparisons" if _open_ends(claim) else mark(True)
    decided = [finding["holds"] for finding in claim["findings"] if finding["holds"] is not None]
    if any(decided):
        return f"does not hold in general, only in {sum(decided)} of {len(decided)} comparisons"
    return mark(claim["holds"])


def source(found: Mapping[str, Any], claim: Mapping[str, Any]) -> str:
    """Who says so; nothing where all statements are our own."""
    return claim["source"] or ("" if own(found) else "our own statement, not the paper's")


def stated(found: Mapping[str, Any], claim: Mapping[str, Any]) -> str:
    """A claim, and who says so."""
    who = source(found, claim)
    return f"{claim['claim']} ({who})" if who else str(claim["claim"])


class Table(NamedTuple):
    """A table: its header, and its lines; the first column has names."""

    caption: str
    header: list[str]
    lines: list[list[str]]


def tables(found: Mapping[str, Any]) -> list[Table]:
    """The figures: one line for each, or, if a function measured them, what the paper does not print apart.

    That has a line for each cell, and a table for all cells with the same figures.
    """
    if own(found) and not measured(found):
        return _by_panel(found["rows"])
    beside = [row for row in found["rows"] if row["paper"] is not None or not measured(found)]
    caption = TIMES if measured(found) else OVER_SEEDS
    shown = [Table(caption, HEADER, [cells(row) for row in beside])] if beside else []
    by_cell: dict[str, dict[str, str]] = {}
    for row in found["rows"] if measured(found) else ():
        if row["paper"] is None:
            by_cell.setdefault(row["name"], {})[row["metric"]] = row["said"][1]
    for figures_of in dict.fromkeys(tuple(own) for own in by_cell.values()):
        lines = [[name, *own.values()] for name, own in by_cell.items() if tuple(own) == figures_of]
        shown.append(Table(REPEATED, ["", *figures_of], lines))
    return shown


def _by_panel(rows: list[dict[str, Any]]) -> list[Table]:
    """A table for each panel, with a line for each run or level, and a column for each figure."""
    panels: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows:
        ended = row["metric"] in figures.COUNTS or row["at"] == figures.say_at("final")
        read = figures.name(row["metric"]) if ended else f"{figures.name(row['metric'])}, {row['at']}"
        line = row["name"].removeprefix(row["panel"]).removeprefix(", ")
        panels.setdefault(row["panel"], {}).setdefault(line, {})[read] = row["said"][1]
    made = []
    for title, lines in panels.items():
        columns = list(dict.fromkeys(read for line in lines.values() for read in line))
        shown = [[name, *(line.get(read, "—") for read in columns)] for name, line in lines.items()]
        made.append(
            Table(f"{title}: {MEANS[0].lower()}{MEANS[1:]}" if title else MEANS, ["", *columns], shown)
        )
    return made


def disclosures(found: Mapping[str, Any]) -> Table | None:
    """What leaves a device in each run."""
    seen = found.get("disclosures")
    if not seen:
        return None
    lines = [
        [", ".join(group["names"]) * (not place), one["what"], one["to"], one["tells"].replace("`", "")]
        for group in seen
        for place, one in enumerate(group["seen"])
    ]
    return Table(LEAVES, ["", "what leaves a device", "to", "what it tells"], lines)


def cells(row: Mapping[str, Any]) -> list[str]:
    """A row of the table; a dash where the paper prints nothing."""
    counted = row["metric"] in figures.COUNTS
    read = row["metric"] if counted or row["at"] is None else f"{figures.name(row['metric'])}, {row['at']}"
    judged = "" if row["holds"] is None else mark(row["holds"])
    return [row["name"], read, *(said or "—" for said in row["said"]), judged]


def leak_tables(found: Mapping[str, Any]) -> list[tuple[str, list[str], list[list[str]]]]:
    """Who sees what: for every observer a title, the names of columns, and lines."""
    made = []
    for table in found.get("leaks", []):
        lines = [[row["name"], *map(_cell, row["cells"])] for row in table["rows"]]
        made.append((table["who"], ["", *table["columns"]], lines))
    return made


def _cell(cell: list[float] | None) -> str:
    return "—" if cell is None else f"{100 * cell[0]:.0f} % ({100 * cell[1]:.0f} %)"


def outcome(found: Mapping[str, Any]) -> str:
    """`good` if all statements of the paper hold, `bad` if one does not, `near` if one is open.

    Without a paper, all statements count.
    """
    told = [claim["holds"] for claim in found["claims"] if claim["source"] or own(found)]
    if found["quick"] or None in told or not told:
        return "near"
    return "good" if all(told) else "bad"


def command(found: Mapping[str, Any]) -> str:
    """The command that reproduces it."""
    seeds = found["seeds"]
    listed = str(len(seeds)) if seeds == list(range(1, len(seeds) + 1)) else ",".join(map(str, seeds))
    quick = " --quick" if found["quick"] else ""
    usual = set(found["missing"]) == set(found["apart"])
    only = "" if found["quick"] or usual else "".join(f' --only "{label}"' for label in found["ran"])
    return f"sottovoce reproduce {found['experiment']}{quick} --seeds {listed}{only}"


def panels(found: Mapping[str, Any]) -> list[tuple[str, Html]]:
    """Every panel: its title and its curves."""
    if not found["panels"]:
        return []
    metric = found["metric"]
    y = f"{name(metric)}, {'lower' if lower_is_better(metric) else 'higher'} is better"
    return [
        (
            panel["title"],
            plots.curves(
                f"panel-{number}",
                y,
                [plots.Series(**curve) for curve in panel["curves"]],
                panel["levels"],
                x=_ACROSS.get(found["x"], found["x"]),
                percent=percent(metric),
            ),
        )
        for number, panel in enumerate(found["panels"])
    ]


def distributions(found: Mapping[str, Any]) -> list[tuple[str, Html]]:
    """Every distribution over people: its title and its picture."""
    return [
        (
            ": ".join(filter(None, [panel["title"], figures.name(drawn["metric"])])),
            plots.shares(
                f"people-{number}-{place}",
                figures.name(drawn["metric"]),
                [plots.Series(**curve) for curve in panel["curves"]],
                drawn["metric"] not in figures.NODES and percent(drawn["metric"]),
            ),
        )
        for number, drawn in enumerate(found.get("people", []))
        for place, panel in enumerate(drawn["panels"])
    ]


def _open_ends(claim: Mapping[str, Any]) -> bool:
    return any(finding["holds"] is None for finding in claim["findings"])
