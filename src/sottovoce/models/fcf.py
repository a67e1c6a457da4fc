"""Federated collaborative filtering (FCF, Ammad-ud-din et al. 2019): people solve vectors, send gradients.

The model is that of implicit feedback (Hu, Koren and Volinsky 2008): an item j that a person has consumed
with strength r counts as p = 1 with the confidence c = 1 + α r, every other item as p = 0 with the
confidence 1. A training solves the person's private vector x exactly against the items' vectors Y,

    x = (Yᵀ C Y + λ I)⁻¹ Yᵀ C p,

and then changes the items' vectors by the person's part of a step of gradient descent. The server adds all
parts (`aggregate = "sum"`), which makes the step of FCF when everybody takes part:

    yⱼ ← yⱼ − γ (−2 Σ_u c (p − xᵤ·yⱼ) xᵤ + 2 λ yⱼ).

γ is `step`, λ is `regularization`. A person takes 1/N of the last term, with N the number of people, so that
sums that hide single parts have it too. Under `central`, one training is one such step with the data of all
people; there it can use Adam (Kingma and Ba 2014), as Ammad-ud-din et al. did, whose moments are kept beside
the model. They are the server's: a federation would have to keep them out of its messages, so it has plain
steps here.

`fcf-consumed` is FCF as the authors of FPL coded it as a baseline (Section 4.2, Anelli et al. 2020): the
confidence is 1 for consumed items and 0 for others, so that a person solves x from the consumed items and
sends their rows only, which tells the server what they are. Its step is plain, with λ = 1.

A person scores with the x of the last training, which was solved against the model before. α, λ and γ were
chosen on the weighting set of MovieLens 100K (`local-holdout`, seed 1). Where a server averages what people
send, γ must be larger, as many times as there are participants.
"""

import math
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.errors import RecipeError
from sottovoce.kernels import dot, dot_at, helper, normal
from sottovoce.kernels.symmetric import solve
from sottovoce.models.interface import (
    Context,
    Shape,
    own_items,
    resolve,
    score,
    score_all,
    shape,
    start_row,
    start_user,
    together,
    touched,
    train,
)
from sottovoce.registry import component
from sottovoce.state import flat, hold, locate, width

SPREAD = 0.1
"""The standard deviation of the vectors' first values, that of the authors of FPL."""
FIRST, SECOND, TINY = 0.9, 0.999, 1e-8
"""β₁, β₂ and ε of Adam."""


@component("model", "fcf")
class FCF(NamedTuple):
    """Federated collaborative filtering: gradients of all items."""

    factors: Annotated[int, Ge(1), Le(256)] = 10
    """k, the length of the vectors."""
    confidence: Annotated[float, Ge(0)] = 1.0
    """α, what a unit of r adds to the confidence in a consumed item."""
    regularization: Annotated[float, Gt(0)] = 1.0
    """λ."""
    step: Annotated[float, Gt(0)] = 0.005
    """γ, the learning rate, for sums over people."""
    optimizer: Literal["sgd", "adam"] = "sgd"
    """A plain step, or under `central` Adam."""


@component("model", "fcf-consumed")
class FCFConsumed(NamedTuple):
    """FCF as the authors of FPL coded it: gradients of consumed items."""

    factors: Annotated[int, Ge(1), Le(256)] = 10
    """F, the length of the vectors."""
    regularization: Annotated[float, Gt(0)] = 1.0
    """λ; their serial variant has 0.1."""
    step: Annotated[float, Gt(0)] = 0.005
    """γ, the learning rate."""


class Solved(NamedTuple):
    """Both of them, with what a run knows."""

    factors: int
    confidence: float
    unobserved: float  # the confidence in items that a person has not consumed
    regularization: float
    step: float
    adam: bool
    people: int


@resolve.rule(FCF)
def _resolve(model: FCF, context: Context) -> Any:
    adam = model.optimizer == "adam"
    if adam and not context.central:
        raise RecipeError(
            'model.optimizer = "adam" needs moments that are no part of the model, and only the protocol '
            "'central' keeps them.",
            "Set model.optimizer = \"sgd\", or choose the protocol 'central'.",
        )
    strength = model.confidence, 1.0
    return Solved(model.factors, *strength, model.regularization, model.step, adam, context.people)


@resolve.rule(FCFConsumed)
def _resolve_consumed(model: FCFConsumed, context: Context) -> Any:
    return Solved(model.factors, 0.0, 0.0, model.regularization, model.step, False, context.people)


@shape.rule(FCF)
def _shape(model: FCF) -> Shape:
    moments = 2 * model.factors if model.optimizer == "adam" else 0
    return Shape(row=model.factors + moments, head=0, user=model.factors)


@shape.rule(FCFConsumed)
def _shape_consumed(model: FCFConsumed) -> Shape:
    return Shape(row=model.factors, head=0, user=model.factors)


@shape.rule(Solved)
def _shape_solved(model: Solved) -> Shape:
    return Shape(row=model.factors * (3 if model.adam else 1), head=0, user=model.factors)


@start_row.rule(Solved)
def _start_row(model, row, key):
    row[:] = 0
    for d in range(model.factors):
        row[d] = SPREAD * normal(key, d)


@start_user.rule(Solved)
def _start_user(model, user, key):
    user[:] = 0


@touched.rule(Solved)
def _touched(model, tables, slot, people, person, run):
    if model.unobserved > 0:
        hold(tables, slot, np.arange(tables.where.shape[1]))
    else:
        own_items(tables, slot, people, person)


