"""A table of measurements with two axes, and a function that measures nothing but its arguments."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sottovoce.experiments.reproduce import papers
from sottovoce.experiments.reproduce.measured.form import Measurements

FORM = """# A table.

measure = "toy.product"
seeds = 3
tuned = "Nothing."

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Table 1"

[figures]
product = "ms"
"large only" = "share"

[set]
shift = 0.5

[axes.size]
small = { a = 2 }
large = { a = 20 }

[axes.way]
slow = { b = 3 }
fast = { b = 1 }

[quick]
only = ["small"]
set = { shift = 0.25 }
"""

calls: list[tuple[int, dict[str, float]]] = []
"""What the function was called with."""


@papers.measurement("toy.product")
def product(seed: int, *, a: int, b: int, shift: float) -> dict[str, float]:
    """a · b + shift · seed, and for a large `a` another figure."""
    calls.append((seed, {"a": a, "b": b, "shift": shift}))
    return {"product": a * b + shift * seed} | ({"large only": 0.25} if a > 10 else {})


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Path]:
    """The file above, with more text at its end."""

    def write(more: str = "", text: str = FORM) -> Path:
        calls.clear()
        path = tmp_path / "table.toml"
        path.write_text(text + more)
        return path

    return write


@pytest.fixture
def build(table: Callable[..., Path]) -> Callable[..., Measurements]:
    return lambda more="", text=FORM: Measurements.read(table(more, text))
