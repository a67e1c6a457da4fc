"""The round in which each person's model was best on the person's weighting set, and that model.

Each person stops at a round of their own, when learning no longer helps them: this is what convergence of a
node means in Belal et al. 2022 (Section 5.5.6), whose code then tests each person with that model. The test
set has no influence on it. People with too few weighting items use their latest model; their best round is
unknown.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.combine.interface import merge_statistic
from sottovoce.combine.performance import FEWEST
from sottovoce.exchange.compression.interface import Whole
from sottovoce.exchange.pack import pack
from sottovoce.kernels import driver, helper, prange
from sottovoce.state import People, Storage, Tables, slots_of, whole


@driver
def _judge(rule, model, tables, people, slot_of, run, found):
    for index in prange(len(slot_of)):
        person = np.int64(index)
        found[person] = merge_statistic(rule, model, tables, slot_of[person], people, person, run)


@helper
def _copy(tables, slot, people, person, own, user, run):
    pack(Whole(), tables, slot, people, tables, own, person, run, 0)
    user[person] = people.user[person]


@driver
def _keep(tables, people, slot_of, better, own, user, run):
    for index in prange(len(slot_of)):
        person = np.int64(index)
        if better[person]:
            _copy(tables, slot_of[person], people, person, own, user, run)


def _able(people: People) -> NDArray[np.bool_]:
    """[people]: who has enough weighting items to judge models."""
    return np.diff(people.weighting_indptr) >= FEWEST


class Best:
    """The best model of each person so far. `rule` judges models on the weighting set."""

    def __init__(self, rule: Any, count: int, seed: int, *, keep: bool) -> None:
        self.rule, self.seed, self.keep = rule, seed, keep
        self.quality = np.full(count, -1, np.float32)
        self.round = np.zeros(count, np.int64)
        self.tables: Tables | None = None
        self.user = np.empty((count, 0), np.float32)
        self.noted = -1  # the last round that was judged
        self.latest = np.nan  # the mean quality in that round

    def note(self, model: Any, tables: Tables, people: People, round: int) -> None:
        """Judge all models after this round. Of equally good models the first one is the best."""
        slot_of, found = slots_of(people), np.empty(len(self.quality), np.float32)
        _judge(self.rule, model, tables, people, slot_of, self.seed, found, batch=len(found))
        able = _able(people)
        self.noted, self.latest = round, float(found[able].mean()) if able.any() else np.nan
        better, found = ~able | (found > self.quality), np.where(able, found, np.float32(-1))
        self.quality[better], self.round[better] = found[better], round
        if self.keep:
            self._room(tables, people, tables.storage)
            _keep(tables, people, slot_of, better, self.tables, self.user, self.seed, batch=len(found))

    def _room(self, tables: Tables, people: People, storage: Storage) -> None:
        if self.tables is None:
            count, items = len(self.quality), len(tables.age) // tables.slots
            self.tables = whole(count, items, tables.width, tables.head.shape[1], storage)
            self.user = np.empty_like(people.user)

    def converged(self, people: People) -> NDArray[np.float64]:
        """[people]: the round in which each model was best; NaN for people with too few weighting items."""
        return np.where(_able(people), self.round, np.nan)

    def used(self, people: People) -> tuple[Tables, People]:
        """The stored models, one for each person, and people with the vectors of these models."""
        assert self.tables is not None
        every = np.arange(len(self.quality) + 1)
        own = people._replace(user=self.user, first=every, member=every[:-1].astype(np.int32))
        return self.tables, own

    def state(self) -> dict[str, Any]:
        """All arrays by name, for a checkpoint."""
        state: dict[str, Any] = {
            "quality": self.quality,
            "round": self.round,
            "noted": np.array([self.noted]),
        }
        if self.tables is not None:
            kept = ("rows", "age", "head", "clock")
            state |= {"user": self.user, **{name: getattr(self.tables, name) for name in kept}}
        return state

    def restore(self, state: dict[str, Any], tables: Tables, people: People) -> None:
        """Continue from a result of `state`."""
        if self.keep:
            # Tuned copies and models with private remainders are kept in 32 bits, whatever the network uses.
            self._room(tables, people, "bfloat16" if state["rows"].dtype == np.uint16 else "float32")
        live = self.state()
        for name, values in state.items():
            np.copyto(live[name], values, casting="no")
        self.noted = int(live["noted"][0])
