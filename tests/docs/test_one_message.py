"""The page that follows one message names files that exist, and what stands in them."""

import ast
import re
from pathlib import Path

import pytest

import sottovoce

ROOT, PACKAGE = Path(__file__).parents[2], Path(sottovoce.__file__).parent
PAGE = ROOT / "docs" / "explanation" / "one-message.md"
IN_RECIPES = {"als", "consensus", "pushes"}
"""Components and settings."""


def names(path: Path) -> set[str]:
    """What a file, or the files of a folder, define or implement."""
    found = set()
    for file in path.rglob("*.py") if path.is_dir() else [path]:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                decorators = "\n".join(map(ast.unparse, node.decorator_list))
                found |= {node.name, *re.findall(r"^(\w+)\.rule", decorators, re.MULTILINE)}
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return found


def missing(section: str) -> list[str]:
    """Files that a section names and that do not exist, and names that stand in none of its files."""
    quoted = re.findall(r"`([^`]+)`", section)
    files = {one: PACKAGE / one for one in quoted if re.fullmatch(r"[\w/]+(\.py|/)", one)}
    files |= {one: ROOT / one for one in files if one.startswith(("src/", "tests/"))}
    there = set().union(*(names(file) for file in files.values() if file.exists()))
    wanted = [one for one in quoted if re.fullmatch(r"\w+(\.\w+)?", one) and one not in {*files, *IN_RECIPES}]
    gone = [one for one, file in files.items() if not file.exists()]
    return gone + [one for one in wanted if one not in there]


@pytest.mark.parametrize("section", PAGE.read_text("utf-8").split("\n## ")[1:])
def test_files_and_names_exist(section: str) -> None:
    assert missing(section) == []


def test_what_is_missing_is_found() -> None:
    said = "The driver (`protocols/execute.py`, `execute`) calls `nothing` of `protocols/gone.py`."
    assert missing(said) == ["protocols/gone.py", "nothing"]
