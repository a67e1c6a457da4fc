"""Recipes: what they refuse and how they say it, defaults, and the way to TOML and back."""

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import find, shipped


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[modle]\nname = 'mf'", "modle is not a section of a recipe. Did you mean 'model'?"),
        ("[run]\nround = 5", "run.round is not a key of a recipe. Did you mean 'rounds'?"),
        (
            "[privacy]\nnoise = 1",
            "privacy.noise is not a key of a recipe. Valid names: disclose, steps, observe.",
        ),
        ("[run]\nrounds = 'many'", "run.rounds = 'many' cannot be used"),
        ("[run]\nrounds = true", "run.rounds = True cannot be used"),
        ("[run]\nrounds = 0", "run.rounds = 0 cannot be used"),
        ("[evaluate]\nks = []", "evaluate.ks = [] cannot be used"),
        ("[network]\npeers = { k = 3 }", "network.peers.name is missing"),
    ],
)
def test_sections_and_keys(tmp_path, text, says):
    path = tmp_path / "mine.toml"
    path.write_text(f"data = {{ name = 'synthetic' }}\n{text}\n")
    with pytest.raises(RecipeError) as refused:
        Recipe.read(path)
    assert str(refused.value).startswith(f"{path}: {says}")


@pytest.mark.parametrize(
    ("section", "table", "says"),
    [
        (
            "model",
            {"name": "mf", "factor": 3},
            "model.factor is not a setting of the model 'mf'. Did you mean 'factors'?",
        ),
        ("model", {"name": "fm"}, "model: There is no model called 'fm'."),
        ("model", {"name": "mf", "factors": 0}, "model.factors = 0 cannot be used"),
        (
            "protocol",
            {"name": "gosip"},
            "protocol: There is no protocol called 'gosip'. Did you mean 'gossip'?",
        ),
        (
            "protocol",
            {"merge": "liner"},
            "protocol.merge: There is no merge called 'liner'. Did you mean 'linear'?",
        ),
        (
            "protocol",
            {"push": 3},
            "protocol.push is not a setting of the protocol 'gossip'. Did you mean 'pushes'?",
        ),
        ("protocol", {"name": "central", "merge": "linear"}, "protocol.merge has no meaning"),
        ("protocol", {"aggregate": "fedavg"}, "protocol.aggregate has no meaning with the protocol 'gossip'"),
        ("protocol", {"name": "central", "compress": ["subsample"]}, "protocol.compress has no meaning"),
        ("protocol", {"name": "federated", "merge": "linear"}, "protocol.merge has no meaning"),
        (
            "protocol",
            {"compress": [{"name": "quantize", "bits": 7}]},
            "protocol.compress.1.bits = 7 cannot be used",
        ),
        ("protocol", {"start": "independent", "compress": ["delta"]}, "protocol.compress names 'delta', but"),
        ("protocol", {"name": "federated", "compress": ["delta"]}, "protocol.compress names 'delta', but"),
        ("protocol", {"name": "fedfast"}, "with the protocol 'fedfast', the person's own vector, after"),
        ("protocol", {"name": "fedfast", "items": "mean"}, "protocol.items = 'mean' cannot be used"),
        ("protocol", {"name": "fedfast", "aggregate": "simple"}, "protocol.aggregate has no meaning"),
        ("protocol", {"name": "fedfast", "participants": 0}, "protocol.participants = 0 cannot be used"),
        ("protocol", {"name": "fedfast", "compress": ["delta"]}, "protocol.compress names 'delta', but"),
        ("network", {"churn": "phones"}, "network.churn needs time, and without links there is none."),
        (
            "network",
            {"links": {"name": "uniform", "transfer": 0.0}},
            "network.links.transfer = 0.0 cannot be used",
        ),
        (
            "network",
            {"peers": {"name": "k-out", "n": 3}},
            "network.peers.n is not a setting of the peers 'k-out'.",
        ),
    ],
)
def test_components(section, table, says):
    recipe = Recipe.parse({"data": {"name": "synthetic"}, section: table}, "mine.toml")
    with pytest.raises(RecipeError) as refused:
        recipe.components()
    assert str(refused.value).startswith(f"mine.toml: {says}")


