"""What comes from outside must not break a node: numbers can be valid and yet do harm.

A node learns from a message, looks at what became of its model, and puts everything back if that cannot be
right. It has diverged if

- a number is not finite, or a weight is larger than `LARGEST_WEIGHT`; or
- the person's own items, on which it was just trained, have larger scores than before, and `REACH` times as
  large as any rating.

The second is needed because training need not overflow at once: with rows that are too large, each training
overshoots by more than the one before. A message can stay just below that bound, and the node would then
refuse everybody else. So when it refuses, it tries a few trainings alone; if these diverge too, its own model
is the broken one, and begins anew (`Node._meet`).
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.message import LARGEST_WEIGHT

REACH, LEAST = 4.0, 4.0
"""How much larger than ratings scores of one's own items may become, and what counts as a rating at least."""
TRIALS = 8
"""Trainings that a model must stand, or it is broken."""
PUBLIC = {"rows", "age", "head", "clock"}
"""The arrays of a node that others see in its messages."""
LEARNT = {"user", "optimizer", "private rows", "private age", "private head"}
"""The arrays that training changes and nobody else sees."""


def diverged(name: str, array: NDArray[Any]) -> bool:
    """Whether an array of a node holds what is not finite, or weights that no message may have."""
    if array.dtype.kind != "f":
        return False
    if name == "optimizer":  # sums of squares, not weights
        return not np.isfinite(array).all()
    return not max(array.max(initial=0.0), -array.min(initial=0.0)) <= LARGEST_WEIGHT


@contextlib.contextmanager
def unharmed(
    held: Mapping[str, NDArray[Any]], put_back: Callable[[], None], promised: bool, quiet: bool
) -> Iterator[set[str]]:
    """If this block fails, or leaves numbers that diverged, the arrays are put back, and `put_back` runs.

    Where a step promises differential privacy (`promised`), or the node must answer whatever its data are
    (`quiet`), what is private is put back alone, and nobody learns of it. The block may add to the set the
    names of arrays that it found broken itself.
    """
    before = {name: array.copy() for name, array in held.items()}
    broken: set[str] = set()
    try:
        yield broken
        broken |= {name for name, array in held.items() if diverged(name, array)}
        if quiet or (promised and broken.isdisjoint(PUBLIC)):
            # A refusal would tell others what the person has: the answer stays, with its noise.
            for name in broken:
                held[name][...] = before[name]
        elif broken:
            raise MessageError(
                "This node's model would diverge, and stays as it was.",
                "What was received may have numbers that are too large.",
            )
    except BaseException:
        for name, array in before.items():
            held[name][...] = array
        put_back()
        raise


@contextlib.contextmanager
def untouched(held: Mapping[str, NDArray[Any]]) -> Iterator[None]:
    """Whatever this block does to the arrays, they are put back."""
    before = {name: array.copy() for name, array in held.items()}
    try:
        yield
    finally:
        for name, array in before.items():
            held[name][...] = array


def absurd(before: float, after: float, scale: tuple[float, float]) -> bool:
    """Whether a training cannot be right that left these largest scores of one's own items."""
    return not after <= max(before, REACH * max(LEAST, *map(abs, scale)))
