"""What somebody meets who has just cloned the repository: commands work in the order they are told in."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_the_readme_says_how_to_activate_before_the_first_command() -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    activated = next(n for n, block in enumerate(blocks) if ". .venv/bin/activate" in block)
    used = next(n for n, block in enumerate(blocks) if re.search(r"^sottovoce ", block, re.M))
    assert activated < used
    assert any("pip install ." in block for block in blocks[:used])


def test_the_demo_ends_with_how_to_go_on() -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    command = ["make", "--dry-run", "demo", "VENV=here"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.index("sottovoce demo") < said.index(". here/bin/activate")


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial/first-recommender.md", "docs/index.md"])
def test_no_time_is_promised_that_nobody_measured(page: str) -> None:
    text = (ROOT / page).read_text("utf-8").lower()
    for guess in ("about a minute", "a quarter of an hour", "takes a minute"):
        assert guess not in text
