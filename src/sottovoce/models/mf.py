"""Biased matrix factorization by SGD (Algorithms 5 and 6, Hegedűs et al. 2019).

The rating of item j is predicted as x·Yⱼ + b + cⱼ (Equation 3). An item's row holds its factors and bias,
(Yⱼ, cⱼ), and a person's private vector the person's, (x, b). tⱼ is the row's age. For each of a person's
ratings a, with err = a − x·Yⱼ − b − cⱼ:

    Yⱼ ← (1 − ηλ) Yⱼ + η err x        cⱼ ← cⱼ + η err        tⱼ ← tⱼ + 1
    x  ← (1 − ηλ) x  + η err Yⱼ       b  ← b  + η err

Factors start uniform in [0, √((high − low)/k)) and biases at low / 2.

η is `step`, λ is `regularization`. The paper's η is constant, and its Section 5 mentions that a step might
depend on the age instead. With a `decay` δ it is η / (1 + δ tⱼ), with tⱼ the age before the update: rows that
were updated often, here or on other nodes, move less. That form is ours.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import dot, dot_at, helper, uniform
from sottovoce.models.interface import (
    Context,
    Shape,
    own_items,
    predict,
    resolve,
    score,
    score_all,
    shape,
    start_row,
    start_user,
    touched,
    train,
)
from sottovoce.registry import component
from sottovoce.state import flat, locate, width


@component("model", "mf")
class MF(NamedTuple):
    """Biased matrix factorization of ratings."""

    factors: Annotated[int, Ge(1), Le(512)] = 5
    """k, the rank of the factorization."""
    step: Annotated[float, Gt(0)] = 0.01
    """η, the learning rate."""
    regularization: Annotated[float, Ge(0)] = 0.1
    """λ, on the factors."""
    epochs: Annotated[int, Ge(1)] = 1
    """Passes over one's own ratings in each training."""
    low: float = math.nan
    """The lowest possible rating; by default as the data says."""
    high: float = math.nan
    """The highest possible rating; by default as the data says."""
    lazy: bool = False
    """Predict as the published experiments did (Dymbe 2021, Section 4.4.2): the middle of the scale before a
    person's first training, and the person's bias alone for rows that were never updated. By default
    random rows and vectors are used from the start."""
    decay: Annotated[float, Ge(0)] = math.nan
    """δ, how fast steps shrink with the age of an item's row; by default 0, a constant step."""


@resolve.rule(MF)
def _resolve(model: MF, context: Context) -> Any:
    low = context.low if math.isnan(model.low) else model.low
    high = context.high if math.isnan(model.high) else model.high
    decay = 0.0 if math.isnan(model.decay) else model.decay
    return model._replace(low=low, high=high, decay=decay)


@shape.rule(MF)
def _shape(model: MF) -> Shape:
    return Shape(row=model.factors + 1, head=0, user=model.factors + 1)


@helper
def _start(model, vector, key):
    k = model.factors
    for d in range(k):
        vector[d] = uniform(key, d) * math.sqrt((model.high - model.low) / k)
    vector[k] = model.low / 2


@start_row.rule(MF)
def _start_row(model, row, key):
    _start(model, row, key)


@start_user.rule(MF)
def _start_user(model, user, key):
    _start(model, user, key)


@touched.rule(MF)
def _touched(model, tables, slot, people, person, run):
    own_items(tables, slot, people, person)


@train.rule(MF)
def _train(model, tables, slot, people, person, run):
    k = width(tables) - 1
    step = np.float32(model.step)
    keep = np.float32(1 - model.step * model.regularization)
    x = people.user[person]
    begin, end = people.indptr[person], people.indptr[person + 1]
    for _ in range(model.epochs):
        for n in range(begin, end):
            j = locate(tables, slot, people.item[n])
            row = tables.rows[j]
            if model.decay > 0:
                shorter = model.step / (1 + model.decay * tables.age[j])
                step, keep = np.float32(shorter), np.float32(1 - shorter * model.regularization)
            error = step * (people.value[n] - (x[k] + row[k]) - dot(x, row, k))
            for d in range(k):
                y = row[d]
                row[d] = keep * y + error * x[d]
                x[d] = keep * x[d] + error * y
            row[k] += error
            x[k] += error
            tables.age[j] += 1
    return model.epochs * (end - begin)


@score.rule(MF)
def _score(model, tables, slot, people, person, item):
    k = width(tables) - 1
    x = people.user[person]
    row = tables.rows[locate(tables, slot, item)]
    return x[k] + row[k] + dot(x, row, k)


@predict.rule(MF)
def _predict(model, tables, slot, people, person, item):
    if model.lazy and people.steps[person] == 0:
        return np.float32((model.low + model.high) / 2)
    if model.lazy and tables.age[locate(tables, slot, item)] == 0:
        return people.user[person, width(tables) - 1]
    return score(model, tables, slot, people, person, item)


@score_all.rule(MF)
def _score_all(model, tables, slot, people, person, scores):
    w, k = width(tables), width(tables) - 1
    x = people.user[person].copy()  # its own memory, so that storing a score cannot change it
    rows = flat(tables, slot)
    for j in range(len(scores)):
        scores[j] = x[k] + rows[j * w + k] + dot_at(x, rows, j * w, k)
