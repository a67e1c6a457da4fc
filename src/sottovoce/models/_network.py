"""The network that `gmf`, `mlp` and `neumf` share, as kernels see it: its shape, start, gradients and scores.

The three models are one network (see `_tower`) with a part left out or not. An item's row is [qⱼ | pⱼ], a
person's private vector is [qᵤ | pᵤ], and the head holds the weights of all layers. `gmf` says how they start.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sottovoce.kernels import helper, uniform
from sottovoce.models._batches import add_gradients, gather, gradients, places, workspace
from sottovoce.models._tower import forward, lanes, numbers, weights
from sottovoce.models.interface import (
    Shape,
    score,
    score_all,
    score_some,
    shape,
    start_head,
    start_row,
    start_user,
)
from sottovoce.state import locate


class Network(NamedTuple):
    """`gmf`, `mlp` or `neumf` as kernels see it."""

    product: int  # how many numbers of a vector are multiplied
    sizes: Any  # int64, of x₀ and the tower's layers
    items: int  # the size of the catalogue
    bound: float  # vectors start uniform in ± this
    step: float  # the learning rate
    adam: bool
    epochs: int
    batch: int  # instances per step; 0: all of a person's
    negatives: int
    columns: bool  # whether moments are columns behind the numbers, as in central training
    kept: bool  # whether each person keeps moments, in `People.optimizer`


@helper
def vector_length(model):
    """w, how many numbers a row or a vector has, not counting moments."""
    return model.product + model.sizes[0] // 2


@helper
def head_length(model):
    """h, how many numbers the head has, not counting moments."""
    return weights(model.product, model.sizes)


@shape.rule(Network)
def _shape(model: Network) -> Shape:
    row, head = int(vector_length(model)), int(head_length(model))
    return Shape(3 * row, 3 * head + 1, 3 * row + 1) if model.columns else Shape(row, head, row)


@helper
def _start(model, vector, key):
    vector[:] = 0
    for d in range(vector_length(model)):
        vector[d] = model.bound * (2 * uniform(key, d) - 1)


@start_row.rule(Network)
def _start_row(model, row, key):
    _start(model, row, key)


@start_user.rule(Network)
def _start_user(model, user, key):
    _start(model, user, key)


@start_head.rule(Network)
def _start_head(model, head, key):
    head[:] = 0
    sizes = model.sizes
    w = 0
    for n in range(1, len(sizes) + 1):
        last = n == len(sizes)
        inputs = sizes[n - 1] + (model.product if last else 0)
        outputs = 1 if last else sizes[n]
        bound = math.sqrt(6 / (inputs + outputs))
        for k in range(inputs * outputs):
            head[w + k] = bound * (2 * uniform(key, w + k) - 1)
        w += (inputs + 1) * outputs


@workspace.rule(Network)
def _workspace(model, instances):
    """The network's numbers and the derivatives by them: [2, numbers, lanes]."""
    pairs = min(model.batch, instances) if model.batch > 0 else instances
    return np.zeros((2, numbers(model.product, model.sizes), lanes(pairs)), np.float32)


@add_gradients.rule(Network)
def _add_gradients(model, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head, work):
    given = rows, to_rows, vectors, to_vectors, head, to_head, work[0], work[1]
    gradients(model.product, model.sizes, item, who, label, *given)


@helper
def _score_from(model, tables, slot, people, person, items, begin, x, scores):
    """Write the scores of the items from `begin` on, one for each lane of `x` [numbers, lanes].

    If `items` is empty, they are the items with these numbers.
    """
    product, sizes, z = model.product, model.sizes, len(x) - 1
    count, at = min(x.shape[1], len(scores) - begin), places(product, sizes, False)
    for lane in range(count):
        item = items[begin + lane] if len(items) else begin + lane
        gather(product, sizes, x, lane, at, tables.rows, locate(tables, slot, item))
    forward(product, sizes, people.user[person], tables.head[slot], x)
    for lane in range(count):
        scores[begin + lane] = x[z, lane]


@helper
def _score(model, tables, slot, people, person, items, scores):
    x = np.zeros((numbers(model.product, model.sizes), lanes(len(scores))), np.float32)
    for begin in range(0, len(scores), lanes(len(scores))):
        _score_from(model, tables, slot, people, person, items, begin, x, scores)


@score_some.rule(Network)
def _score_some(model, tables, slot, people, person, items, scores):
    if len(items):
        _score(model, tables, slot, people, person, items, scores)


@score_all.rule(Network)
def _score_all(model, tables, slot, people, person, scores):
    _score(model, tables, slot, people, person, np.empty(0, np.int32), scores)


@score.rule(Network)
def _score_one(model, tables, slot, people, person, item):
    scores = np.empty(1, np.float32)
    _score(model, tables, slot, people, person, np.full(1, item, np.int32), scores)
    return scores[0]
