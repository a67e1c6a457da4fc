"""Components in files of one's own: found, run, told apart by content, and refused with a sentence.

None of these files holds compiled code; tests/test_kernel_cache.py is about that.
"""

import math
from pathlib import Path

import pytest

from sottovoce import registry
from sottovoce.data.load import load
from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe

SOURCE = '''
from dataclasses import replace
from typing import NamedTuple

from sottovoce.data.load import load
from sottovoce.registry import component


@component("source", "own")
class Own(NamedTuple):
    """Two people."""

    things: int = 2

    def read(self, data_dir=None, seed=0):
        import polars as pl

        rows = [(person, f"thing {n}") for person in "ab" for n in range(self.things)]
        return replace(load(pl.DataFrame(rows, schema=["user", "item"], orient="row")), name="own")
'''
MODEL = """
from typing import NamedTuple
from sottovoce.registry import component

@component("model", "{name}")
class Model(NamedTuple):
    pass
"""
MARK = """

@component(
    "churn", "the-other", needs="nothing"
)
class Other(NamedTuple):
    pass
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(SOURCE)
    return path


def test_a_file_is_the_component_it_registers(own: Path) -> None:
    found = registry.get("source", str(own))
    assert found.__name__ == "Own"
    assert registry.get("source", str(own)) is found
    assert registry.label(str(own)) == "own"
    assert load(own, things=3).items == 3
    assert list(own.parent.iterdir()) == [own], "nothing is left beside it"


def test_an_edited_file_is_another_component(own: Path) -> None:
    before, pinned = registry.get("source", str(own)), registry.pinned(str(own))
    assert registry.get("source", pinned) is before
    own.write_text(SOURCE.replace("things: int = 2", "things: int = 5"))
    assert load(own).items == 5
    with pytest.raises(RecipeError, match=r"own\.py has changed since this recipe was written.*remove #"):
        registry.get("source", pinned)


def test_a_file_takes_nobodys_name(own: Path) -> None:
    own.write_text(SOURCE.replace('"own"', '"synthetic"'))
    assert load(own).people == 2
    assert load("synthetic", users=60, items=40).people == 60


def test_unknown_settings_are_refused(own: Path) -> None:
    with pytest.raises(RecipeError, match=r"data\.thing is not a setting of the source 'own'.*'things'"):
        load(own, thing=3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def f(:\n", r"own\.py, line 1: SyntaxError: .*Correct the Python code"),
        ("\nx = y\n", r"own\.py, line 2: NameError: name 'y' is not defined"),
        ("import nothing_of_this_name\n", r"own\.py, line 1: ModuleNotFoundError"),
        ("x = 1\n", r'own\.py registers 0 components of the kind model\. .*@component\("model", "own"\)'),
        (
            MODEL.format(name="a") + MODEL.format(name="b"),
            r"registers 2 components of the kind model: a, b\.",
        ),
        (MODEL.format(name="a"), r"Model lacks @shape\.rule\(Model\), @start_row\.rule\(Model\)"),
    ],
)
def test_what_does_not_work_is_said(own: Path, text: str, said: str) -> None:
    own.write_text(text)
    with pytest.raises(RecipeError, match=said):
        registry.get("model", str(own))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"none\.py cannot be read: No such file.*Write the path"):
        registry.get("model", str(tmp_path / "none.py"))


def test_paths_are_relative_to_the_recipe_or_to_where_one_is(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    path = tmp_path / "some.toml"
    path.write_text('[data]\nname = "own.py"\n[evaluate]\nreferences = ["a.py", "ease"]\n')
    recipe = Recipe.read(path)
    assert recipe.data.name == str(own)
    assert [named.name for named in recipe.evaluate.references] == [str(tmp_path / "a.py"), "ease"]
    assert Recipe.read(path, ["model.name=m.py"]).model.name == "m.py"


def test_a_resolved_recipe_keeps_the_hash(own: Path, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text('[data]\nname = "own.py"\n')
    recipe = Recipe.read(path)
    resolved = recipe.resolved("hr@20")
    assert str(resolved.data.name).startswith(f"{own}#")
    (tmp_path / "recipe.toml").write_text(resolved.dumps())
    assert Recipe.read(tmp_path / "recipe.toml").hash() == resolved.hash()
    own.write_text(SOURCE + "\n# edited\n")
    assert recipe.resolved("hr@20").hash() != resolved.hash()


def test_an_installed_package_adds_components(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own.rename(own.with_name("own_package.py")).write_text(SOURCE.replace('"own"', '"packaged"'))
    about = own.with_name("own_package-1.0.dist-info")
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[sottovoce.source]\npackaged = own_package\n")
    monkeypatch.syspath_prepend(own.parent)
    monkeypatch.setattr(registry, "_known", dict(registry._known))
    assert "packaged" in registry.names("source")
    assert load("packaged", things=4).items == 4


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_a_setting_is_finite(value: float) -> None:
    with pytest.raises(RecipeError, match=r"^model\.regularization = -?inf cannot be used: .* finite number"):
        registry.build("model", "ials", {"regularization": value}, "model")


def test_of_many_names_ten_are_listed() -> None:
    known = [f"person {n}" for n in range(610)]
    remedy = registry.nearest("zzz", known)
    assert remedy.endswith(" and 600 others.")
    assert remedy.count("person") == 10
    assert registry.nearest("person 61O", known) == "Did you mean 'person 61'?"
    assert registry.nearest("zzz", ["a", "b"]) == "Valid names: a, b."


def test_a_module_counts_if_its_source_registers_a_component(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "kinds_of_churn"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "helpers.py").write_text('"""Registers nothing; `@component("churn", "never")` is text."""')
    (package / "other.py").write_text('raise ImportError\n\n\n@component("links", "fast")\nclass A: ...\n')
    (package / "two.py").write_text(MODEL.replace("model", "churn").format(name="one") + MARK)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(registry.PACKAGES, "churn", "kinds_of_churn")
    monkeypatch.setattr(registry, "_known", {})
    registry._shipped.cache_clear()
    try:
        assert registry.names("churn") == ["one", "the-other"]
        assert registry.get("churn", "the-other").__name__ == "Other"
    finally:
        registry._shipped.cache_clear()


def test_every_shipped_name_is_registered_by_the_module_that_names_it() -> None:
    for kind in registry.PACKAGES:
        for name, module in registry._shipped(kind).items():
            assert registry.get(kind, name).__module__ == module
