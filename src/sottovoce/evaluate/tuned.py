"""Fine-tuning before evaluation: each person trains a copy of the shared model on their own data.

This is how a model made for adaptation is used (Nichol et al. 2018). The shared model and people's vectors
do not change.
"""

from typing import Any

import numpy as np

from sottovoce.kernels import driver, helper, prange
from sottovoce.models.training import train_towards
from sottovoce.state import People, Tables, slots_of, whole
from sottovoce.state.scratch import copy_model


@helper
def _adapt(model, tables, slot, own, people, person, run, times, step):
    copy_model(tables, slot, own, person)
    for _ in range(times):
        train_towards(own, person, model, people, person, run, step)
        people.steps[person] += 1


@driver
def _tune(model, tables, people, slot_of, own, run, times, step):
    for index in prange(len(slot_of)):
        person = np.int64(index)
        _adapt(model, tables, slot_of[person], own, people, person, run, times, step)


def tuned(
    model: Any, tables: Tables, people: People, run: int, times: int, step: float = 1.0
) -> tuple[Tables, People]:
    """A fine-tuned model for each person, and people with vectors for these models.

    Each person trains `times` times; each training moves the model by the share `step` of its change.
    """
    count, items = len(people.steps), len(tables.age) // tables.slots
    own = whole(count, items, tables.width, tables.head.shape[1])
    every = np.arange(count + 1)
    each = people._replace(
        user=people.user.copy(),
        steps=people.steps.copy(),
        optimizer=people.optimizer.copy(),
        first=every,
        member=every[:-1].astype(np.int32),
    )
    _tune(model, tables, each, slots_of(people), own, run, times, float(step), batch=count)
    return own, each
