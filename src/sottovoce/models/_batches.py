"""One pass of neural collaborative filtering over instances: for each batch gradients and an optimizer step.

Numbers come in groups [4, n, length]: values, their gradients and two moments. There is one group for rows,
one for vectors and one for the head (n = 1). An instance is a row's place in its group, a vector's place in
its group, and a label. The network itself is in `_tower`.
"""

import math

import numpy as np

from sottovoce.kernels import helper, operation
from sottovoce.kernels.blocks import WIDE
from sottovoce.models._tower import backward, beginning, forward

DECAY, SLOW_DECAY, TINY = 0.9, 0.999, 1e-8  # β₁, β₂ and ε of Adam


@helper
def places(product, sizes, person):
    """Where the two parts of an item's row, or of a person's vector, begin in a lane."""
    begin = beginning(product, sizes)
    return (0, begin) if person else (product, begin + sizes[0] // 2)


@helper
def gather(product, sizes, x, lane, places, rows, row):
    """Copy `rows[row]` to its two `places` in a lane of `x` [numbers, lanes]."""
    for d in range(product):
        x[places[0] + d, lane] = rows[row, d]
    for d in range(sizes[0] // 2):
        x[places[1] + d, lane] = rows[row, product + d]


@helper
def _scatter(product, sizes, error, lane, places, rows, row):
    """Add the derivatives at these `places` of a lane of `error` to the gradients `rows[row]`."""
    for d in range(product):
        rows[row, d] += error[places[0] + d, lane]
    for d in range(sizes[0] // 2):
        rows[row, product + d] += error[places[1] + d, lane]


@helper
def sigmoid(z):
    """σ(z)"""
    one = np.float32(1)  # its sum with a number of either precision has that precision
    e = math.exp(-abs(z))
    return (one if z >= 0 else e) / (one + e)


@helper
def gradients(product, sizes, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head, x, error):
    """Add the gradients of a batch to `to_rows` [n, length], `to_vectors` [m, length] and `to_head` [h].

    `item` and `who` are places in `rows` and `vectors`; `x` and `error` are room, [numbers, lanes] each.
    """
    z, mixed = len(x) - 1, len(vectors) > 1
    share = rows.dtype.type(1 / len(item))
    person = vectors[0, : 0 if mixed else vectors.shape[1]]
    items, people = places(product, sizes, False), places(product, sizes, True)
    for begin in range(0, len(item), x.shape[1]):
        count = min(x.shape[1], len(item) - begin)
        for lane in range(count):
            gather(product, sizes, x, lane, items, rows, item[begin + lane])
            if mixed:
                gather(product, sizes, x, lane, people, vectors, who[begin + lane])
        forward(product, sizes, person, head, x)
        for lane in range(x.shape[1]):
            error[z, lane] = 0  # so that unused lanes add nothing
        for lane in range(count):
            error[z, lane] = (sigmoid(x[z, lane]) - label[begin + lane]) * share
        backward(product, sizes, person, to_vectors[0], head, x, error, to_head)
        for lane in range(count):
            _scatter(product, sizes, error, lane, items, to_rows, item[begin + lane])
            if mixed:
                _scatter(product, sizes, error, lane, people, to_vectors, who[begin + lane])


@helper
def adam(value, gradient, first, second, step, time):
    """Step number `time` of Adam, from 1, with the learning rate `step`; it sets the gradient to zero.

    `first` and `second` are the moments m and v of Kingma and Ba (2014), their α is `step`.
    """
    kind = value.dtype.type
    one, tiny = kind(1), kind(TINY)
    keep, slow = kind(DECAY), kind(SLOW_DECAY)
    stride, scale = kind(step / (1 - DECAY**time)), kind(1 / math.sqrt(1 - SLOW_DECAY**time))
    for d in range(len(value)):
        g = gradient[d]
        m = keep * first[d] + (one - keep) * g
        v = slow * second[d] + (one - slow) * g * g
        value[d] -= stride * m / (np.sqrt(v) * scale + tiny)
        first[d] = m
        second[d] = v
        gradient[d] = 0


@helper
def sgd(value, gradient, step):
    """One step of SGD with the learning rate `step`; it sets the gradient to zero."""
    stride = value.dtype.type(step)
    for d in range(len(value)):
        value[d] -= stride * gradient[d]
        gradient[d] = 0


@helper
def _move(model, group, count, time):
    """One step of the optimizer on the first `count` rows of a group."""
    size = count * group.shape[2]
    value, gradient = group[0].reshape(group[0].size)[:size], group[1].reshape(group[1].size)[:size]
    first, second = group[2].reshape(group[2].size)[:size], group[3].reshape(group[3].size)[:size]
    if model.adam:
        adam(value, gradient, first, second, model.step, time)
    else:
        sgd(value, gradient, model.step)


@helper
def padded(length):
    """The length rounded up to full SIMD vectors, which rows have while they are trained."""
    return (length + WIDE - 1) // WIDE * WIDE


@operation
def workspace(model, instances):
    """Room for `add_gradients` in an epoch of `instances` instances."""


@operation
def add_gradients(model, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head, work):
    """Add the gradients of a batch; see `gradients`. `work` is what `workspace` made."""


@helper
def one_pass(model, item, who, label, rows, vectors, head, time, own_time, active, work):
    """One pass over instances, batch by batch; return the number of steps, and how many rows have moments.

    `time` and `own_time` are the steps so far of rows and head, and of vectors. The first `active` rows
    have moments. The others are numbered in the order in which they first come up.
    """
    size = model.batch if model.batch > 0 else len(item)
    steps = 0
    for begin in range(0, len(item), size):
        end = min(begin + size, len(item))
        batch = item[begin:end], who[begin:end], label[begin:end]
        numbers_of = rows[0], rows[1], vectors[0], vectors[1], head[0, 0], head[1, 0]
        add_gradients(model, *batch, *numbers_of, work)
        for n in range(begin, end):
            active = max(active, item[n] + 1)
        steps += 1
        _move(model, rows, active, time + steps)
        _move(model, vectors, vectors.shape[1], own_time + steps)
        _move(model, head, 1, time + steps)
    return steps, active
