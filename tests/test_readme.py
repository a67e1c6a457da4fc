"""The snippets in the README and the docs are run.

Every fenced block marked `python` or `sh` is run as it stands, unless a comment right before it
says otherwise:

    <!-- test: this => that -->                  replace text, to make a run small
    <!-- test: not run here, because … -->       leave the block out, with the reason

The Python blocks of a page are one program. The shell blocks run one by one, in a directory that
holds `recipes/` and a small `ratings.csv`, where `sottovoce` is the package under test.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"((?:^<!-- test: [^\n]* -->\n)*)^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOTE = re.compile(r"<!-- test: (.*) -->")


class Block(NamedTuple):
    language: str
    code: str


def blocks(text: str) -> list[Block]:
    """The blocks of a page that are to be run, with replacements made."""
    found = []
    for notes, language, code in BLOCK.findall(text):
        changes = NOTE.findall(notes)
        if any(change.startswith("not run here, because ") for change in changes):
            continue
        for change in changes:
            this, arrow, that = change.partition(" => ")
            assert arrow, f"neither a replacement nor a reason: {change}"
            assert this in code, f"there is nothing to replace: {this}"
            code = code.replace(this, that)
        found.append(Block(language, code))
    return found


RUNNABLE = [page for page in PAGES if blocks(page.read_text("utf-8"))]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory like the one a reader works in."""
    (tmp_path / "recipes").symlink_to(ROOT / "recipes")
    rows = [
        f"{user},film {item},{1 + (user * item) % 5},{1000 + item}"
        for user in range(60)
        for item in range(80)
        if (item + user) % 4 and (item % 2 == user % 2 or item % 7 == 0)
    ]
    (tmp_path / "ratings.csv").write_text("\n".join(["user,item,rating,timestamp", *rows]) + "\n")
    command = tmp_path / "bin" / "sottovoce"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sottovoce "$@"\n')
    command.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda p: str(p.relative_to(ROOT)))
def test_snippets_run(page: Path, place: Path) -> None:
    environment = os.environ | {"PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    todo = blocks(page.read_text("utf-8"))
    python = "\n".join(block.code for block in todo if block.language == "python")
    programs = [["bash", "-euo", "pipefail", "-c", b.code] for b in todo if b.language == "sh"]
    if python:
        programs.append([sys.executable, "-c", python])
    for program in programs:
        done = subprocess.run(program, cwd=place, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{program[-1]}\n{done.stdout}\n{done.stderr}"


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_notes_are_checked() -> None:
    page = (
        "<!-- test: 1 => 2 -->\n```python\nx = 1\n```\n"
        "<!-- test: not run here, because it would be rash -->\n```sh\nrm\n```\n"
    )
    assert blocks(page) == [Block("python", "x = 2\n")]
    with pytest.raises(AssertionError, match="nothing to replace"):
        blocks("<!-- test: 3 => 2 -->\n```python\nx = 1\n```\n")
