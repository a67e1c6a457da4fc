"""The server's model before each aggregation, from what the server knows: its start and all updates."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sottovoce.experiments.audit.records import Records
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import simulation
from sottovoce.state import Doubles, Longs

if TYPE_CHECKING:
    from sottovoce.data.split import Split


def models(
    recipe: Recipe, parts: Components, split: "Split", records: Records
) -> Iterator[tuple[int, Doubles]] | None:
    """Each version (`clock`) with its rows [items, w], on which the updates of that version are based. The
    array is the same for all versions and changes from one to the next.

    None if updates were not recorded from the first aggregation on, if models are stored in 16 bits, or if
    the aggregation weighs rows by how they changed.
    """
    from sottovoce.combine.aggregate.interface import weighs_rows

    if records.clock.min() > 0 or recipe.run.storage != "float32" or weighs_rows(parts.merge):
        return None
    return _models(recipe, parts, split, records)


def _models(
    recipe: Recipe, parts: Components, split: "Split", records: Records
) -> Iterator[tuple[int, Doubles]]:
    from sottovoce.combine.aggregate.interface import divisor, row_weight, stride

    rule = parts.merge
    network = simulation.simulation(parts, split, recipe.run, None)
    rows = network.tables.rows[: split.train.items].astype(np.float64)
    weight = np.array([row_weight(rule, size) for size in records.size.tolist()], np.float64)
    order = np.argsort(records.clock, kind="stable")
    changed = np.argsort(records.clock[records.message], kind="stable")
    versions = np.arange(int(records.clock.max()) + 2)
    first = np.searchsorted(records.clock[order], versions)
    first_row = np.searchsorted(records.clock[records.message[changed]], versions)
    for version in versions[:-1].tolist():
        yield version, rows
        taking_part = order[first[version] : first[version + 1]]
        mine = changed[first_row[version] : first_row[version + 1]]
        items, place = np.unique(records.ids[mine], return_inverse=True)
        share = weight[records.message[mine]]
        columns = [np.bincount(place, share * column, len(items)) for column in records.rows[mine].T]
        divided = divisor(rule, np.bincount(place, share, len(items)), weight[taking_part].sum())
        by = np.broadcast_to(divided, len(items))[:, None]
        rows[items] += stride(rule) * np.where(by > 0, np.stack(columns, 1) / np.where(by > 0, by, 1), 0)


def before(versions: Iterator[tuple[int, Doubles]], clock: Longs, item: Longs) -> Doubles:
    """[R, w]: row `item` [R] of version `clock` [R]."""
    order = np.argsort(clock, kind="stable")
    found, begin = np.empty((len(clock), 0)), 0
    for version, rows in versions:
        if not found.shape[1]:
            found = np.empty((len(clock), rows.shape[1]))
        end = int(np.searchsorted(clock[order], version, side="right"))
        found[order[begin:end]] = rows[item[order[begin:end]]]
        begin = end
    return found
