"""What is left open fits the machine: fewer rounds for large networks, 16 bits where 32 do not fit."""

from types import SimpleNamespace

import pytest

from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import find
from sottovoce.experiments.runs import fitting, machine

SPARSE = SimpleNamespace(people=16_554, items=10_506)
DENSE = SimpleNamespace(people=943, items=1_682)


def recipe(**execution):
    document = {"data": {"name": "ml-100k"}, "protocol": {"name": "gossip", "pushes": 3}, "run": execution}
    return Recipe.parse(document)


def test_a_large_network_takes_fewer_rounds_and_says_so():
    fewer, told = fitting.rounds(recipe(rounds=60), SPARSE)
    assert fewer.run.rounds == 25
    assert "25 rounds instead of 60" in told
    assert "--set run.rounds=60" in told


def test_a_small_network_takes_those_of_the_recipe():
    assert fitting.rounds(recipe(rounds=60), DENSE) == (recipe(rounds=60), "")


@pytest.mark.parametrize(
    ("free", "execution", "storage"),
    [
        (100, {}, "float32"),
        (60, {}, "bfloat16"),
        (60, {"storage": "float32"}, "float32"),  # as the recipe says; the run is then refused
        (40, {}, "float32"),  # neither fits
    ],
)
def test_storage_follows_from_memory(monkeypatch, free, execution, storage):
    monkeypatch.setattr(machine, "available_memory", lambda: free)
    chosen, told = fitting.storage(recipe(**execution), {"float32": 90, "bfloat16": 50}.__getitem__)
    assert chosen.run.storage == storage
    assert ("16 bits" in told) == (storage == "bfloat16")


def test_what_was_left_open_stays_so_where_files_define_the_split(monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 60)
    divided = recipe(rounds=60).divided()
    assert divided.split.name == "predefined"
    chosen, _ = fitting.storage(divided, {"float32": 90, "bfloat16": 50}.__getitem__)
    assert chosen.run.storage == "bfloat16"


def test_what_was_left_open_is_as_it_was_when_a_run_began():
    """The recipe in a run directory holds what data, or the machine's memory, decided."""

    def summing(run=(), **protocol):
        document = {"data": {"name": "ml-100k"}, "model": {"name": "als"}, "run": dict(run)}
        return Recipe.parse(document | {"protocol": {"name": "consensus", **protocol}})

    begun = summing({"storage": "bfloat16"}, group=182, exact=True).resolved()
    assert fitting.adopted(summing(group=0), begun).resolved() == begun
    for other in (
        summing(group=128),
        summing(group=0, exact=False),
        summing({"storage": "float32"}, group=0),
        summing(group=0, bits=4),
        recipe(),
    ):
        assert fitting.adopted(other, begun).resolved() != begun


def test_what_would_be_refused_is_another_run():
    """A kept run without masks had agreed to that; a recipe that leaves groups open has not."""
    tables = {"data": {"name": "ml-100k"}, "model": {"name": "als"}}
    plain = {"protocol": {"name": "consensus", "group": 1}, "privacy": {"disclose": ["statistics"]}}
    begun = Recipe.parse(tables | plain).resolved()
    assert not fitting.same(Recipe.parse(tables | {"protocol": {"name": "consensus", "group": 0}}), begun)
    assert fitting.same(Recipe.parse(tables | plain), begun)


@pytest.mark.parametrize(
    ("people", "group", "words"),
    [
        (2, 2, "each of them knows the other's part"),
        (40, 40, "All 40 people are one group"),
        (500, 128, "128"),
    ],
)
def test_a_group_is_never_said_to_be_larger_than_there_are_people(people, group, words):
    summing = Recipe.read(find("consensus"))
    train = SimpleNamespace(people=people, items=50, item=range(10 * people))
    written, parts, told = fitting.protocol(summing, summing.components(), train)
    assert written.protocol.settings["group"] == parts.protocol.group == group
    assert words in told
