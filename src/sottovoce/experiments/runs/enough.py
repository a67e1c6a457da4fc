"""When a run may end before its last round, by what people can know.

A model such as `als` is judged in every sweep: people rank the items of their weighting sets, and the mean
quality is summed with everything else, so that every node knows it. Another sweep is not worth its bytes if
the last two improved the quality by less than `run.least_gain`, and if no setting that follows from it moved
by `STEP` or more in the last one: settings on their way bring quality later. Each node decides by what it
knows, and a run ends when more than half of them have had enough.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sottovoce.state import Doubles, Tables

STEP = 0.25
"""A setting that moves by so many octaves (factors of two) in a sweep is on its way."""


class Enough:
    """What every node of a network was told about quality and settings, sweep by sweep."""

    def __init__(self, model: Any, tables: "Tables", least: float) -> None:
        self.model, self.least = model, least
        self.clock = np.zeros(tables.slots, np.int64)
        self.quality = np.zeros((tables.slots, 3))  # after the last three sweeps, the newest at the end
        found = self._judged(tables)
        self.settings = np.zeros((tables.slots, 2, 0 if found is None else found[1].shape[1]))

    def _judged(self, tables: "Tables") -> "tuple[Doubles, Doubles] | None":
        from sottovoce.models.statistics import judged

        found: tuple[Doubles, Doubles] | None = judged(self.model, tables.head)
        return found

    @property
    def measures(self) -> bool:
        """Whether the model measures itself at all."""
        return bool(self.settings.shape[2])

    def note(self, tables: "Tables") -> None:
        """Take note of what the models tell that were moved since the last time."""
        found = self._judged(tables)
        if found is None:
            return
        moved = np.flatnonzero(tables.clock > self.clock)
        for kept, new in zip((self.quality, self.settings), found, strict=True):
            kept[moved] = np.concatenate([kept[moved, 1:], new[moved, None]], axis=1)
        self.clock[moved] = tables.clock[moved]

    @property
    def reached(self) -> bool:
        """Whether more than half of the nodes have had enough."""
        before, now = self.quality[:, 0], self.quality[:, 2]
        still = np.abs(np.diff(self.settings, axis=1)).max(axis=(1, 2), initial=0.0) < STEP
        enough = (before > 0) & (now < (1 + self.least) * before) & still
        return bool(2 * np.count_nonzero(enough) > len(enough))

    def state(self) -> dict[str, Any]:
        """Its part of a checkpoint: arrays that are still in use, not copies."""
        return {"clock": self.clock, "quality": self.quality, "settings": self.settings}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Continue from what `state` returned."""
        for name, array in self.state().items():
            np.copyto(array, arrays[name], casting="no")
