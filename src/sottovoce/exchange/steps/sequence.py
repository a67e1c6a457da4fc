"""Several steps as one component: their settings side by side in one flat tuple.

Compiled code needs to know the type of each step, and Numba's parallel loops take no tuples inside tuples.
So each sequence of types has a class of its own: a tuple of all settings, from which the steps are taken out
again at compile time.
"""

import functools
import importlib
import operator
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from sottovoce.exchange.compression.interface import Whole
from sottovoce.exchange.steps.interface import (
    Nothing,
    compiled,
    disclose_instances,
    disclosed_age,
    protect,
    protect_quietly,
)
from sottovoce.kernels import by_class


class Steps:
    """Steps in a row. Instances belong to subclasses that `sequence` makes."""

    __slots__ = ()
    parts: ClassVar[tuple[Any, ...]]
    """The types of the steps, in order."""


_MARK = "Steps_"


def __getattr__(name: str) -> Any:
    """A class that `sequence` made, found by its name: Numba's cache refers to it by module and name."""
    if not name.startswith(_MARK):
        raise AttributeError(name)
    return _kind(tuple(map(_found, bytes.fromhex(name.removeprefix(_MARK)).decode().split())))


def _name(parts: tuple[Any, ...]) -> str:
    """A name that tells which steps a class is made of. Numba writes it into code: it has letters only."""
    return _MARK + " ".join(f"{part.__module__}:{part.__qualname__}" for part in parts).encode().hex()


def _found(name: str) -> Any:
    module, _, qualified = name.partition(":")
    return operator.attrgetter(qualified)(importlib.import_module(module))


@functools.cache
def _kind(parts: tuple[Any, ...]) -> Any:
    fields = [f"{name}_{n}" for n, part in enumerate(parts) for name in part._fields]
    members = {"parts": parts, "__slots__": (), "__module__": __name__}
    return type(_name(parts), (Steps, namedtuple("_Flat", fields)), members)


def sequence(steps: Sequence[Any]) -> Any:
    """Steps as one component. Nothing remains of a compression that leaves messages whole."""
    some = [compiled(step) for step in steps if not isinstance(step, Whole)]
    if len(some) < 2:
        return some[0] if some else Nothing()
    return _kind(tuple(map(type, some)))(*(value for step in some for value in step))


@by_class
def _first(kind: Any) -> Callable[[Any], Any]:
    """The first step of several."""
    part, end = kind.parts[0], len(kind.parts[0]._fields)
    return lambda instance: part(*instance[:end])


@by_class
def _others(kind: Any) -> Callable[[Any], Any]:
    """The steps after the first: one, or several."""
    begin, parts = len(kind.parts[0]._fields), kind.parts[1:]
    rest = parts[0] if len(parts) == 1 else _kind(parts)
    return lambda instance: rest(*instance[begin:])


@protect.rule(Steps)
def _one_after_the_other(step, updates, place, people, person, run, round):
    protect(_first(step), updates, place, people, person, run, round)
    protect(_others(step), updates, place, people, person, run, round)


@disclose_instances.rule(Steps)
def _instances_of_all(step, updates, place, people, person, run, round):
    disclose_instances(_first(step), updates, place, people, person, run, round)
    disclose_instances(_others(step), updates, place, people, person, run, round)


@protect_quietly.rule(Steps)
def _quietly(step, updates, place, people, person, run, round):
    protect_quietly(_first(step), updates, place, people, person, run, round)
    protect_quietly(_others(step), updates, place, people, person, run, round)


@disclosed_age.rule(Steps)
def _age_after_all(step, trained):
    return disclosed_age(_others(step), disclosed_age(_first(step), trained))
