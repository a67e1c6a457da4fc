"""The pages in docs/reproductions, written from the results that are kept beside them.

<experiment>.json  the content of `reproduction.json`
<experiment>.md    the page
<experiment>.svg   its curves, if it has any
index.md           all of them
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sottovoce.errors import RunError
from sottovoce.experiments.pages.markup import Html, element
from sottovoce.experiments.reproduce import execute, words
from sottovoce.experiments.runs.directory import RunDirectory

_GAP, _TITLE = 24.0, 26.0


def write(folder: Path, found: Mapping[str, Any] | None = None) -> None:
    """Put a result into the folder, if one is given, and write all pages again."""
    place = RunDirectory(folder)
    place.make()
    if found is not None:
        place.write(f"{_slug(found)}.json", execute.dumps(found))
    for name, text in pages(folder).items():
        place.write(name, text)


def pages(folder: Path) -> dict[str, str]:
    """Every page and picture of the folder, by name."""
    results = [_read(path) for path in sorted(folder.glob("*.json"))]
    made = {"index.md": _index(results)}
    for found in results:
        made[f"{_slug(found)}.md"] = _page(found)
        if found["panels"]:
            made[f"{_slug(found)}.svg"] = _picture(found)
    return made


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        _slug(found)
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(
            f"{path} is not the result of a reproduction: {error}.", "Remove the file from this folder."
        ) from None
    return found


def _slug(found: Mapping[str, Any]) -> str:
    return str(found["experiment"]).replace("/", "-")


def _index(results: list[dict[str, Any]]) -> str:
    rows = [
        f"| [{found['experiment']}]({_slug(found)}.md) | {words.title(found)} | {words.verdict(found)} |"
        for found in results
    ]
    return "\n".join(
        [
            "# Reproductions",
            "",
            "Tables and figures of published papers, run again, and comparisons of our own.",
            "Statements that do not hold are shown, too.",
            "Each page is made from a result kept beside it; see [how a reproduction is written](format.md).",
            "Settings are chosen on a weighting set (a validation set), neither trained nor tested on.",
            "",
            "| name | what | outcome |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def _page(found: Mapping[str, Any]) -> str:
    before, title, after = words.about(found)
    lines = [
        f"# {words.title(found)}",
        "",
        f"{before}*{title}*{after}." if title else before,
        "",
        f"**{words.verdict(found)}** {words.scope(found)}",
        "",
    ]
    if found["panels"]:
        lines += [f"![{words.BAND}]({_slug(found)}.svg)", "", words.BAND, ""]
    lines += ["## Statements", ""] if found["claims"] else []
    for claim in found["claims"]:
        lines += [f"**{words.judgement(claim).capitalize()}**: {words.stated(found, claim)}", ""]
        lines += [f"- {words.mark(f['holds'])} · {f['said']}" for f in claim["findings"]]
        lines += [""]
    for number, (who, columns, cells) in enumerate(words.leak_tables(found)):
        lines += ["## Who sees what", "", words.LEAKS, ""] if not number else []
        lines += [f"### {who[0].upper()}{who[1:]}", ""]
        lines += [_line(columns), f"|---|{'---:|' * (len(columns) - 1)}", *map(_line, cells), ""]
    lines += [
        "## Figures",
        "",
        *(line for one in words.tables(found) for line in _table(one)),
        *_disclosures(found),
        "## What was done",
        "",
        found["tuned"],
        "",
        *(f"- {note}" for note in [*found["notes"], *words.machines(found)]),
        "",
        "## Again",
        "",
        f"<!-- test: not run here, because it takes {_needs(found)} -->",
        "```sh",
        words.command(found),
        "```",
        "",
        *(f"- {data['name']}: {data['terms']}" for data in found["data"]),
        "",
    ]
    return "\n".join(lines)


def _disclosures(found: Mapping[str, Any]) -> list[str]:
    shown = words.disclosures(found)
    if shown is None:
        return []
    told = [shown.caption, "", _line(shown.header), "|---|---|---|---|", *map(_line, shown.lines), ""]
    return ["## What leaves a device", "", *told]


def _table(table: words.Table) -> list[str]:
    """Names to the left, figures to the right."""
    figures = "---:|" * (len(table.header) - 1)
    rule = "|---|---|---:|---:|---:|---|" if table.header == words.HEADER else f"|---|{figures}"
    return [table.caption, "", _line(table.header), rule, *map(_line, table.lines), ""]


def _needs(found: Mapping[str, Any]) -> str:
    return "minutes" if words.measured(found) else "minutes and real data"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _picture(found: Mapping[str, Any]) -> str:
    """All panels and distributions in two columns, as one picture on white."""
    drawn, parts = [*words.panels(found), *words.distributions(found)], []
    sizes = [tuple(map(float, re.findall(r'viewBox="0 0 (\S+) ([^"]+)"', svg)[0])) for _, svg in drawn]
    width, height = (max(size[side] for size in sizes) for side in (0, 1))
    columns, rows = min(2, len(drawn)), -(-len(drawn) // 2)
    for number, (title, svg) in enumerate(drawn):
        x = _GAP + number % columns * (width + _GAP)
        y = _GAP + number // columns * (height + _TITLE + _GAP)
        place = f'x="{x:g}" y="{y + _TITLE:g}" width="{width:g}" height="{height:g}" overflow="visible"'
        plain = re.sub(r' data-[a-z]+="[^"]*"', "", svg)  # only the script of a page reads it
        parts += [
            element("text", title, x=f"{x:g}", y=f"{y + 12:g}", font_weight="bold", font_size=14),
            Html(plain.replace("<svg ", f"<svg {place} ", 1)),
        ]
    whole = (_GAP + columns * (width + _GAP), _GAP + rows * (height + _TITLE + _GAP))
    picture = element(
        "svg",
        element("rect", width="100%", height="100%", fill="#fff"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {whole[0]:g} {whole[1]:g}",
        font_family="system-ui, sans-serif",
    )
    return picture + "\n"
