"""How long a sweep takes, and when people are there: in the shipped recipes, away for whole sweeps."""

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
from sottovoce.protocols.consensus import Consensus, count_columns, push_count
from sottovoce.protocols.contribution import sum_shape
from sottovoce.simulate.schedule import Schedule
from tests.models import test_als
from tests.simulate.sweeps import ROUND, clock, network

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


def test_clocks_differ_by_a_bounded_time():
    for skew in (0.0, 0.1, 1.0):
        s = network(clock(), Consensus(pushes=3, group=1, skew=skew))
        early, most = s.driver.schedule.early, skew * 3 * s.driver.schedule.tick
        assert early.min() == 0
        assert early.max() <= most
        assert len(set(early)) == (test_als.PEOPLE if skew else 1)
        assert s.driver.schedule.length == pytest.approx(4 * s.driver.schedule.tick + most)


def test_the_length_of_a_sweep_by_hand():
    """A push has 15 rows of 3 bytes, a scale and a count, a head of 17 bits a number, two of 32, and 73."""
    s = network(clock(latency=0.5), Consensus(pushes=3, group=1))
    plain, head = s.driver.schedule, s.shape.head
    push, model = (
        15 * (3 + 2 + 2) + (head - 2) * 2 + (head + 5) // 8 + 2 * 4 + 73,
        62 + 15 * 4 + (15 * 4 + head) * 4 + 4,
    )
    assert plain.size == push / model
    tick = push / model * ROUND
    assert plain.setup == 0
    assert plain.length == pytest.approx(4 * tick + 0.5 + 0.1 * 3 * tick)
    masked = network(clock(), Consensus(pushes=3, group=20, modulus=16)).driver.schedule
    tick = (push + 15 * 2) / model * ROUND
    assert masked.length == pytest.approx(masked.setup + 4 * tick + 0.1 * 3 * tick)
    # Of 15 rows with 3 numbers of 2 bytes and one of 4, and a head of 8 bytes a number: masked, and as a sum.
    vectors = 2 * (15 * 10 + head * 8) + (15 * 2 + 8)
    assert masked.setup > vectors / model * ROUND
    messages, size = masked._sums(*(np.array([n]) for n in (20, 20, 15)))
    assert masked.setup == pytest.approx(size[0] / 20 / model * ROUND)
    assert messages[0] == 20 * 16
