"""Statistics of a data set: what `sottovoce data info` shows and `sottovoce.info` returns."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce import registry
from sottovoce.data import find, repeats, sources
from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load

_LAST = "all are counted here; a run keeps the last of each unless data.duplicates says otherwise"
_FEW = 25  # different values; more are not listed


def info(data: Any, *, data_dir: str | Path | None = None, **options: Any) -> dict[str, Any]:
    """Statistics of a data set: people, items, ratings, times, interactions per person and per item.

    `data` and `options` are those of `sottovoce.load`; `data` can also be its result. For data sets
    without interactions, such as traces of phones, the result holds other counts.
    """
    if isinstance(data, str) and not options and (facts := other(data, data_dir)) is not None:
        return facts
    return described(load(data, data_dir=data_dir, **({"duplicates": "keep"} | options)))


def other(name: str, data_dir: str | Path | None) -> dict[str, Any] | None:
    """Counts of a data set that holds no interactions; None for the others."""
    known = None if find.reachable(Path(name)).exists() else sources.called(name)
    return None if known is None else sources.counted(known, None if data_dir is None else Path(data_dir))


def data_sets(data_dir: str | Path | None = None) -> list[dict[str, Any]]:
    """All data sets with a name: where each is on this machine, and whether it can be downloaded."""
    rows = []
    for name, dataset in sources.known().items():
        held = dataset.locate(None if data_dir is None else Path(data_dir))
        rows.append(
            {
                "name": name,
                "summary": (registry.get("source", name).__doc__ or "").partition("\n")[0],
                "here": None if held is None else str(held[0]),
                "fetched": bool(dataset.ways),
                "terms": dataset.terms,
                "home": dataset.home,
            }
        )
    return rows


def described(data: Interactions) -> dict[str, Any]:
    """Statistics of interactions."""
    catalog = data.catalog
    timed = len(data) > 0 and bool(data.time.any())
    dates = [_day(data.time.min()), _day(data.time.max())] if timed else [None, None]
    return {
        "name": data.name,
        "users": data.people,
        "items": data.items,
        "interactions": len(data),
        "density": data.density,
        "scale": list(data.scale),
        "values": {f"{v:g}": n for v, n in _counted(data.value)},
        "from": dates[0],
        "until": dates[1],
        "interactions_per_user": _quantiles(np.diff(data.indptr)),
        "interactions_per_item": _quantiles(np.bincount(data.item, minlength=data.items)),
        "titles": catalog.titles is not None,
        "categories": None if catalog.categories is None else len({k for c in catalog.categories for k in c}),
        "coordinates": catalog.coordinates is not None,
        "source": data.source,
        "notes": [note.replace(repeats.KEPT, _LAST) for note in data.notes],
        "terms": data.terms,
    }


def _day(time: Any) -> str:
    return str(np.datetime64(int(time), "s").astype("datetime64[D]"))


def _counted(values: NDArray[np.float32]) -> list[tuple[float, int]]:
    """How often each value occurs; empty if there are too many different values."""
    found, count = np.unique(values, return_counts=True)
    return list(zip(found.tolist(), count.tolist(), strict=True)) if len(found) <= _FEW else []


def _quantiles(counts: NDArray[np.int64]) -> dict[str, float]:
    points = dict(zip(("min", "median", "max"), np.quantile(counts, (0, 0.5, 1)).tolist(), strict=True))
    return points | {"mean": float(counts.mean())}
