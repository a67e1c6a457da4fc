"""The server's model, computed again, is the model that participants received."""

import numpy as np
import pytest

from sottovoce.experiments.audit import records, replay
from sottovoce.experiments.runs.observed import OBSERVED
from sottovoce.experiments.runs.start import run_recipe
from sottovoce.registry import build


@pytest.mark.parametrize("selection", ["random", "in-turn"])
def test_models_are_those_that_were_sent(small, tmp_path, selection):
    recipe = small(
        privacy__observe={"who": ["server", "3", "4", "5"], "rounds": [1, 3]},
        protocol__name="federated",
        protocol__participants=30,
        protocol__selection=selection,
    )
    run = run_recipe(recipe, tmp_path / "run")
    assert run.directory is not None
    assert (run.directory / OBSERVED).exists()
    seen = records.read(run.directory, run.figures.data.people, run.figures.data.items)
    named = run.recipe.split
    split = build("split", named.name, named.settings, "split").split(run.data, run.recipe.run.seed)
    updates = seen.among(seen.update)
    versions = replay.models(run.recipe, run.recipe.components(), split, updates)
    assert versions is not None
    received = seen.among(~seen.update)
    assert len(received.round) > 2
    assert received.clock.max() > 0
    ours = replay.before(versions, received.clock[received.message], received.ids)
    np.testing.assert_allclose(ours, received.rows, rtol=1e-4, atol=1e-5)
    later = updates.among(updates.clock > 0)
    assert replay.models(run.recipe, run.recipe.components(), split, later) is None
