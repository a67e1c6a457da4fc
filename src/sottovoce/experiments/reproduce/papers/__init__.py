"""Functions for single papers: statements that no other form of check tells, and measurements.

A check `function = "hegedus.gap_shrinks"` calls what `papers/hegedus.py` registered with

    @statement("hegedus.gap_shrinks")
    def gap_shrinks(form: Reproduction, results: Results) -> list[Finding]: …

A table with `measure = "fedncf_table_6.phases"` calls what `papers/fedncf_table_6.py` registered with

    @measurement("fedncf_table_6.phases")
    def phases(seed: int, *, items: int, people: int, width: int, head: int) -> dict[str, float]: …

once for each cell and repetition. It returns figures by name.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce.figures import Results
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.registry import nearest


class Finding(NamedTuple):
    """One comparison with its numbers, and whether it is as claimed; None is open."""

    said: str
    holds: bool | None


Statement = Callable[[Reproduction, Results], list[Finding]]
Measure = Callable[..., Mapping[str, float]]
"""Takes the number of the repetition, and settings by name."""

_statements: dict[str, Statement] = {}
_measures: dict[str, Measure] = {}

_F = TypeVar("_F", bound=Callable[..., Any])


def statement(name: str) -> Callable[[Statement], Statement]:
    """Register a function for checks under `name`, which begins with the name of its file."""
    return _register(_statements, name)


def measurement(name: str) -> Callable[[Measure], Measure]:
    """Register a function that measures under `name`, which begins with the name of its file."""
    return _register(_measures, name)


def find(name: str) -> Statement:
    """The statement of this name; imports the file of its paper if need be."""
    return _find(_statements, name, "checks")


def find_measure(name: str) -> Measure:
    """The measurement of this name; imports its file if need be."""
    return _find(_measures, name, "measurements")


def _register(known: dict[str, _F], name: str) -> Callable[[_F], _F]:
    def register(function: _F) -> _F:
        known[name] = function
        return function

    return register


def _find(known: Mapping[str, _F], name: str, purpose: str) -> _F:
    file = name.partition(".")[0]
    if name not in known and file in {module.name for module in pkgutil.iter_modules(__path__)}:
        importlib.import_module(f"{__name__}.{file}")
    if name not in known:
        raise RecipeError(f"No function {name!r} is registered for {purpose}.", nearest(name, sorted(known)))
    return known[name]
