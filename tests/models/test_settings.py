"""Settings of training are declared once and are settings of all three models."""

import pytest

from docs.generate.source import field_texts
from sottovoce import registry
from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.models._settings import Training

OWN = {"gmf": ["factors"], "mlp": ["factors", "layers"], "neumf": ["factors", "layers"]}
LAST = {"neumf": ["start_from"]}


@pytest.mark.parametrize("name", OWN)
def test_a_model_has_its_own_settings_and_those_of_training(name):
    cls = registry.get("model", name)
    assert list(cls._fields) == [*OWN[name], *Training._fields, *LAST.get(name, [])]
    assert {field: cls._field_defaults[field] for field in Training._fields} == Training._field_defaults
    assert set(field_texts(cls)) == set(cls._fields)
    assert (cls.__name__, cls.__module__) == (cls().__class__.__name__, f"sottovoce.models.{name}")


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("step", 0, "it must be more than 0"),
        ("optimizer_state", "warm", "'fresh' or 'kept'"),
        ("negatives", 1001, "it must be at most 1000"),
        ("factors", 0, "it must be at least 1"),
    ],
)
def test_values_are_checked(name, setting, value, said):
    with pytest.raises(RecipeError, match=rf"model\.{setting} = {value!r} cannot be used: .*{said}"):
        registry.build("model", name, {setting: value}, "model")


def test_unknown_settings_name_the_nearest():
    with pytest.raises(RecipeError, match="Did you mean 'optimizer_state'"):
        registry.build("model", "gmf", {"optimizer_stat": "kept"}, "model")


def test_a_recipe_sets_them():
    model = {"name": "neumf", "optimizer_state": "kept", "layers": [8, 4]}
    recipe = Recipe.parse({"data": {"name": "ml-100k"}, "model": model})
    built = recipe.components().model
    assert (built.optimizer_state, built.layers, built.step) == ("kept", (8, 4), 1e-3)
    assert recipe.resolved("hr@10").model.settings["optimizer_state"] == "kept"
