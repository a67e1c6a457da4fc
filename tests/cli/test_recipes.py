"""`sottovoce recipes`, and that what is shipped can be run."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from sottovoce.experiments.recipe import Recipe

Call = Callable[..., Result]


def test_every_shipped_recipe_has_a_summary_and_is_valid(call: Call) -> None:
    listed = json.loads(call("recipes", "--json").stdout)
    assert "quickstart" in [recipe["name"] for recipe in listed]
    shown = call("recipes").stdout
    for recipe in listed:
        assert recipe["summary"], f"{recipe['name']} does not begin with a comment"
        assert f"{recipe['name']} " in shown
        assert recipe["summary"] in shown
        if recipe["kind"] == "recipe":
            Recipe.load(Path(recipe["path"])).components()
    assert shown.index("sottovoce run NAME") < shown.index("sottovoce reproduce NAME")
    assert shown.index("sottovoce reproduce NAME") < shown.index("hegedus/figure-3")
