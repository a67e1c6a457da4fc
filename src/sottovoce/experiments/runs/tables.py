"""The tables of a run: everybody's metrics and everybody's recommendations, made and checked."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.experiments.runs.directory import PER_USER, RECOMMENDATIONS
from sottovoce.experiments.runs.result import Result
from sottovoce.plural import count

if TYPE_CHECKING:
    import polars

    from sottovoce.data.interactions import Interactions

TOP = 100
"""How many recommendations of each person a run keeps."""
_TEXT = {PER_USER: ("user",), RECOMMENDATIONS: ("user", "item", "title")}
"""Columns that hold text; all others hold numbers."""


class Recommendation(NamedTuple):
    """An item that a person might like."""

    rank: int
    item: str
    title: str
    score: float
    held_out: bool
    """Whether it is a hit: it is in the person's test set, which the split kept from the model."""


class Consumed(NamedTuple):
    """An item of a person's history, with its rating."""

    item: str
    title: str
    value: float


def per_user_frame(users: Iterable[str], per_user: dict[str, NDArray[np.float64]]) -> "polars.DataFrame":
    """A row per person; null where a person has no held-out items."""
    import polars as pl

    frame = pl.DataFrame({"user": list(map(str, users)), **per_user})
    return frame.with_columns(pl.col(list(per_user)).fill_nan(None))


def recommendations_frame(
    data: "Interactions", items: NDArray[np.int32], scores: NDArray[np.float32]
) -> "polars.DataFrame":
    """A row per person and rank. Text is kept once per distinct value, so a million people fit.

    Of a person's own items only those of the test set can be recommended; they are marked as held out.
    """
    import polars as pl

    there = items >= 0
    person, place = np.nonzero(there)
    item = items[there]
    had = np.repeat(np.arange(data.people), np.diff(data.indptr)) * data.items + data.item
    titles = [data.catalog.title(n) for n in range(len(data.catalog))]
    return pl.DataFrame(
        [
            _labels("user", person, list(map(str, data.users))),
            pl.Series("rank", (place + 1).astype(np.int16)),
            _labels("item", item, list(map(str, data.catalog.ids))),
            _labels("title", item, titles),
            pl.Series("score", scores[there].astype(np.float32)),
            pl.Series("held_out", np.isin(person * data.items + item, had)),
        ]
    )


def fault(name: str, frame: "polars.DataFrame", result: Result) -> str | None:
    """Why a table is not the one that this run wrote; None if it may be.

    `history` and columns of nodes are not required: runs of earlier versions lack some of them.
    """
    import polars as pl

    lacking = [column for column in _required(name, result) if column not in frame.columns]
    if lacking:
        return f"it has no column {lacking[0]!r}"
    for column, kind in frame.schema.items():
        if column in _TEXT[name]:
            if kind not in (pl.String, pl.Categorical, pl.Enum):
                return f"its column {column!r} does not hold text"
            if frame[column].null_count():
                return f"its column {column!r} has empty cells"
        elif not (kind.is_numeric() or kind == pl.Boolean):
            return f"its column {column!r} does not hold numbers"
    if (
        "history" in frame.columns
        and not frame["history"].cast(pl.Float64).is_finite().fill_null(False).all()
    ):
        return "its column 'history' has empty cells"
    people = result.data.people
    if name == PER_USER and len(frame) != people:
        return f"the run has {count(people, 'person')}, and it has {count(len(frame), 'row')}"
    return None


def _required(name: str, result: Result) -> tuple[str, ...]:
    if name == RECOMMENDATIONS:
        return "user", *Recommendation._fields
    # Tails are known of every metric that each person has a value of.
    beside = ("popularity", *result.references)
    return "user", *result.tails, *(f"{one} {metric}" for one in beside for metric in result.tails)


def _labels(name: str, codes: NDArray[Any], texts: list[str]) -> "polars.Series":
    import polars as pl

    return pl.Series(name, texts, dtype=pl.Enum(list(dict.fromkeys(texts)))).gather(codes)
