"""In the shipped recipes under churn, people are away for whole sweeps."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sottovoce.experiments.recipe import building
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import find
from sottovoce.experiments.reproduce import reading
from sottovoce.experiments.reproduce.form import settings
from sottovoce.models.interface import shape
from sottovoce.protocols.consensus import count_columns, push_count
from sottovoce.protocols.contribution import sum_shape
from sottovoce.simulate.schedule import Schedule

PEOPLE, ITEMS, FITTING = 943, 1682, 182  # MovieLens 100K, and how large groups are that fit it


def churning() -> dict[str, Recipe]:
    """The recipe, and the runs of the comparison that change its network."""
    form: Any = reading.read("lead/table-1")
    runs = {", ".join(run): settings(form.set) + form.changes(run) for run in form.runs()}
    read = {name: Recipe.read(find("lead/consensus-ml100k"), changes) for name, changes in runs.items()}
    read["the recipe"] = Recipe.read(find("lead/consensus-churn-ml100k"), [])
    return {name: recipe for name, recipe in read.items() if recipe.network.churn}


@pytest.mark.parametrize("name", churning())
def test_periods_are_a_hair_shorter_than_sweeps(name):
    """If they were longer, people would leave right after a sweep has begun, and groups would begin again."""
    recipe = churning()[name]
    parts = building.components(recipe)
    protocol = parts.protocol._replace(group=parts.protocol.group or FITTING)
    row, head = sum_shape(parts.model, shape(parts.model))
    counts, pushes = count_columns(protocol), push_count(protocol, PEOPLE)
    world: Any = SimpleNamespace(
        protocol=protocol,
        people=SimpleNamespace(steps=np.zeros(PEOPLE)),
        timing=SimpleNamespace(round=parts.links.transfer, latency=parts.links.latency),
        items=ITEMS,
        shape=shape(parts.model),
        seed=1,
    )
    length = Schedule(world, pushes, row + counts - 1, counts, head).length
    assert 0 < length - parts.churn.period < 0.001 * length
    assert 8 * length < recipe.run.rounds * parts.links.transfer < 9 * length
