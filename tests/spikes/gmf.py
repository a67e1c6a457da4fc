"""A spike of GMF (He et al. 2017): a head, sampled negatives, Adam. It tries the layout of state.

ŷ = σ(h · (u ∘ q) + h₀). An item's row is q, the head (h, h₀), a person's vector u. A training makes
`epochs` Adam steps on binary cross entropy over the own items and `negatives` sampled ones for each,
redrawn for every step. Adam's moments live only during the call.
"""

import math
from typing import NamedTuple

import numpy as np

from sottovoce.kernels import TRAIN, below, helper, normal, stream
from sottovoce.models import Shape, resolve, score, shape, start_head, start_row, start_user, touched, train
from sottovoce.registry import component
from sottovoce.state import dot, hold, locate, width


@component("model", "spike-gmf")
class GMF(NamedTuple):
    """Generalised matrix factorization."""

    factors: int = 8
    step: float = 0.01
    epochs: int = 2
    negatives: int = 4
    items: int = 0


@resolve.rule(GMF)
def _resolve(model, context):
    return model._replace(items=context.items)


@shape.rule(GMF)
def _shape(model):
    return Shape(row=model.factors, head=model.factors + 1, user=model.factors)


@start_row.rule(GMF)
def _start_row(model, row, key):
    for d in range(model.factors):
        row[d] = 0.3 * normal(key, d)


@start_head.rule(GMF)
def _start_head(model, head, key):
    head[:] = 1
    head[model.factors] = 0


@start_user.rule(GMF)
def _start_user(model, user, key):
    for d in range(model.factors):
        user[d] = 0.3 * normal(key, d)


@helper
def _batch(model, people, person, run, epoch, items, labels):
    """The own items and as many negatives for each, drawn anew for every step; how many there are."""
    begin, end = people.indptr[person], people.indptr[person + 1]
    own = np.unique(people.item[begin:end])
    key = stream(run, TRAIN, people.key[person], people.steps[person] * model.epochs + epoch)
    count, index = 0, 0
    for item in own:
        items[count], labels[count] = item, 1
        count += 1
        if len(own) < model.items:
            for _ in range(model.negatives):
                while True:
                    drawn = below(key, index, model.items)
                    index += 1
                    at = np.searchsorted(own, drawn)
                    if at == len(own) or own[at] != drawn:
                        break
                items[count], labels[count] = drawn, 0
                count += 1
    return count


@touched.rule(GMF)
def _touched(model, tables, slot, people, person, run):
    items = np.empty(model.items, np.int32)
    count = _every(model, people, person, run, items)
    hold(tables, slot, items[:count])


@helper
def _every(model, people, person, run, items):
    """All items of the next training, ascending; how many there are."""
    size = (people.indptr[person + 1] - people.indptr[person]) * (1 + model.negatives)
    drawn, labels = np.empty(size * model.epochs, np.int32), np.empty(size, np.float32)
    count = 0
    for epoch in range(model.epochs):
        count += _batch(model, people, person, run, epoch, drawn[count:], labels)
    every = np.unique(drawn[:count])
    items[: len(every)] = every
    return len(every)


@helper
def _adam(values, gradient, first, second, step, time):
    for d in range(len(values)):
        first[d] = np.float32(0.9) * first[d] + np.float32(0.1) * gradient[d]
        second[d] = np.float32(0.999) * second[d] + np.float32(0.001) * gradient[d] * gradient[d]
        mean = first[d] / np.float32(1 - 0.9**time)
        spread = math.sqrt(second[d] / np.float32(1 - 0.999**time))
        values[d] -= np.float32(step) * mean / (np.float32(spread) + np.float32(1e-8))


@train.rule(GMF)
def _train(model, tables, slot, people, person, run):
    k = width(tables)
    own = people.indptr[person + 1] - people.indptr[person]
    if own == 0:
        return 0
    items, labels = (
        np.empty(own * (1 + model.negatives), np.int32),
        np.empty(own * (1 + model.negatives), np.float32),
    )
    every = np.empty(model.items, np.int32)
    rows = _every(model, people, person, run, every)
    u, head = people.user[person], tables.head[slot]
    gradient, first, second = np.zeros((3, rows, k), np.float32)
    u_moments, head_moments = np.zeros((3, k), np.float32), np.zeros((3, k + 1), np.float32)
    instances = 0
    for epoch in range(model.epochs):
        count = _batch(model, people, person, run, epoch, items, labels)
        instances += count
        gradient[:] = 0
        u_moments[0] = 0
        head_moments[0] = 0
        for n in range(count):
            at = np.searchsorted(every[:rows], items[n])
            q = tables.rows[locate(tables, slot, items[n])]
            z = head[k] + dot(u * head[:k], q, k)
            error = (np.float32(1) / (np.float32(1) + np.float32(math.exp(-z))) - labels[n]) / np.float32(
                count
            )
            head_moments[0, k] += error
            for d in range(k):
                gradient[at, d] += error * u[d] * head[d]
                u_moments[0, d] += error * q[d] * head[d]
                head_moments[0, d] += error * u[d] * q[d]
        for at in range(rows):
            j = locate(tables, slot, every[at])
            _adam(tables.rows[j], gradient[at], first[at], second[at], model.step, epoch + 1)
        _adam(u, u_moments[0], u_moments[1], u_moments[2], model.step, epoch + 1)
        _adam(head, head_moments[0], head_moments[1], head_moments[2], model.step, epoch + 1)
    for at in range(rows):
        tables.age[locate(tables, slot, every[at])] += 1
    return instances


@score.rule(GMF)
def _score(model, tables, slot, people, person, item):
    k = width(tables)
    head = tables.head[slot]
    return dot(people.user[person] * head[:k], tables.rows[locate(tables, slot, item)], k)
