"""A data test cannot be skipped unnoticed where the data is, however it goes about it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest

def test_uses_data(data_dir):
    pass

def test_gives_up(data_dir):
    pytest.skip("does not feel like it")

def test_goes_around_the_fixture():
    pytest.skip("SOTTOVOCE_DATA is of no use here")

def test_needs_something_else():
    pytest.skip("no such hardware")
"""


def check(
    place: Path, tests: str, data: Path | None, *more: str
) -> tuple[str, subprocess.CompletedProcess[str]]:
    """Pytest's output and the check of its results, with our conftest and these tests."""
    shutil.copy(ROOT / "tests" / "conftest.py", place)
    (place / "test_some.py").write_text(tests)
    environment = {k: v for k, v in os.environ.items() if k != "SOTTOVOCE_DATA"}
    environment["PYTHONPATH"] = str(ROOT)  # where our conftest finds what it imports
    if data is not None:
        environment["SOTTOVOCE_DATA"] = str(data)
    options = ["-p", "no:cacheprovider", f"--rootdir={place}", "-ra", "--junitxml=results.xml", *more]
    first, second = (
        subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True)
        for command in (
            [sys.executable, "-m", "pytest", *options],
            [sys.executable, str(ROOT / ".ci" / "skipped.py"), "results.xml"],
        )
    )
    return first.stdout, second


def test_without_data_skips_are_listed_with_their_reasons(tmp_path: Path) -> None:
    _, done = check(tmp_path, TESTS, None)
    assert done.returncode == 0, done.stderr
    assert "4 tests, 2 of them on real data, 4 skipped" in done.stdout
    assert "test_uses_data: SOTTOVOCE_DATA is not set" in done.stdout
    assert "test_needs_something_else: no such hardware" in done.stdout


def test_with_data_a_skipped_data_test_has_failed(tmp_path: Path) -> None:
    output, done = check(tmp_path, TESTS, tmp_path, "--numprocesses=2")
    assert "1 failed, 1 passed, 2 skipped" in output
    assert "skipped although SOTTOVOCE_DATA is set" in output
    assert done.returncode == 1
    assert "test_goes_around_the_fixture" in done.stderr
    assert "test_needs_something_else" not in done.stderr


@pytest.mark.parametrize("data", [True, False])
def test_data_without_data_tests_is_suspicious(tmp_path: Path, data: bool) -> None:
    _, done = check(tmp_path, "def test_nothing():\n    pass\n", tmp_path if data else None)
    assert done.returncode == int(data)
