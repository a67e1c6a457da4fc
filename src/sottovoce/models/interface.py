"""What a node learns. One file per model; this module declares the operations of a model.

A model is a `NamedTuple` of its parameters, registered with `@component("model", name)`, that
implements the operations below. A model that needs to know where a person is, `people.here`, says so with
`needs="place"`: only then is it filled in. Kernels see one slot and one person at a time, so the same code
trains a thousand simulated nodes in parallel and the one node of a real peer.
"""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.kernels import constant, inlined, operation
from sottovoce.state import hold

SCATTERED = 3
"""The cost of one score by itself, against its cost in a pass over the whole table: about four for a model as
light as `mf`, nearer one for a model whose score takes long."""


class Shape(NamedTuple):
    """How many floats a model keeps: per item row, in the head, per person."""

    row: int
    head: int
    user: int


class Context(NamedTuple):
    """What is known before training begins, for parameters that a recipe leaves open."""

    items: int  # the size of the catalogue
    low: float  # the lowest rating possible
    high: float  # the highest
    calls: int  # how many trainings of each person the run expects
    sharing: float  # how many people train one table
    central: bool = False  # whether one place holds all data and `together` trains on it
    people: int = 0  # how many there are
    times: bool = False  # whether interactions have times, so that their order means something
    interactions: int = 0  # X⁺, how many there are; 0: nobody knows


@constant
def uses_place(model):
    """Whether a model's score depends on where the person is: a compile-time constant."""
    return int(getattr(model, "needs", "") == "place")


@operation(default=lambda model, context: model)
def resolve(model: Any, context: Context) -> Any:
    """The model with its open parameters filled in from the `Context`. Python only."""


@operation
def shape(model: Any) -> Shape:
    """The `Shape` of this model's state. Python only."""


@operation(default=lambda model, items: 0)
def optimizer_size(model: Any, items: int) -> int:
    """How many floats of optimizer state each person keeps between trainings. Python only.

    They are the person's row of `People.optimizer`, all zero at first: private, never sent, never merged.
    `items` is the size of the catalogue. By default none.
    """


@operation
def start_row(model, row, key):
    """Fill an item's row [w] before any training, with random numbers of the stream `key`."""


@operation(default=lambda model, head, key: None)
def start_head(model, head, key):
    """Fill the head [h] before any training. By default it stays zero."""


@operation
def start_user(model, user, key):
    """Fill a person's vector [p] before any training."""


@operation
def train(model, tables, slot, people, person, run):
    """Train `person` on model `slot` with all of the person's data, once as the model defines it.

    It changes rows, head and the person's vector, adds to the age of the rows it updates, and returns the
    number of training instances. Random numbers are keyed by `run`, the seed, `people.key[person]` and
    `people.steps[person]`, the number of earlier calls.
    """


def _each_in_turn(model, tables, slot, people, run):
    instances = 0
    for n in range(people.first[slot], people.first[slot + 1]):
        instances += train(model, tables, slot, people, people.member[n], run)
    return instances


@operation(default=_each_in_turn)
def together(model, tables, slot, people, run):
    """Train model `slot` once on the data of all its people, as central training does; see `train`.

    By default each person trains in turn.
    """


def _every_row(model, tables, slot, people, person, run):
    hold(tables, slot, np.arange(tables.where.shape[1]))


@operation(default=_every_row)
def touched(model, tables, slot, people, person, run):
    """`hold` in indexed tables the rows that the next `train` with these arguments reads or changes.

    By default every row.
    """


@operation
def score(model, tables, slot, people, person, item):
    """How much `person` is expected to like `item`; only the order of scores matters."""


def _one_by_one(model, tables, slot, people, person, scores):
    # Compute four scores before storing any. For all the compiler knows, a store may change what a score
    # reads, so it would load the person's vector again for each.
    last = len(scores) - len(scores) % 4
    for j in range(0, last, 4):
        a = score(model, tables, slot, people, person, j)
        b = score(model, tables, slot, people, person, j + 1)
        c = score(model, tables, slot, people, person, j + 2)
        d = score(model, tables, slot, people, person, j + 3)
        scores[j], scores[j + 1], scores[j + 2], scores[j + 3] = a, b, c, d
    for j in range(last, len(scores)):
        scores[j] = score(model, tables, slot, people, person, j)


def _one_after_the_other(model, tables, slot, people, person, items, scores):
    for n in range(len(items)):
        scores[n] = score(model, tables, slot, people, person, items[n])


@operation(default=_one_after_the_other)
def score_some(model, tables, slot, people, person, items, scores):
    """Write the score of `items[n]` into `scores[n]`.

    A model may have a faster way than one by one; it must give the same numbers.
    """


@operation(default=_one_by_one)
def score_all(model, tables, slot, people, person, scores):
    """Write the score of item j into `scores[j]` [items], for a whole table.

    A model may have a faster way than one by one; it must give the same numbers.
    """


@operation(
    default=lambda model, tables, slot, people, person, item: score(model, tables, slot, people, person, item)
)
def predict(model, tables, slot, people, person, item):
    """The rating that `person` is expected to give to `item`."""


@inlined
def own_items(tables, slot, people, person):
    """`touched` for a model that learns from the person's items only."""
    hold(tables, slot, people.item[people.indptr[person] : people.indptr[person + 1]])
