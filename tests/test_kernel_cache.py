"""Compiled code is kept, never stale, and not needed on disk: each in a process of its own.

The package is copied, so that a helper can be edited and the copy made read-only.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sottovoce

SCRIPT = """
import numpy as np
from sottovoce import kernels
from sottovoce.probe_driver import total
print(total(np.arange(4)), kernels.compilations())
"""
DRIVER = """
from sottovoce.kernels import driver
from sottovoce.probe_helper import price

@driver
def total(amounts):
    out = 0
    for index in range(len(amounts)):
        out += price(amounts[index])
    return out
"""
HELPER = """
from sottovoce.kernels import helper

@helper
def price(amount):
    return 2 * amount
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with a helper and a driver in two modules."""
    place = tmp_path / "site" / "sottovoce"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(sottovoce.__file__).parent, place, ignore=ignore)
    (place / "probe_driver.py").write_text(DRIVER)
    (place / "probe_helper.py").write_text(HELPER)
    return place


def run(package: Path, cache: Path, script: str = SCRIPT, **settings: str) -> tuple[list[str], str]:
    """What a script printed (SCRIPT: the total and how many kernels it compiled), and its complaints."""
    environment = (
        os.environ
        | settings
        | {
            "PYTHONPATH": str(package.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "SOTTOVOCE_CACHE": str(cache),
        }
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    return done.stdout.split(), done.stderr


def test_second_start_compiles_nothing_and_an_edited_helper_is_noticed(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert run(package, cache) == (["12", "1"], "")
    assert run(package, cache) == (["12", "0"], "")
    (package / "probe_helper.py").write_text(HELPER.replace("2 * amount", "3 * amount"))
    assert run(package, cache) == (["18", "1"], "")


def test_read_only_install_without_a_cache_works(package: Path, tmp_path: Path) -> None:
    everything = [package, *package.rglob("*")]
    for path in everything:
        path.chmod(path.stat().st_mode & ~0o222)
    before = {path: path.stat().st_mtime_ns for path in package.rglob("*")}
    occupied = tmp_path / "occupied"
    occupied.write_text("A file, in which nobody can make a directory, not even root.")
    try:
        (total, _), notes = run(package, occupied / "cache")
        after = {path: path.stat().st_mtime_ns for path in package.rglob("*")}
    finally:
        for path in everything:
            path.chmod(path.stat().st_mode | 0o200)
    assert total == "12"
    assert notes.count("cannot be kept") == 1
    assert "SOTTOVOCE_CACHE" in notes
    assert before == after


def test_serial_and_parallel_forms_are_kept_apart(package: Path, tmp_path: Path) -> None:
    """Numba files compiled code under the function's name, whether it is parallel or not."""
    script = """
import numpy as np
from sottovoce import kernels
from sottovoce.cli.probe import squares
with kernels.set_threads(2):
    for batch in (1, 1000):
        squares(np.zeros(1000, np.int64), batch=batch)
print(kernels.compilations())
"""
    assert run(package, tmp_path / "cache", script, NUMBA_NUM_THREADS="2") == (["2"], "")
    assert run(package, tmp_path / "cache", script, NUMBA_NUM_THREADS="2") == (["0"], "")


OPERATION = """
from sottovoce.kernels import driver, operation

@operation
def price(tariff, amount):
    pass

@driver
def total(tariff, amounts):
    out = 0
    for index in range(len(amounts)):
        out += price(tariff, amounts[index])
    return out
"""
INSIDE = """
from typing import NamedTuple
from sottovoce.probe_operation import price

class Plain(NamedTuple):
    pass

@price.rule(Plain)
def _price(tariff, amount):
    return amount
"""
OUTSIDE = """
from typing import NamedTuple
from sottovoce.kernels import helper
from sottovoce.probe_operation import price

class Own(NamedTuple):
    pass

@helper
def twice(amount):
    return 2 * amount

@price.rule(Own)
def _price(tariff, amount):
    return twice(amount)
"""


def test_code_from_outside_is_kept_apart_and_noticed_when_edited(package: Path, tmp_path: Path) -> None:
    (package / "probe_operation.py").write_text(OPERATION)
    (package / "probe_inside.py").write_text(INSIDE)
    own = package.parent / "own.py"
    own.write_text(OUTSIDE)
    script = """
import numpy as np
from sottovoce import kernels
from sottovoce.probe_inside import Plain
from sottovoce.probe_operation import total
amounts = np.arange(4)
print(total(Plain(), amounts), kernels.compilations())
from own import Own  # after a kernel was used, as in a notebook
print(total(Own(), amounts), kernels.compilations())
"""
    cache = tmp_path / "cache"
    assert run(package, cache, script) == (["6", "1", "12", "2"], "")
    assert run(package, cache, script) == (["6", "0", "12", "0"], "")
    own.write_text(OUTSIDE.replace("2 * amount", "3 * amount"))
    assert run(package, cache, script) == (["6", "0", "18", "1"], ""), "only what was edited is compiled"


def test_what_cannot_be_compiled_is_said(package: Path, tmp_path: Path) -> None:
    (package / "probe_operation.py").write_text(OPERATION)
    (package.parent / "own.py").write_text(OUTSIDE.replace("2 * amount", "len(amount)"))
    script = """
import numpy as np
from sottovoce.errors import RecipeError
from sottovoce.probe_operation import total
from own import Own
try:
    total(Own(), np.arange(4))
except RecipeError as error:
    print(error.problem)
"""
    said = " ".join(run(package, tmp_path / "cache", script)[0])
    assert said.startswith(
        "Own cannot be compiled: No implementation of function Function(<built-in function len>)"
    )
    assert said.endswith(">>> len(int64) (line 11)."), said


def test_a_full_cache_is_a_note_and_the_result_is_right(package: Path, tmp_path: Path) -> None:
    """No file may be longer than 100 bytes, as on a full disk: code is compiled, used and not kept."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n" + SCRIPT
    (total, compiled), notes = run(package, tmp_path / "cache", limited)
    assert (total, compiled) == ("12", "1")
    assert notes.count("compiled code cannot be kept") == 1
    assert "File too large" in notes
    assert not [path for path in (tmp_path / "cache").rglob("*") if ".tmp." in path.name]
    assert run(package, tmp_path / "cache") == (["12", "1"], "")
    assert run(package, tmp_path / "cache") == (["12", "0"], "")


@pytest.mark.parametrize(("kind", "damage"), [("*.nbi", b""), ("*.nbc", b"junk")])
def test_a_damaged_cache_is_made_anew(package: Path, tmp_path: Path, kind: str, damage: bytes) -> None:
    assert run(package, tmp_path / "cache") == (["12", "1"], "")
    found = list((tmp_path / "cache").rglob(kind))
    assert found
    for path in found:
        path.write_bytes(damage)
    assert run(package, tmp_path / "cache") == (["12", "1"], "")
    assert run(package, tmp_path / "cache") == (["12", "0"], "")
