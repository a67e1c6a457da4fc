"""The documentation is built without a warning, and a link that leads nowhere is one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("myst_parser", reason="building the site needs the docs extra")
pytest.importorskip("furo", reason="building the site needs the docs extra")

ROOT = Path(__file__).parents[2]


def build(root: Path, place: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    return subprocess.run(
        [*command, str(root / "docs"), str(place / "site")], capture_output=True, text=True, cwd=place
    )


def test_the_site_is_whole(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path)
    assert done.returncode == 0, done.stderr
    written = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert written <= {path.relative_to(tmp_path / "site") for path in (tmp_path / "site").rglob("*.html")}
    front = (tmp_path / "site" / "index.html").read_text("utf-8")
    for page in (
        "tutorial/first-recommender",
        "how-to/own-model",
        "reference/components",
        "project/contributing",
    ):
        assert f'class="reference internal" href="{page}.html"' in front, page


def test_what_leads_nowhere_is_found(tmp_path: Path) -> None:
    for name in ("docs", "recipes"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for page in ROOT.glob("*.md"):
        shutil.copy(page, tmp_path)
    for name, line in {
        "how-to/own-data.md": "[a page](nothing.md)",
        "how-to/own-model.md": "[a place](../reference/recipe.md#nowhere)",
        "explanation/alone.md": "# A page that is in no list",
    }.items():
        with (tmp_path / "docs" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    done = build(tmp_path, tmp_path)
    assert done.returncode != 0
    assert "target not found: 'nothing.md'" in done.stderr
    assert "local id not found in doc 'reference/recipe': 'nowhere'" in done.stderr
    assert "alone.md: WARNING: document isn't included in any toctree" in done.stderr
    assert done.stderr.count("WARNING") == 3, done.stderr
