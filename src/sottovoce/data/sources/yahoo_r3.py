"""Yahoo! Music R3 (Marlin & Zemel, RecSys 2009): songs that people chose to rate, and songs drawn for them.

Both files have tab-separated lines `user song rating`. `ydata-ymusic-rating-study-v1_0-train.txt` has the
songs that people chose, `…-test.txt` ten random songs for 5,400 of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from sottovoce.data import find, table
from sottovoce.data.interactions import Interactions, build
from sottovoce.data.sources.interface import Dataset
from sottovoce.errors import DataError
from sottovoce.registry import component

_FILE = "ydata-ymusic-rating-study-v1_0-{}.txt"
SET = Dataset(
    "yahoo-r3",
    (_FILE.format("train"),),
    "Academic use under a signed agreement with Yahoo; no redistribution.",
    "https://webscope.sandbox.yahoo.com/",
    folders=("ydata-ymusic-rating-study-v1_0",),
)
SCALE = (1.0, 5.0)


@component("source", "yahoo-r3", dataset=SET)
class YahooR3(NamedTuple):
    """15,400 people, 1,000 songs, 311,704 ratings from 1 to 5 of songs they chose."""

    part: Literal["chosen", "random"] = "chosen"
    """`random`: the 54,000 ratings of songs drawn for 5,400 of the people."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings of one part."""
        path, where = SET.obtain(data_dir)
        if self.part == "random":
            drawn = find.beside(path, _FILE.format("test"))
            if drawn is None:
                raise DataError(
                    f"{path.parent} holds no {_FILE.format('test')}.", "Put this file into the folder."
                )
            path = drawn
        content = table.read_text(path, "\t", fields=3)
        return build(
            SET.name,
            content.ids(0, "user"),
            content.ids(1, "song"),
            content.numbers(2, "rating", SCALE),
            scale=SCALE,
            terms=SET.terms,
            source=f"{where} ({self.part} songs)",
        )
