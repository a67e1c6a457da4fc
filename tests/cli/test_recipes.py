"""`sottovoce recipes`, and that what is shipped can be run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import _natural, _summary

Call = Callable[..., Result]


def test_every_shipped_recipe_has_a_summary_and_is_valid(call: Call) -> None:
    listed = json.loads(call("recipes", "--json").stdout)
    assert "quickstart" in [recipe["name"] for recipe in listed]
    shown = call("recipes").stdout
    words = " ".join(shown.split())
    for recipe in listed:
        assert recipe["summary"], f"{recipe['name']} does not begin with a comment"
        assert recipe["summary"].endswith("."), "a whole sentence"
        assert f"{recipe['name']} {recipe['summary']}" in words
        if recipe["kind"] == "recipe":
            Recipe.read(Path(recipe["path"])).components()
    assert shown.index("sottovoce run NAME") < shown.index("sottovoce reproduce NAME")
    assert shown.index("sottovoce reproduce NAME") < shown.index("hegedus/figure-3")


@pytest.mark.parametrize("width", [80, 60, 20])
@pytest.mark.parametrize("command", [("recipes",), ("reproduce", "--list")])
def test_lists_fit_the_screen(
    call: Call, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = call(*command).stdout.splitlines()
    names = [line for line in lines if "/" in line or "NAME" in line]
    assert max(len(line) for line in lines if line not in names or width > 50) <= width


def test_order_is_that_of_people(call: Call) -> None:
    names = [recipe["name"] for recipe in json.loads(call("recipes", "--json").stdout)]
    assert names[:2] == ["consensus", "quickstart"]
    ordered = ["hegedus/figure-3", "hegedus/figure-3-gossip", "pepper/figure-9", "pepper/figure-10"]
    assert [name for name in names if name in ordered] == ordered
    assert sorted(["a-10", "b", "a-2", "c/x", "a"], key=_natural) == ["a", "a-2", "a-10", "b", "c/x"]


def test_summaries_are_whole_sentences(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text("# What A et al. 2022 say (Section 4.1), over\n# two lines. And more.\n[data]\n# no\n")
    assert _summary(path) == "What A et al. 2022 say (Section 4.1), over two lines."
    path.write_text("[data]\n")
    assert _summary(path) == ""