@helper
def _consumed(tables, slot, people, person):
    """The person's distinct rows in `tables`, in the order of items, and r of each; repetitions add up."""
    begin, end = people.indptr[person], people.indptr[person + 1]
    item, value = people.item[begin:end], people.value[begin:end]
    own, strength, count, last = np.empty(len(item), np.int64), np.empty(len(item)), 0, -1
    for n in np.argsort(item, kind="mergesort"):
        if item[n] != last:
            own[count], strength[count], last = locate(tables, slot, item[n]), 0.0, item[n]
            count += 1
        strength[count - 1] += max(value[n], np.float32(0))
    return own[:count], strength[:count]


@helper
def _add_outer(matrix, row, factor, k):
    """matrix += factor · row rowᵀ, of which only the lower triangle is needed."""
    for a in range(k):
        y = factor * row[a]
        for b in range(a + 1):
            matrix[a, b] += y * row[b]


@helper
def _products(model, tables, slot):
    """The confidence in items that a person has not consumed times YᵀY, as a lower triangle."""
    k = model.factors
    matrix = np.zeros((k, k))
    if model.unobserved > 0:
        for j in range(tables.offset[slot], tables.offset[slot + 1]):
            _add_outer(matrix, tables.rows[j], model.unobserved, k)
    return matrix


@helper
def _vector(model, tables, products, own, strength):
    """x [k], solved exactly, given `_products` and the rows `own` that the person has consumed."""
    k = model.factors
    matrix, x = products.copy(), np.zeros(k)
    for n in range(len(own)):
        row, c = tables.rows[own[n]], 1 + model.confidence * strength[n]
        _add_outer(matrix, row, c - model.unobserved, k)
        for d in range(k):
            x[d] += c * row[d]
    for d in range(k):
        matrix[d, d] += model.regularization
    solve(matrix, x, k)
    return x


@train.rule(Solved)
def _train(model, tables, slot, people, person, run):
    k, user = model.factors, people.user[person]
    own, strength = _consumed(tables, slot, people, person)
    x = _vector(model, tables, _products(model, tables, slot), own, strength)
    for d in range(k):
        user[d] = x[d]
    low, high = tables.offset[slot], tables.offset[slot + 1]
    every = model.unobserved > 0
    keep = np.float32(1 - 2 * model.step * model.regularization / max(model.people, 1))
    at = 0
    for m in range(high - low if every else len(own)):
        j = low + m if every else own[m]
        consumed = at < len(own) and own[at] == j
        c = 1 + model.confidence * strength[at] if consumed else model.unobserved
        at += consumed
        row = tables.rows[j]
        error = np.float32(2 * model.step * c * (np.float32(consumed) - dot(user, row, k)))
        for d in range(k):
            row[d] = keep * row[d] + error * user[d]
        tables.age[j] += 1
    return len(own)


@helper
def _gradient(model, tables, slot, people):
    """The gradient [n, k] by the data of all people of the slot, without λ, and how many items they have."""
    k, low = model.factors, tables.offset[slot]
    gradient, outer = np.zeros((tables.offset[slot + 1] - low, k)), np.zeros((k, k))
    products, count = _products(model, tables, slot), 0
    for n in range(people.first[slot], people.first[slot + 1]):
        person = people.member[n]
        own, strength = _consumed(tables, slot, people, person)
        x, count = _vector(model, tables, products, own, strength), count + len(own)
        for d in range(k):
            people.user[person, d] = x[d]
        # As if nobody had consumed anything: Σ x xᵀ y for all items at once, below.
        for a in range(k):
            for b in range(k):
                outer[a, b] += model.unobserved * x[a] * x[b]
        for m in range(len(own)):
            c, taste = 1 + model.confidence * strength[m], dot(x, tables.rows[own[m]], k)
            part = -2 * (c * (1 - taste) + model.unobserved * taste)
            for d in range(k):
                gradient[own[m] - low, d] += part * x[d]
    for j in range(len(gradient)):
        for d in range(k):
            gradient[j, d] += 2 * dot(outer[d], tables.rows[low + j], k)
    return gradient, count


@together.rule(Solved)
def _together(model, tables, slot, people, run):
    k, low = model.factors, tables.offset[slot]
    gradient, count = _gradient(model, tables, slot, people)
    for j in range(len(gradient)):
        row = tables.rows[low + j]
        tables.age[low + j] += 1
        steps = float(tables.age[low + j])
        for d in range(k):
            slope = gradient[j, d] + 2 * model.regularization * row[d]
            if model.adam:
                first = FIRST * row[k + d] + (1 - FIRST) * slope
                second = SECOND * row[2 * k + d] + (1 - SECOND) * slope * slope
                row[k + d], row[2 * k + d] = first, second
                root = math.sqrt(second / (1 - SECOND**steps)) + TINY
                slope = first / (1 - FIRST**steps) / root
            row[d] -= model.step * slope
    return count


@score.rule(Solved)
def _score(model, tables, slot, people, person, item):
    rows = tables.rows.reshape(tables.rows.size)
    return dot_at(people.user[person], rows, locate(tables, slot, item) * width(tables), model.factors)


@score_all.rule(Solved)
def _score_all(model, tables, slot, people, person, scores):
    x = people.user[person].copy()  # its own memory, so that storing a score cannot change it
    rows, w = flat(tables, slot), width(tables)
    for j in range(len(scores)):
        scores[j] = dot_at(x, rows, j * w, model.factors)
