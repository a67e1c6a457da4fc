"""The snippets in the README and the docs are run, and show what they print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.snippets import DATA, Block, Command, blocks, commands, matches

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUNNABLE = [page for page in PAGES if blocks(page.read_text("utf-8"))]
ON_DATA = [page for page in RUNNABLE if DATA in page.read_text("utf-8")]
ANYWHERE = [page for page in RUNNABLE if page not in ON_DATA]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory like the one a reader works in, with recipes and a small file of ratings."""
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


def run(place: Path, *program: str) -> subprocess.CompletedProcess[str]:
    """A program as a reader would run it; progress, which is not shown on pages, is apart in `stderr`."""
    environment = os.environ | {"PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    return subprocess.run(program, cwd=place, env=environment, text=True, capture_output=True)


def follow(page: Path, place: Path) -> None:
    """Do what a page says: write its files, run its commands, then its Python blocks as one program."""
    todo = blocks(page.read_text("utf-8"))
    for block in todo:
        if block.kind == "file":
            (place / block.name).write_text(block.code, "utf-8")
        elif block.kind == "sh":
            done = run(place, "bash", "-euo", "pipefail", "-c", block.code)
            assert done.returncode == 0, f"{block.code}\n{done.stdout}{done.stderr}"
        elif block.kind == "console":
            for command in commands(block.code):
                done = run(place, "bash", "-c", command.line)
                printed = done.stderr[done.stderr.rfind("error: ") :] if command.fails else done.stdout
                assert (done.returncode != 0) == command.fails, f"{command.line}\n{done.stdout}{done.stderr}"
                assert not command.output.strip() or matches(command.output, printed), (
                    f"{command.line}\nprints\n{printed}\nand the page shows\n{command.output}"
                )
    program = "\n".join(block.code for block in todo if block.kind == "python")
    shown = "\n".join(block.code for block in todo if block.kind == "prints")
    if program:
        done = run(place, sys.executable, "-c", program)
        assert done.returncode == 0, f"{program}\n{done.stdout}{done.stderr}"
        assert not shown or matches(shown, done.stdout), (
            f"printed\n{done.stdout}\nand the page shows\n{shown}"
        )


@pytest.mark.parametrize("page", ANYWHERE, ids=lambda p: str(p.relative_to(ROOT)))
def test_snippets_run(page: Path, place: Path) -> None:
    follow(page, place)


@pytest.mark.parametrize("page", ON_DATA, ids=lambda p: str(p.relative_to(ROOT)))
def test_snippets_run_on_real_data(page: Path, place: Path, data_dir: Path) -> None:
    follow(page, place)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} points to {target}"


def test_notes_are_checked() -> None:
    page = (
        "<!-- test: 1 => 2 -->\n```python\nx = 1\n```\n"
        "<!-- test: not run here, because it would be rash -->\n```sh\nrm\n```\n"
        "<!-- test: file a.toml -->\n```toml\nx = 1\n```\n```toml\nnothing is done with this\n```\n"
    )
    assert blocks(page) == [Block("python", "x = 2\n"), Block("file", "x = 1\n", "a.toml")]
    with pytest.raises(AssertionError, match="nothing to replace"):
        blocks("<!-- test: 3 => 2 -->\n```python\nx = 1\n```\n")
    with pytest.raises(AssertionError, match="neither a replacement nor a reason"):
        blocks("<!-- test: skip -->\n```python\nx = 1\n```\n")


def test_consoles_are_read() -> None:
    code = "$ one \\\n    two\nfirst\nsecond\n$ three\n$ four\nerror: no\n"
    found = list(commands(code))
    assert found == [
        Command("one \\\n    two", "first\nsecond\n"),
        Command("three", ""),
        Command("four", "error: no\n"),
    ]
    assert [command.fails for command in found] == [False, False, True]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb  c\n", "a\n\n b c  \n", True),
        ("a\n", "a\nb\n", False),
        ("hr@20 0.8…\n", "hr@20 0.8731\n", True),
        ("hr@20 0.8…\n", "hr@20 0.7731\n", False),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nz\n", True),
        ("a\n…\nz\n", "a\nb\n", False),
        ("a (b) *\n", "a (b) *\n", True),
    ],
)
def test_output_is_compared(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) == same
