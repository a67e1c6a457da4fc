"""Write the tables and the picture of docs/explanation/what-pi-protects.md.

    python -m docs.protection           # from the root of the project; measures nothing

Measurements are those of the reproductions fpl/protection and fpl/who-pays, kept in
docs/reproductions/fpl-measured.jsonl.
"""

import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from sottovoce.experiments.pages.markup import Html, element
from sottovoce.experiments.pages.plots import Series, curves
from sottovoce.experiments.reproduce.measured import records
from sottovoce.experiments.reproduce.measured.records import Record

DOCS = Path(__file__).parent
MEASURED = DOCS / "reproductions" / "fpl-measured.jsonl"
PAGE, PICTURE = DOCS / "explanation" / "what-pi-protects.md", DOCS / "explanation" / "what-pi-protects.svg"
DATA = {"ml-100k": "MovieLens 100K", "foursquare-italy": "Foursquare Italy"}
DRAWN = "triple", "message", "item"
CHOICES = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
SIGNS, BETWEEN = "biases that rise", "between two sampled"
SHOWN = (SIGNS, "never sampled", "signs and popularity", BETWEEN)
CELLS = {
    "everybody open": (1.0, 1.0, 0.0),
    "half silent": (1.0, 1.0, 0.5),
    "π from 0 to 1": (0.0, 1.0, 0.0),
    "everybody silent": (0.0, 0.0, 0.0),
}


def leaks(known: Sequence[Record], data: str, probability: float, drawn: str) -> list[Record]:
    """The measurements of a cell; with π = 0 and π = 1 it makes no difference what is drawn."""
    drawn = "triple" if probability in (0, 1) else drawn
    wanted = {"data": data, "probability": probability, "drawn": drawn}
    return [one for one in known if wanted.items() <= one.settings.items()]


def mean(cell: Sequence[Record], figure: str) -> float:
    """The mean over seeds; NaN if a cell has no such figure."""
    values = [one.figures[figure] for one in cell if figure in one.figures]
    return statistics.fmean(values) if values else float("nan")


def percent(value: float, digits: int = 0) -> str:
    """A share in percent, 100 only if it is all; a dash for what does not exist."""
    if value != value:
        return "–"
    if value < 0.01 or 0.99 <= value < 1:
        digits = max(1, digits)
    text = f"{100 * value:.{digits}f}"
    return "0 %" if value == 0 else "100 %" if value == 1 else f"{min(text, '99.9', key=float)} %"


def spread(cell: Sequence[Record], figure: str) -> str:
    """Mean ± standard deviation over seeds, in percent."""
    values = [100 * one.figures[figure] for one in cell]
    return f"{statistics.fmean(values):.2f} ± {statistics.stdev(values):.2f}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table, whose first column is text."""
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def of_leaks(known: Sequence[Record], data: str) -> str:
    """Precision and recall of every way, by π and what it is drawn for."""
    rows = []
    for probability in CHOICES:
        for drawn in DRAWN if 0 < probability < 1 else ("",):
            cell = leaks(known, data, probability, drawn)
            told = [
                f"{percent(mean(cell, f'{way}: precision'))}, {percent(mean(cell, f'{way}: recall'))}"
                for way in SHOWN
            ]
            rows.append([f"{probability:g}", drawn, *told, percent(mean(cell, "F1@10"), 2)])
    return table(["π", "drawn per", *SHOWN, "F1@10"], rows)


def of_people(known: Sequence[Record], data: str) -> str:
    """F1@10 of groups whose π differ."""
    rows = []
    names = "everybody", "silent half", "open half", "lowest third", "highest third"
    for label, (probability, highest, silent) in CELLS.items():
        wanted = {"data": data, "probability": probability, "highest": highest, "silent": silent}
        cell = [one for one in known if wanted.items() <= one.settings.items()]
        rows.append([label, *(spread(cell, name) for name in names)])
    return table(["F1@10 in %", *names], rows)


def picture(known: Sequence[Record]) -> Html:
    """F1@10 over the share of items that are found rightly, for both data sets side by side."""
    parts = []
    for number, (data, title) in enumerate(DATA.items()):
        drawn = []
        for way in DRAWN:
            cells = [leaks(known, data, probability, way) for probability in CHOICES]
            found = [mean(cell, f"{SIGNS}: recall") for cell in cells]
            drawn.append(Series(f"by signs, π per {way}", found, [mean(cell, "F1@10") for cell in cells]))
        cells = [leaks(known, data, probability, way) for way in DRAWN for probability in CHOICES]
        points = sorted((mean(cell, f"{BETWEEN}: recall"), mean(cell, "F1@10")) for cell in cells)
        drawn.append(Series("by arithmetic, whatever π", [x for x, _ in points], [y for _, y in points]))
        svg = curves(f"pi-{number}", "F1@10", drawn, x="items found", percent=True, x_is="percent")
        plain = re.sub(r' data-[a-z]+="[^"]*"', "", svg)
        width, height = map(float, re.findall(r'viewBox="0 0 (\S+) ([^"]+)"', svg)[0])
        place = f'x="{number * width:g}" y="24" width="{width:g}" height="{height:g}" overflow="visible"'
        heading = {"x": f"{number * width + 12:g}", "y": "16", "font_weight": "bold", "font_size": 14}
        parts += [element("text", title, **heading), Html(plain.replace("<svg ", f"<svg {place} ", 1))]
    return element(
        "svg",
        element("rect", width="100%", height="100%", fill="#fff"),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {len(DATA) * width:g} {height + 24:g}",
        font_family="system-ui, sans-serif",
    )


def main() -> None:
    """Write the tables and the picture."""
    every = list(records.read(MEASURED).values())
    found = [one for one in every if one.measure == "fpl_protection.leak" and one.settings["rounds"] == 20]
    groups = [one for one in every if one.measure == "fpl_protection.people" and one.settings["rounds"] == 20]
    text = PAGE.read_text()
    for data in DATA:
        for part, made in (("leaks", of_leaks(found, data)), ("people", of_people(groups, data))):
            before, rest = text.split(begin := f"<!-- {part} {data} -->\n")
            text = before + begin + made + "<!-- end -->\n" + rest.split("<!-- end -->\n", 1)[1]
    PAGE.write_text(text)
    PICTURE.write_text(f"{picture(found)}\n")


if __name__ == "__main__":
    main()
