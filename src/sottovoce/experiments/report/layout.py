"""The parts of a report: tables and figures, each of which can also be exported."""

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

from sottovoce.experiments.pages import markup
from sottovoce.experiments.pages.markup import Html, element, join
from sottovoce.experiments.pages.plots import Series

NONE = "—"
"""The text of a cell without a figure."""


class Column(NamedTuple):
    """A column of a table; `parts` are the columns that it becomes in a .csv file."""

    name: str
    parts: tuple[str, ...] = ("",)


class Cell(NamedTuple):
    """A cell: its text, a detail in smaller print, and the numbers behind both."""

    text: str
    detail: str = ""
    values: tuple[float | str | None, ...] = ()


class Table(NamedTuple):
    """A table whose first column names its rows; `identity` is the name of its file."""

    identity: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    caption: str
    folded: str = ""
    """If it is given, a reader sees these words, and opens the table by them."""

    def html(self) -> Html:
        rows = [[_show(cell) for cell in row] for row in self.rows]
        made = markup.table([column.name for column in self.columns], rows, self.caption)
        return element("details", element("summary", self.folded), made) if self.folded else made

    def csv(self) -> str:
        header = [f"{c.name} {part}".strip() for c in self.columns for part in c.parts]
        body = [
            [value for c, cell in zip(self.columns, row, strict=True) for value in _numbers(c, cell)]
            for row in self.rows
        ]
        return _csv([header, *body])


class Figure(NamedTuple):
    """A picture, and the points it is drawn from."""

    identity: str
    title: str
    drawing: Html
    caption: str
    x: str
    y: str
    series: Sequence[Series]

    def html(self) -> Html:
        return element("figure", element("h3", self.title), self.drawing, element("figcaption", self.caption))

    def csv(self) -> str:
        rows: list[Sequence[object]] = [("curve", self.x, self.y, "low", "high")]
        for one in self.series:
            ends = [[""] * len(one.x) if column is None else column for column in (one.low, one.high)]
            rows += [(one.name, *point) for point in zip(one.x, one.mean, *ends, strict=True)]
        return _csv(rows)


class Grid(NamedTuple):
    """Figures side by side where there is room."""

    figures: Sequence[Figure]
    small: bool = False

    def html(self) -> Html:
        look = "charts small" if self.small and len(self.figures) % 3 != 1 else "charts"
        return element("div", *(figure.html() for figure in self.figures), class_=look)


class Choice(NamedTuple):
    """Figures of which one is shown, chosen by a radio button. CSS does that, without a script."""

    title: str
    names: Sequence[str]
    figures: Sequence[Figure]
    chosen: int = 0

    def html(self) -> Html:
        if len(self.figures) == 1:
            return Grid(self.figures).html()
        parts = [element("legend", self.title)]
        for n, (name, figure) in enumerate(zip(self.names, self.figures, strict=True)):
            identity = f"show-{figure.identity}"
            first = {"checked": "checked"} if n == self.chosen else {}
            parts += [
                element("input", type="radio", name=f"choice-{self.title}", id=identity, **first),
                element("label", name, for_=identity),
                figure.html(),
            ]
        return element("fieldset", *parts, class_="choice")


Part = Table | Grid | Choice | Html


class Section(NamedTuple):
    """A heading and the parts below it."""

    title: str
    parts: Sequence[Part]
    kind: str = ""

    def html(self) -> Html:
        inside = join(*(part if isinstance(part, Html) else part.html() for part in self.parts))
        look = {"class_": self.kind} if self.kind else {}
        return element("section", element("h2", self.title), inside, **look)


def _show(cell: Cell) -> Html:
    """A cell as HTML; numbers stay on one line, words may wrap."""
    text = join(cell.text) if cell.values else element("span", cell.text, class_="text")
    return join(text, element("small", cell.detail)) if cell.detail else text


def _numbers(column: Column, cell: Cell) -> tuple[object, ...]:
    values = cell.values or (cell.text,)
    return tuple(values) + ("",) * (len(column.parts) - len(values))


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    whole = [["" if value != value else value for value in row] for row in rows]  # NaN is nothing
    csv.writer(text, lineterminator="\n").writerows(whole)
    return text.getvalue()
