"""Interactions that their publisher divided already, with the candidates that belong to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Catalog, Division, Interactions, arrange
from sottovoce.data.split import TEST, TRAIN, WEIGHTING

NUMBER = {"train": TRAIN, "test": TEST, "validation": WEIGHTING}


class Parts(NamedTuple):
    """Parts with the same people and the same catalogue, each in order of time."""

    whole: Interactions
    """All parts together."""
    train: Interactions
    test: Interactions
    validation: Interactions | None
    negatives: NDArray[np.int32] | None
    """[len(test), C]: items to rank against, for each test entry; None where the files have none."""
    validation_negatives: NDArray[np.int32] | None
    """The same for the validation set."""


class Rows(NamedTuple):
    """The columns of one part's file, and the ids of the negatives of each row."""

    user: NDArray[Any]
    item: NDArray[Any]
    value: NDArray[np.float64] | None
    time: NDArray[np.int64] | None
    negatives: NDArray[Any] | None = None


def assemble(
    name: str,
    rows: Mapping[str, Rows],
    catalog: Catalog,
    *,
    scale: tuple[float, float] | None = None,
    source: str = "",
) -> Parts:
    """Parts called train, test and perhaps validation; the catalogue must list every item."""

    def column(field: str) -> NDArray[Any] | None:
        columns = [getattr(part, field) for part in rows.values()]
        return None if any(c is None for c in columns) else np.concatenate(columns)

    user, item, value, time = (column(field) for field in Rows._fields[:4])
    whole, order = arrange(
        name,
        np.zeros(0) if user is None else user,
        np.zeros(0) if item is None else item,
        value,
        time,
        catalog=catalog,
        scale=scale,
        source=source,
    )
    sizes = [len(part.user) for part in rows.values()]
    number = np.repeat(np.arange(len(rows)), sizes)[order]
    within = order - np.concatenate(([0], np.cumsum(sizes)))[number]
    negatives: dict[str, NDArray[np.int32]] = {}
    place = {i: n for n, i in enumerate(catalog.ids.tolist())}
    for part, columns in rows.items():
        if columns.negatives is not None:
            ids, inverse = np.unique(columns.negatives, return_inverse=True)
            numbers = np.array([place[i] for i in ids.astype(np.str_).tolist()], np.int32)
            negatives[part] = numbers[inverse].reshape(columns.negatives.shape)
    codes = np.array([NUMBER[part] for part in rows], np.int8)
    given = {NUMBER[part]: drawn for part, drawn in negatives.items()}
    whole = replace(whole, division=Division(codes[number], within, given, catalog))
    parts = {}
    for at, part in enumerate(rows):
        mine = number == at
        parts[part] = replace(whole.take(mine), source=f"{source}, part {part}")
        if part in negatives:
            negatives[part] = negatives[part][within[mine]]
    return Parts(
        whole,
        parts["train"],
        parts["test"],
        parts.get("validation"),
        negatives.get("test"),
        negatives.get("validation"),
    )
