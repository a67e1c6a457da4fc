"""Implicit feedback by exact private solves and small shared steps.

Every item a person has not consumed counts as a zero of weight α, every consumed one as a one of
weight 1 (Hu, Koren and Volinsky 2008 in the form of Rendle et al. 2022). A training solves the
person's private vector u exactly against the table Y, as alternating least squares does,

    u = (α YᵀY + (1 − α) Σ_own y yᵀ + λ I)⁻¹ Σ_own y,

and then moves the whole table one step along the person's own residuals,

    yⱼ ← (yⱼ + (η / |u|²) wⱼ (pⱼ − u·yⱼ) u) / (1 + μ η / |u|²),

with wⱼ = 1, pⱼ = 1 for own items and wⱼ = α, pⱼ = 0 for all others. A step of η = 1 would remove a
consumed item's residual entirely. η falls geometrically from `step` to `last_step` over the `calls`
trainings a person is expected to do. Without μ the table grows and vectors shrink without bound,
because λ holds one side only. Only own items grow older.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import helper, inlined, normal
from sottovoce.models import Shape, resolve, score, score_all, shape, start_row, start_user, train
from sottovoce.registry import component
from sottovoce.state import dot, dot_at, flat, locate, width


@component("model", "ials")
class IALS(NamedTuple):
    """Implicit matrix factorization with an exactly solved private vector."""

    factors: Annotated[int, Ge(1), Le(512)] = 16
    """k, the length of the vectors."""
    unobserved: Annotated[float, Gt(0), Le(1)] = 0.1
    """α, the weight of what a person has not consumed."""
    regularization: Annotated[float, Gt(0)] = 2.0
    """λ, of the person's vector."""
    item_regularization: Annotated[float, Ge(0)] = 0.02
    """μ, of the table; it keeps vectors and table from drifting apart in scale."""
    step: Annotated[float, Ge(0), Le(2)] = 0.0
    """η at the beginning; 0 means 1.5 where everybody has a table, which merging averages, else 0.1."""
    last_step: Annotated[float, Ge(0), Le(2)] = 0.0
    """η at the end; 0 means a fifth of the first where everybody has a table, else a tenth."""
    spread: Annotated[float, Gt(0)] = 0.1
    """Standard deviation of the table's first values, times √k."""
    calls: Annotated[int, Ge(0)] = 0
    """Trainings per person over which η falls; 0 means those of the whole run."""


@resolve.rule(IALS)
def _resolve(model, context):
    alone = context.sharing <= 1
    step = model.step or (1.5 if alone else 0.1)
    last = model.last_step or step / (5 if alone else 10)
    return model._replace(step=step, last_step=last, calls=model.calls or context.calls)


@shape.rule(IALS)
def _shape(model):
    return Shape(row=model.factors, head=0, user=model.factors)


@start_row.rule(IALS)
def _start_row(model, row, key):
    for d in range(model.factors):
        row[d] = model.spread / math.sqrt(model.factors) * normal(key, d)


@start_user.rule(IALS)
def _start_user(model, user, key):
    user[:] = 0


@inlined
def _add_outer(matrix, row, factor, k):
    for a in range(k):
        y = factor * row[a]
        for b in range(k):
            matrix[a, b] += y * row[b]


@helper
def _solve(matrix, vector, k):
    """Solve `matrix` x = `vector` in place by Cholesky's factorization."""
    for a in range(k):
        for b in range(a):
            total = matrix[a, b]
            for c in range(b):
                total -= matrix[a, c] * matrix[b, c]
            matrix[a, b] = total / matrix[b, b]
        total = matrix[a, a]
        for c in range(a):
            total -= matrix[a, c] * matrix[a, c]
        matrix[a, a] = math.sqrt(total)
    for a in range(k):
        for c in range(a):
            vector[a] -= matrix[a, c] * vector[c]
        vector[a] /= matrix[a, a]
    for a in range(k - 1, -1, -1):
        for c in range(a + 1, k):
            vector[a] -= matrix[c, a] * vector[c]
        vector[a] /= matrix[a, a]


@train.rule(IALS)
def _train(model, tables, slot, people, person, run):
    k = width(tables)
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    low, high = tables.offset[slot], tables.offset[slot + 1]
    rows = tables.rows[low:high]
    alpha = np.float32(model.unobserved)

    matrix = np.zeros((k, k), np.float32)
    for j in range(len(rows)):
        _add_outer(matrix, rows[j], alpha, k)
    u = np.zeros(k, np.float32)
    rest = np.float32(1 - alpha)
    for n in range(len(own)):
        _add_outer(matrix, rows[own[n]], rest, k)
        for d in range(k):
            u[d] += rows[own[n], d]
    for d in range(k):
        matrix[d, d] += np.float32(model.regularization)
    _solve(matrix, u, k)
    for d in range(k):
        people.user[person, d] = u[d]

    norm = dot(u, u, k)
    if norm < np.float32(1e-20):
        return 0
    progress = min(people.steps[person] / max(model.calls, 1), 1.0)
    step = np.float32(model.step * (model.last_step / model.step) ** progress) / norm
    consumed = np.zeros(len(rows), np.float32)
    for n in range(len(own)):
        consumed[own[n]] = 1
        tables.age[low + own[n]] += 1
    keep = np.float32(1) / (np.float32(1) + step * np.float32(model.item_regularization))
    for j in range(len(rows)):
        error = step * (alpha + rest * consumed[j]) * (consumed[j] - dot(u, rows[j], k))
        for d in range(k):
            rows[j, d] = keep * (rows[j, d] + error * u[d])
    return len(own)


@score.rule(IALS)
def _score(model, tables, slot, people, person, item):
    return dot(people.user[person], tables.rows[locate(tables, slot, item)], width(tables))


@score_all.rule(IALS)
def _score_all(model, tables, slot, people, person, scores):
    w = width(tables)
    u = people.user[person].copy()  # its own memory, so that storing a score cannot change it
    rows = flat(tables, slot)
    for j in range(len(scores)):
        scores[j] = dot_at(u, rows, j * w, w)
