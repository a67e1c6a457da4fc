"""What is recommended: the items that most people get, and on request one person's list.

A page may be shared, and a person's history is private. So a page shows no list of a single person unless
it is asked for, and never an id.
"""

import polars as pl

from sottovoce.errors import RunError
from sottovoce.experiments.pages.markup import element
from sottovoce.experiments.report.layout import Cell, Column, Part, Section, Table
from sottovoce.experiments.report.methods import Study
from sottovoce.plural import count

_FIRST, _SHOWN = 10, 10
_CROWD = 5  # an item in fewer lists could tell about single people


def recommended(study: Study) -> list[Section]:
    """The items that are among the first ten of most people; only for a single method."""
    run = study.methods[0].runs[0]
    if len(study.methods) > 1 or run.directory is None:
        return []
    people, different, items = _counted(run.recommendations())
    if not people:
        return []
    catalogue = count(run.figures.data.items, "item")
    text = f"Together, the first {_FIRST} recommendations of all people hold {different:,} of {catalogue}. "
    parts: list[Part] = []
    if items:
        rows = [[Cell(title), Cell(f"{100 * n / people:.0f} %", values=(n / people,))] for title, n in items]
        text += "These items are in most lists."
        parts = [Table("recommended", [Column("item"), Column("people who get it")], rows, text)]
    else:
        parts = [element("p", f"{text}None of them is in the lists of {_CROWD} people or more.")]
    return [Section("What is recommended", parts)]


def _counted(frame: pl.DataFrame) -> tuple[int, int, list[tuple[str, int]]]:
    """How many people have a list, how many items are in any list, and the items that most lists have."""
    lists = frame.filter(pl.col("rank") <= _FIRST)
    people = lists["user"].n_unique()
    counted = lists.group_by("item").agg(pl.len().alias("lists"), pl.col("title").first())
    text = [pl.col("title").cast(pl.String), pl.col("item").cast(pl.String), "lists"]
    order = counted.select(text).sort("lists", "title", "item", descending=[True, False, False])
    most = order.filter(pl.col("lists") >= _CROWD).head(_SHOWN)
    return people, len(counted), list(most.select("title", "lists").iter_rows())


def of_person(study: Study, person: str | None) -> list[Section]:
    """The list of one person, if it is asked for; items of the person's history are marked."""
    if person is None:
        return []
    if len(study.methods) > 1:
        raise RunError(
            f"A person's list belongs to one method, and these runs are of {len(study.methods)} methods.",
            "Report on one run, or leave the person out.",
        )
    recommendations = study.methods[0].runs[0].recommend(person, _FIRST)
    text = (
        "Whoever made this page asked for this list; the person is not named. Items marked ✓ were held out: "
        "they are in the person's history, but the model did not learn from them."
    )
    items = [element("li", f"{one.title} ✓" if one.held_out else one.title) for one in recommendations]
    return [Section("One person's list", [element("p", text), element("ol", *items, class_="items")])]
