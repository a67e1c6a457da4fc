"""HetRec 2011 Last.fm 2K (Cantador, Brusilovsky & Kuflik, RecSys 2011): plays and tags of artists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import find, table
from sottovoce.data.catalogs import choose, of_rows
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.sources.interface import Dataset
from sottovoce.errors import DataError
from sottovoce.registry import component

_URL = "https://files.grouplens.org/datasets/hetrec2011/hetrec2011-lastfm-2k.zip"
SET = Dataset(
    "lastfm",
    ("user_artists.dat",),
    "Non-commercial use; cite last.fm and Cantador, Brusilovsky & Kuflik 2011.",
    "https://grouplens.org/datasets/hetrec-2011/",
    folders=("lastfm-hetrec2011", "hetrec2011-lastfm-2k"),
    ways=(find.home(_URL, "6738f48195667ff03caaab4d32ca9a3133d8cc026b7c3cdaf6ce1010e913c59c", 20_000_000),),
)


@component("source", "lastfm", dataset=SET)
class LastFM(NamedTuple):
    """1,892 people, 17,632 artists, 92,834 play counts; or 186,479 tags given to artists."""

    what: Literal["plays", "tags"] = "plays"
    """`plays`: how often a person heard an artist, without times. `tags`: one row per tag, with its month.
    182,948 tags are dated to the first day of a month, so that many tags of a person have the same time."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The plays or tags, downloaded if they are missing."""
        path, where = SET.obtain(data_dir)
        tagged = find.beside(path, "user_taggedartists.dat")
        if self.what == "plays":
            content = table.read_text(path, "\t", header=True, fields=3)
            value, time = content.numbers(2, "play count", (0, np.inf)), None
        elif tagged is None:
            raise DataError(f"{path.parent} holds no user_taggedartists.dat.", "Set data.what to 'plays'.")
        else:
            content = table.read_text(tagged, "\t", header=True, fields=6)
            value, time = None, _days(content)
        item = content.ids(1, "artist")
        about = find.beside(path, "artists.dat")
        catalog = of_rows(SET.name, item) if about is None else _artists(about)
        return build(
            SET.name,
            content.ids(0, "user"),
            item,
            value,
            time,
            catalog=choose(_tagged(catalog, tagged), item),
            terms=SET.terms,
            source=where,
        )


def _days(content: table.Table) -> NDArray[np.int64]:
    """Seconds since 1970 at midnight (UTC), from the columns day, month and year.

    The day is 1 in all but 3,531 rows: these times are really months.
    """
    day, month, year = (
        content.numbers(at, what, scale).astype(np.int64)
        for at, what, scale in ((3, "day", (1, 31)), (4, "month", (1, 12)), (5, "year", (1, 9999)))
    )
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]").astype("datetime64[D]")
    return (months + (day - 1)).astype("datetime64[s]").astype(np.int64)


def _artists(path: Path) -> Catalog:
    content = table.read_text(path, "\t", header=True, fields=4)
    return Catalog(SET.name, content.ids(0, "artist").astype(np.str_), content.texts(1))


def _tagged(catalog: Catalog, tagged: Path | None) -> Catalog:
    """The catalogue, with each artist's most frequent tag as category (the first one in a tie)."""
    names = None if tagged is None else find.beside(tagged, "tags.dat")
    if tagged is None or names is None:
        return catalog
    tags = table.read_text(names, "\t", header=True, fields=2, encoding="latin-1")
    called = dict(zip(tags.texts(0), tags.texts(1), strict=True))
    content = table.read_text(tagged, "\t", header=True, fields=6)
    given = of_rows(SET.name, content.ids(1, "artist"), [called.get(t, "") for t in content.texts(2)])
    best = dict(zip(given.ids.tolist(), given.categories or [], strict=True))
    return replace(catalog, categories=[best.get(i, ()) for i in catalog.ids.tolist()])
