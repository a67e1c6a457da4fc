"""Shared by formats of check-ins: coordinates, and the layout of Liu et al. with a separate file for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sottovoce.data import find, table
from sottovoce.data.catalogs import choose, of_rows
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.sources.interface import Dataset


def coordinates(content: table.Table, latitude: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The latitudes in this column and the longitudes in the next one, in degrees."""
    return (
        content.numbers(latitude, "latitude", (-90, 90)),
        content.numbers(latitude + 1, "longitude", (-180, 180)),
    )


def read(dataset: Dataset, path: Path, where: str) -> Interactions:
    """Read check-ins in the layout of Liu et al., VLDB 2017.

    The file has lines `user poi seconds` without a header. The file `…_poi_coos.txt` beside it has lines
    `poi latitude longitude`.
    """
    content = table.read_text(path, "\t", fields=3)
    item = content.ids(1, "place")
    about = find.beside(path, path.name.removesuffix(".gz").replace("checkins", "poi_coos"))
    catalog = of_rows(dataset.name, item)
    if about is not None:
        places = table.read_text(about, "\t", fields=3)
        ids = places.ids(0, "place")
        where_is = np.stack(coordinates(places, 1), 1).astype(np.float32)
        order = np.argsort(ids, kind="stable")
        catalog = Catalog(dataset.name, ids[order].astype(np.str_), coordinates=where_is[order])
    return build(
        dataset.name,
        content.ids(0, "user"),
        item,
        None,
        content.times(2),
        catalog=choose(catalog, item),
        terms=dataset.terms,
        source=where if about else f"{where}, without coordinates because their file is missing",
    )
