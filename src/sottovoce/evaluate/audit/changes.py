"""What an observer saw of people's trainings: a line for every row that changed in a message."""

from typing import NamedTuple

import numpy as np

from sottovoce.state import Doubles, Floats, Longs


class Changes(NamedTuple):
    """R rows that changed, in the messages of P targets.

    A target is a person as one observer sees them. Two observers who do not share what they know have a
    target each for the same person.
    """

    target: Longs
    """[R]: whose row changed, from 0 to P − 1."""
    time: Longs
    """[R]: in which observed round, from 0."""
    message: Longs
    """[R]: which message the row is from."""
    item: Longs
    """[R]"""
    change: Floats
    """[R, w]: by how much the row changed."""
    growth: Longs
    """[R]: by how much the row's age grew; 1 in an update, which has no ages."""


def first_rounds(changes: Changes, rounds: int) -> Changes:
    """The changes of the first `rounds` observed rounds."""
    early = changes.time < rounds
    return Changes._make(column[early] for column in changes)


def summed(changes: Changes, values: Doubles, targets: int, items: int) -> Doubles:
    """[P, items]: the sum of `values` [R] over all changes of each target's rows."""
    place = changes.target * items + changes.item
    total: Doubles = np.bincount(place, values, targets * items).astype(np.float64)
    return total.reshape(targets, items)


def times_seen(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: how often each row of each target changed."""
    return summed(changes, np.ones(len(changes.item)), targets, items)


def lengths(changes: Changes) -> Doubles:
    """[R]: how far each row moved."""
    return np.asarray(np.sqrt((changes.change.astype(np.float64) ** 2).sum(axis=1)))


def always(changes: Changes, targets: int) -> Doubles:
    """[P]: how many messages of each target changed something. A message belongs to one target."""
    if not len(changes.message):
        return np.zeros(targets)
    whose = np.full(int(changes.message.max()) + 1, -1)
    whose[changes.message] = changes.target
    return np.bincount(whose[whose >= 0], minlength=targets).astype(np.float64)


def shared_direction(group: Longs, rows: Doubles, groups: int) -> Doubles:
    """[groups, k]: the first singular vector of the `rows` [R, k] of each `group` [R]."""
    width = rows.shape[1]
    squares = np.zeros((groups, width, width))
    if len(rows):
        order = np.argsort(group, kind="stable")
        ordered = rows[order]
        there, first = np.unique(group[order], return_index=True)
        for a in range(width):
            found = np.add.reduceat(ordered[:, [a]] * ordered[:, a:], first, axis=0)
            squares[there, a, a:] = found
            squares[there, a:, a] = found
    return np.asarray(np.linalg.eigh(squares)[1][:, :, -1])
