"""Statements of papers that need a function of their own: one file per paper.

A check `function = "hegedus.gap_shrinks"` calls what `papers/hegedus.py` registered with

    @statement("hegedus.gap_shrinks")
    def gap_shrinks(form: Reproduction, results: Results) -> list[Finding]: …
"""

import importlib
import pkgutil
from collections.abc import Callable
from typing import NamedTuple

from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce.figures import Results
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.registry import nearest


class Finding(NamedTuple):
    """One comparison with its numbers, and whether it is as claimed; None is open."""

    said: str
    holds: bool | None


Statement = Callable[[Reproduction, Results], list[Finding]]

_known: dict[str, Statement] = {}


def statement(name: str) -> Callable[[Statement], Statement]:
    """Register a function under `name`, which begins with the name of its file."""

    def register(function: Statement) -> Statement:
        _known[name] = function
        return function

    return register


def find(name: str) -> Statement:
    """The function of this name; imports the file of its paper if need be."""
    paper = name.partition(".")[0]
    if name not in _known and paper in {module.name for module in pkgutil.iter_modules(__path__)}:
        importlib.import_module(f"{__name__}.{paper}")
    if name not in _known:
        raise RecipeError(f"No function {name!r} is registered for checks.", nearest(name, sorted(_known)))
    return _known[name]
