"""What observers saw stands in the run directory, and observing changes nothing."""

import json

import numpy as np
import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.runs.observed import OBSERVED
from sottovoce.experiments.runs.run import Run
from sottovoce.experiments.runs.start import run_recipe


def records(place):
    """The records of a run by file name."""
    return {path.name: dict(np.load(path, allow_pickle=False)) for path in sorted(place.glob("*.npz"))}


def test_what_people_received_is_recorded(small, finished, tmp_path):
    done = run_recipe(small(privacy__observe={"who": 2, "rounds": [2, 3]}), tmp_path / "run")
    assert done.metrics == Run.open(finished).metrics
    about = json.loads((tmp_path / "run" / OBSERVED / "about.json").read_text())
    assert about["rounds"] == [2, 3]
    assert not about["server"]
    assert len(about["people"]) == len(about["numbers"]) == 2
    found = records(tmp_path / "run" / OBSERVED)
    assert list(found) == ["000002-000.npz", "000003-000.npz"]
    for record in found.values():
        assert set(record["observer"].tolist()) <= set(about["numbers"])
        assert record["rows"].dtype == np.float32
        assert len(record["rows"]) == record["offset"][-1] == len(record["ids"])
        assert not record["update"].any()


def test_what_the_server_received_is_recorded(small, tmp_path):
    watch = {"who": ["server", "3"], "rounds": [1, 1]}
    federated = {"protocol__name": "federated", "protocol__participants": 5}
    run_recipe(small(privacy__observe=watch, **federated), tmp_path / "run")
    (first, *_) = records(tmp_path / "run" / OBSERVED).values()
    assert first["update"].all()
    assert (first["observer"] == -1).all()
    assert len(first["sender"]) == 5
    about = json.loads((tmp_path / "run" / OBSERVED / "about.json").read_text())
    assert about["server"]
    assert about["people"] == ["3"]


@pytest.mark.parametrize(
    ("who", "rounds", "said"),
    [
        ("server", [1, 2], "has none"),
        (["nobody"], [1, 2], "'nobody', and nobody has that id"),
        (1, [3, 2], "ends before it begins"),
        (1, [0, 2], "rounds"),
        ([], [1, 2], "who"),
    ],
)
def test_what_cannot_be_observed(small, tmp_path, who, rounds, said):
    with pytest.raises(RecipeError, match=said):
        run_recipe(small(privacy__observe={"who": who, "rounds": rounds}), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_observers_need_a_place_and_somebody_who_sends(small):
    watch = {"who": 1, "rounds": [1, 2]}
    with pytest.raises(RecipeError, match="this run has none"):
        run_recipe(small(privacy__observe=watch))
    with pytest.raises(RecipeError, match="nobody sends anything"):
        run_recipe(small(privacy__observe=watch, protocol__name="central"))
