"""Neural collaborative filtering by gossip, with every merge rule: a shipped recipe on a few people."""

import numpy as np
import pytest

from sottovoce import registry
from sottovoce.experiments.recipe import shipped
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs.start import run_recipe

FEW = ("data.name=synthetic", "data.users=6", "data.items=20", "data.mean=4", "split.candidates=5")


@pytest.mark.parametrize("merge", registry.names("merge"))
@pytest.mark.parametrize("model", ["gmf", "mlp", "neumf"])
def test_the_recipe_runs_with(uncompiled, tmp_path, model, merge):
    chosen = [f"model.name={model}", f"protocol.merge={merge}"]
    if merge == "decentralized-reptile":
        chosen.append("evaluate.tune=1")
    short = "run.rounds=2", "evaluate.every=2", "evaluate.ks=[2]", "run.keep_models=true"
    recipe = Recipe.read(shipped.find("fedncf/gossip-gmf-ml100k"), [*chosen, *FEW, *short])
    run = run_recipe(recipe, tmp_path / "run")
    assert (run.recipe.model.name, run.recipe.protocol.merge.name) == (model, merge)
    assert all(np.isfinite(value) for value in run.metrics.values())
    learnt = checkpoint.newest(tmp_path / "run").arrays
    assert run.result["messages"] == learnt["steps"].sum() == 6 * 3 * 2
    for name in ("rows", "head", "user"):
        assert np.isfinite(learnt[name]).all()
    assert (learnt["age"].reshape(6, 20) > 0).any(axis=1).all()
