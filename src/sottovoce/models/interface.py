"""What a node learns. One file per model; what a model consists of is declared here.

A model is a `NamedTuple` of its parameters, registered with `@component("model", name)`, that
implements the operations below. One that looks at where a person is, `people.here`, says so with
`needs="place"`: only then is that known. Kernels see one slot and one person at a time, so the same code
trains a thousand simulated nodes in parallel and the one node of a real peer.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.kernels import constant, inlined, operation
from sottovoce.state import hold

SCATTERED = 3
"""A score on its own costs about this many times what it costs in a pass over the table: four on a model
as light as `mf`, nearer one where the score itself is work."""


class Shape(NamedTuple):
    """What a model keeps: floats per item row, in the head, per person."""

    row: int
    head: int
    user: int


class Context(NamedTuple):
    """What is known before training begins, for parameters that a recipe leaves open."""

    items: int  # the size of the catalogue
    low: float  # the lowest rating possible
    high: float  # the highest
    calls: int  # how often a person is expected to train during the run
    sharing: float  # how many people train one table
    central: bool = False  # whether one place holds everybody's data, and `together` trains on it


@constant
def uses_place(model):
    """Whether a model's score depends on where the person is, known at compile time."""
    return int(getattr(model, "needs", "") == "place")


@operation(default=lambda model, context: model)
def resolve(model, context):
    """The model with parameters that were left open filled in from the `Context`."""


@operation
def shape(model):
    """The `Shape` of this model's state."""


@operation
def start_row(model, row, key):
    """Fill an item's row before any training, with random numbers of the stream `key`."""


@operation(default=lambda model, head, key: None)
def start_head(model, head, key):
    """Fill the head before any training."""


@operation
def start_user(model, user, key):
    """Fill a person's vector before any training."""


@operation
def train(model, tables, slot, people, person, run):
    """Train `person` on model `slot` with all of the person's data, once as the model defines it.

    Changes rows, head and the person's vector, and adds to the age of the rows it updates. The
    number of training instances is returned. `people.steps[person]` counts earlier calls; with
    `run`, the seed, and `people.key[person]` it keys the random numbers.
    """


def _each_in_turn(model, tables, slot, people, run):
    instances = 0
    for n in range(people.first[slot], people.first[slot + 1]):
        instances += train(model, tables, slot, people, people.member[n], run)
    return instances


@operation(default=_each_in_turn)
def together(model, tables, slot, people, run):
    """Train all people of model `slot` once, as a place that holds all their data would; see `train`.

    By default each person in turn.
    """


def _every_row(model, tables, slot, people, person, run):
    hold(tables, slot, np.arange(tables.where.shape[1]))


@operation(default=_every_row)
def touched(model, tables, slot, people, person, run):
    """`hold` the rows of indexed tables that the next `train` with these arguments reads or changes.

    By default every row.
    """


@operation
def score(model, tables, slot, people, person, item):
    """How much `person` is expected to like `item`; only the order matters."""


def _one_by_one(model, tables, slot, people, person, scores):
    # Four before the first is stored: a store may change what a score reads, as far as the compiler
    # knows, so the person's vector would be loaded again for each.
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
    """Write the score of `items[n]` into `scores[n]`; as `score_all`, it may be faster than one by one."""


@operation(default=_one_by_one)
def score_all(model, tables, slot, people, person, scores):
    """Write the score of item j into `scores[j]`, for all items of a whole table.

    A model may have a faster way than one by one; it must give the same numbers.
    """


@operation(
    default=lambda model, tables, slot, people, person, item: score(model, tables, slot, people, person, item)
)
def predict(model, tables, slot, people, person, item):
    """The rating that `person` is expected to give to `item`."""


@inlined
def own_items(tables, slot, people, person):
    """What `touched` does for a model that learns from a person's own items alone."""
    hold(tables, slot, people.item[people.indptr[person] : people.indptr[person + 1]])
