"""--set: values by the rules of TOML, names that replace a component."""

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.overrides import blaming, override, parse


@pytest.mark.parametrize(
    ("change", "path", "value"),
    [
        ("model.factors=16", ["model", "factors"], 16),
        ("model.step = 0.5", ["model", "step"], 0.5),
        ("run.keep_models=true", ["run", "keep_models"], True),
        ("evaluate.ks=[5, 10]", ["evaluate", "ks"], [5, 10]),
        ('model.name="mf"', ["model", "name"], "mf"),
        ("model.name=mf", ["model", "name"], "mf"),
        ("evaluate.metric=hr@10", ["evaluate", "metric"], "hr@10"),
        ("data.path=some/ratings=new.csv", ["data", "path"], "some/ratings=new.csv"),
        ("data.columns.user=who", ["data", "columns", "user"], "who"),
        ("network.peers={name='k-out', k=3}", ["network", "peers"], {"name": "k-out", "k": 3}),
    ],
)
def test_values(change, path, value):
    assert parse(change) == (path, value)


@pytest.mark.parametrize(
    "change", ["model", "factors=3", "model.=3", ".x=1", "run.rounds=", "run.rounds=[5", 'a.b="x']
)
def test_malformed_changes_are_refused(change):
    with pytest.raises(RecipeError, match="--set"):
        parse(change)


def test_a_line_break_adds_no_key():
    with pytest.raises(RecipeError, match="not a TOML value"):
        parse("run.rounds=1\nseed=2")


def test_another_name_drops_the_settings_of_the_former():
    before = {"model": {"name": "ials", "unobserved": 0.2}, "run": {"rounds": 3}}
    after = override(before, ["model.factors=8", "model.name=mf"])
    assert after == {"model": {"name": "mf", "factors": 8}, "run": {"rounds": 3}}
    assert before["model"] == {"name": "ials", "unobserved": 0.2}


def test_the_same_name_keeps_them():
    assert override({"model": {"name": "mf", "factors": 3}}, ["model.name=mf"])["model"]["factors"] == 3


def test_a_file_replaces_a_data_set():
    after = override(
        {"data": {"name": "synthetic", "users": 9}}, ["data.columns={user=1}", "data.path=x.csv"]
    )
    assert after == {"data": {"path": "x.csv", "columns": {"user": 1}}}


def test_settings_of_a_component_given_by_name_alone():
    after = override({"network": {"peers": "k-out"}}, ["network.peers.k=4"])
    assert after == {"network": {"peers": {"name": "k-out", "k": 4}}}


def test_a_key_below_a_value_is_refused():
    with pytest.raises(RecipeError, match="not a table"):
        override({"run": {"rounds": 3}}, ["run.rounds.more=1"])


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("my.toml: model.factors = 0 cannot be used", "--set: model.factors = 0 cannot be used"),
        ("my.toml: model.factors.1 = 0 cannot be used", "--set: model.factors.1 = 0 cannot be used"),
        ("my.toml: protocol.merge: There is no merge", "--grid: protocol.merge: There is no merge"),
        ("my.toml: model.step = 0 cannot be used", "my.toml: model.step = 0 cannot be used"),
        ("my.toml: model: There is no model", "my.toml: model: There is no model"),
        ("other.toml: model.factors = 0", "other.toml: model.factors = 0"),
    ],
)
def test_errors_name_the_option_that_a_setting_came_from(problem, said):
    options = {"--set": ["model.factors=0"], "--grid": ["protocol.merge.name=x,y"]}
    with pytest.raises(RecipeError) as refused, blaming("my.toml", options):
        raise RecipeError(problem)
    assert refused.value.for_command_line == said