@pytest.mark.parametrize("data", [{}, {"name": "ml-100k", "path": "x.csv"}])
def test_data_is_a_name_or_a_path(data):
    with pytest.raises(RecipeError, match=r"\[data\] has (neither|both)"):
        Recipe.parse({"data": data})


def test_no_data_at_all():
    with pytest.raises(RecipeError, match="the recipe: data is missing"):
        Recipe.parse({})


@pytest.mark.parametrize(
    ("content", "says"), [("[data", "is not TOML"), (b"\xff\xfe", "is not text in UTF-8")]
)
def test_what_is_not_toml(tmp_path, content, says):
    path = tmp_path / "broken.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RecipeError, match=says):
        Recipe.read(path)


def test_a_missing_file():
    with pytest.raises(RecipeError, match=r"nowhere.toml cannot be read"):
        Recipe.read("nowhere.toml")


def test_resolved_has_all_settings_and_reads_back_equal(tmp_path, small):
    recipe = small(network__peers="k-out").resolved("hr@5")
    path = tmp_path / "recipe.toml"
    path.write_text(recipe.dumps(), "utf-8")
    again = Recipe.read(path)
    assert again == recipe
    assert again.hash() == recipe.hash()
    assert again.resolved() == again
    assert again.network.peers.settings == {"k": 20}
    assert again.model.settings["step"] == 0.01
    assert "low" not in again.model.settings, "what depends on the data stays open"
    assert again.evaluate.metric == "hr@5"


def test_fedfast_brings_its_own_rule(small):
    recipe = small(protocol__name="fedfast", protocol__items="change", privacy__disclose=True)
    assert type(recipe.components().merge).__name__ == "Change"
    again = recipe.resolved("hr@5")
    assert again.protocol.aggregate is None
    assert "disclose = true" in again.dumps()
    assert again.resolved() == again
    assert "privacy" not in small().dumps()


def test_consensus_keeps_its_peers(small):
    known = {"model__name": "als", "protocol__name": "consensus"}
    few, many = (small(network__peers={"name": "k-out", "k": k}, **known).resolved("hr@5") for k in (5, 20))
    assert few.network.peers.settings == {"k": 5}
    assert few.hash() != many.hash()


def test_central_has_neither_merge_nor_peers(small):
    recipe = small(protocol__name="central", network__peers="uniform").resolved("hr@5")
    assert recipe.protocol.merge is None
    assert recipe.network.peers is None


def test_hash_is_about_the_result_only(small):
    assert small(run__threads=1).hash() == small(run__keep_models=True).hash() == small().hash()
    assert small(run__seed=2).hash() != small().hash()
    assert small(model__factors=5).hash() != small().hash()


def test_a_path_is_relative_to_the_recipe(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[data]\npath = 'ratings.csv'\n")
    assert Recipe.read(path).data.path == str(tmp_path / "ratings.csv")
    assert Recipe.read(path, ["data.path=other.csv"]).data.path == "other.csv"


def test_shipped_recipes_can_be_built():
    known = shipped()
    assert {"quickstart", "hegedus/gossip-ml100k"} <= {recipe.name for recipe in known}
    for recipe in known:
        assert recipe.summary
        Recipe.read(recipe.path).resolved("hr@20")


@pytest.mark.parametrize("name", ["quickstart", "quickstart.toml", "recipes/quickstart.toml"])
def test_find(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find(name).name == "quickstart.toml"


def test_find_prefers_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quickstart").write_text("")
    assert str(find("quickstart")) == "quickstart"


def test_find_nothing():
    with pytest.raises(RecipeError, match="Did you mean 'quickstart'"):
        find("quickstrat")
