"""Group types of items into categories, such as Foursquare's types of venues into its nine top categories.

A file of categories is tab-separated, with the header `type category` and one line for each type. The file
of this package has the types of venues that Foursquare had in 2012 and 2013. Types are compared by their
ASCII characters in lower case: published copies of the check-ins damaged the é of "Café" in several ways.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from sottovoce.data import find, table
from sottovoce.data.interactions import Interactions
from sottovoce.errors import DataError
from sottovoce.plural import count, listed

TYPES, TOP = "types", "top"
"""Settings with a meaning of their own: the types as the source has them, and the nine top categories."""
FILE = Path(__file__).with_name("foursquare_categories.tsv")
_SHOWN = 3


def grouped(data: Interactions, by: str, data_dir: Path | None = None) -> Interactions:
    """The data with types of items replaced by categories.

    `by` is `"types"` (nothing changes), `"top"` (the nine top categories of Foursquare), or the path of a
    file. An item whose type is not in the file stays, without a category, and a note says so.
    """
    own = data.catalog.categories
    if by == TYPES or own is None:
        return data
    path = FILE if by == TOP else find.file(by, data_dir)
    known = read(path)
    found = [tuple(dict.fromkeys(known[k] for t in types if (k := _key(t)) in known)) for types in own]
    lacking = sorted({t for types in own for t in types if _key(t) not in known})
    notes = data.notes
    if lacking:
        venues = sum(any(_key(t) not in known for t in types) for types in own)
        notes += (_missing(lacking, len({t for types in own for t in types}), venues, path),)
    return replace(data, catalog=replace(data.catalog, categories=found), notes=notes)


def read(path: Path) -> dict[str, str]:
    """The category of each type in a file."""
    content = table.read_text(path, "\t", header=True, fields=2)
    known: dict[str, str] = {}
    for row, (kind, category) in enumerate(zip(content.texts(0), content.texts(1), strict=True)):
        if not _key(kind) or not category:
            raise DataError(
                f"{content.place(row)} is without a {'category' if _key(kind) else 'type'}.",
                "Give a type and its category in each line, with a tab between them.",
            )
        if known.setdefault(_key(kind), category) != category:
            raise DataError(
                f"{content.place(row)} puts the type {kind!r} into {category!r}, and an earlier line puts it "
                f"into {known[_key(kind)]!r}.",
                "Keep one of the two lines.",
            )
    return known


def _key(kind: str) -> str:
    """What types are compared by, without the number of a name that is not unique: "Airport Lounge (155)"."""
    return " ".join(re.sub(r" \(\d+\)$|[^ -~]", "", kind).lower().split())


def _missing(lacking: list[str], types: int, items: int, path: Path) -> str:
    among = "" if len(lacking) <= _SHOWN else "among them "
    shown = listed([repr(kind) for kind in lacking[:_SHOWN]])
    where = "the nine top categories" if path == FILE else str(path)
    remedy = "Add a line for each" if path != FILE else "Give a file of your own as data.categories"
    are, they = ("is", "its") if len(lacking) == 1 else ("are", "their")
    return (
        f"{len(lacking)} of {count(types, 'type')} {are} not in {where}: {among}{shown}. "
        f"{they.capitalize()} {count(items, 'item')} stay without a category. {remedy}."
    )
