"""The server's model before each aggregation, from what the server knows: its start and all updates."""

from typing import TYPE_CHECKING

import numpy as np

from sottovoce.experiments.audit.records import Records
from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import simulation
from sottovoce.state import Doubles

if TYPE_CHECKING:
    from sottovoce.data.split import Split


def models(recipe: Recipe, parts: Components, split: "Split", records: Records) -> Doubles | None:
    """[versions, items, w]: the model on which the updates of each version (`clock`) are based.

    None if updates were not recorded from the first aggregation on, if models are stored in 16 bits, or if
    the aggregation weighs rows by how they changed.
    """
    from sottovoce.combine.aggregate.interface import divisor, emphasis, row_weight, stride

    rule, items = parts.merge, split.train.items
    weighs = emphasis(rule, np.zeros((1, 1)), 0) != 1
    if records.clock.min() > 0 or recipe.run.storage != "float32" or weighs:
        return None
    network = simulation.simulation(parts, split, recipe.run, None)
    rows = network.tables.rows[:items].astype(np.float64)
    weight = np.array([row_weight(rule, size) for size in records.size.tolist()])
    found = []
    for version in range(int(records.clock.max()) + 1):
        found.append(rows)
        some = records.clock == version
        changed = some[records.message]
        ids, share = records.ids[changed], weight[records.message[changed]]
        total = np.stack(
            [np.bincount(ids, share * column, items) for column in records.rows[changed].T], axis=1
        )
        divided = divisor(rule, np.bincount(ids, share, items), weight[some].sum())
        by = np.broadcast_to(divided, items)
        moved = np.where(by[:, None] > 0, total / np.where(by > 0, by, 1)[:, None], 0)
        rows = rows + stride(rule) * moved
    return np.stack(found)
