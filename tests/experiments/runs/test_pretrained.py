"""`neumf` that begins with what `gmf` and `mlp` have learnt, and the sentences for runs that do not fit."""

import numpy as np
import pytest

from sottovoce import registry
from sottovoce.errors import RunError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs import checkpoint, pretrained
from sottovoce.experiments.runs.start import run_recipe
from sottovoce.models.interface import score
from sottovoce.protocols.central import Central
from sottovoce.simulate.engine import Simulation
from tests.experiments.conftest import LONGER
from tests.networks import ratings, simulate

DATA = ratings([[5, 0, 3, 0], [0, 4, 0, 1], [2, 2, 0, 0]])
SETTINGS = {"gmf": {"factors": 3}, "mlp": {"factors": 3, "layers": [4, 2]}}


def left_behind(place, name, *, split="this split", seed=1, keep=True, **settings):
    """A directory like that of a finished run, with random numbers for what it has learnt."""
    model = registry.build("model", name, SETTINGS[name] | settings, "model")
    s = simulate(model, DATA, protocol=Central())
    rng = np.random.default_rng(len(name + str(place)))
    for array in (s.tables.rows, s.tables.head, s.people.user):
        array[:] = rng.normal(size=array.shape)
    s.tables.age[:] = 4
    told = {"name": name} | SETTINGS[name] | settings
    document = LONGER | {"model": told, "protocol": {"name": "central"}, "run": {"seed": seed}}
    place.mkdir()
    (place / "recipe.toml").write_text(Recipe.parse(document).dumps(), "utf-8")
    (place / "result.json").write_text("{}")
    if keep:
        checkpoint.save(place, 7, {"split": split}, s.state())
    return s


def new(start_from):
    settings = SETTINGS["mlp"] | {"start_from": [str(place) for place in start_from]}
    model = registry.build("model", "neumf", settings, "model")
    return model, simulate(model, DATA, protocol=Central())


def test_the_first_score_is_the_mean_of_both(tmp_path):
    places = tmp_path / "gmf", tmp_path / "mlp"
    before = [left_behind(place, place.name) for place in places]
    model, s = new(places)
    pretrained.begin(s, model, 1, "this split")
    for person in range(3):
        for item in range(4):
            both = [score(b.model, b.tables, 0, b.people, person, item) for b in before]
            mine = score(s.model, s.tables, 0, s.people, person, item)
            assert mine == pytest.approx(np.mean(both), rel=1e-4, abs=1e-5)
    assert (s.tables.age == 4).all()
    assert (s.tables.rows[:, 6:] == 0).all()  # moments of Adam
    assert s.tables.head[0, -1] == 0  # its steps


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"keep": False}, "kept no models"),
        ({"factors": 2}, "factors = 2"),
        ({"layers": [4, 3]}, r"layers = \[4, 3\]"),
        ({"seed": 2}, "seed = 2"),
        ({"split": "another"}, "another split"),
    ],
)
def test_what_does_not_fit_is_told(tmp_path, changes, said):
    places = tmp_path / "gmf", tmp_path / "mlp"
    left_behind(places[0], "gmf")
    left_behind(places[1], "mlp", **changes)
    model, s = new(places)
    with pytest.raises(RunError, match=said):
        pretrained.begin(s, model, 1, "this split")


def test_runs_in_the_wrong_order_or_missing_are_told(tmp_path):
    places = tmp_path / "mlp", tmp_path / "gmf"
    for place in places:
        left_behind(place, place.name)
    model, s = new(places)
    with pytest.raises(RunError, match="a run of mlp, not of gmf"):
        pretrained.begin(s, model, 1, "this split")
    model, s = new([tmp_path / "nowhere", places[0]])
    with pytest.raises(RunError, match="no complete run"):
        pretrained.begin(s, model, 1, "this split")


def test_a_run_begins_so(monkeypatch, tmp_path):
    class Begun(Exception):  # noqa: N818
        pass

    def begin(simulation, model, seed, split):
        raise Begun(model.start_from)

    monkeypatch.setattr(pretrained, "begin", begin)
    monkeypatch.setattr(Simulation, "prepare", lambda self: None)
    (tmp_path / "here").mkdir()
    document = LONGER | {"model": {"name": "neumf", "start_from": ["gmf", "/mlp"]}}
    document |= {"protocol": {"name": "central"}}
    path = tmp_path / "here" / "recipe.toml"
    path.write_text(Recipe.parse(document).dumps(), "utf-8")
    with pytest.raises(Begun, match=rf"\('{tmp_path}/here/gmf', '/mlp'\)"):
        run_recipe(Recipe.read(path))


def test_a_federation_in_virtual_time_goes_on_learning(uncompiled, tmp_path):
    """From runs of eight aggregations, each as long as two rounds: the new run has its own two, at once."""
    few = {"data": {"name": "synthetic", "users": 6, "items": 20, "mean": 4}, "network": {"links": "uniform"}}
    few |= {"split": LONGER["split"], "evaluate": LONGER["evaluate"], "protocol": {"name": "federated"}}

    def run(name, settings, rounds):
        document = few | {"model": {"name": name, **settings}, "run": {"rounds": rounds, "keep_models": True}}
        run_recipe(Recipe.parse(document), tmp_path / name)
        return checkpoint.newest(tmp_path / name).arrays

    before = [run(name, SETTINGS[name], 16) for name in ("gmf", "mlp")]
    assert [learnt["clock"].tolist() for learnt in before] == [[8], [8]]
    start = [str(tmp_path / name) for name in ("gmf", "mlp")]
    after = run("neumf", SETTINGS["mlp"] | {"start_from": start}, 4)
    assert after["clock"].tolist() == [2]
    assert (after["steps"] == 2).all()
    assert (after["rows"][:, :3] != before[0]["rows"]).any()
    assert (after["age"] > np.maximum(*(learnt["age"] for learnt in before))).any()
