"""What is measured about π, on a community small enough for a test."""

import pytest

from sottovoce.experiments.reproduce.papers import fpl_protection
from sottovoce.experiments.runs.loading import load_data
from sottovoce.registry import build


@pytest.fixture(autouse=True)
def _small(small, monkeypatch):
    def ready(seed, data, rounds, step):
        recipe = small(
            model__name="bpr",
            model__factors=8,
            model__triples=12.0,
            protocol__name="federated",
            protocol__aggregate="sum",
            privacy__steps=[step],
            run__rounds=rounds,
            run__seed=seed,
        )
        split = build("split", "local-holdout", recipe.split.settings, "split")
        return fpl_protection.Ready(recipe, split.split(load_data(recipe, None), seed), recipe.components())

    monkeypatch.setattr(fpl_protection, "_ready", ready)


def test_signs_find_what_is_disclosed_and_arithmetic_the_rest():
    silent, some = (
        fpl_protection.leak(1, data="", probability=probability, drawn="item", rounds=10)
        for probability in (0.0, 0.5)
    )
    assert silent["biases that rise: recall"] == 0
    assert "biases that rise: precision" not in silent
    assert some["biases that rise: precision"] == 1
    assert 0.3 < some["biases that rise: recall"] < 0.7
    for found in (silent, some):
        assert found["between two sampled: recall"] > 0.9
        assert found["between two sampled: precision"] > 0.99
        assert 0 < found["guessing: precision"] < found["never sampled: precision"]
        assert 0.5 < found["excluded"] <= 1


def test_groups_are_the_same_people_whatever_the_cell_is():
    found = fpl_protection.people(1, data="", probability=1.0, highest=1.0, silent=0.5, rounds=2)
    assert set(found) == {"everybody", "silent half", "open half", "lowest third", "highest third"}
    assert min(found["silent half"], found["open half"]) <= found["everybody"]
    assert max(found["silent half"], found["open half"]) >= found["everybody"]
