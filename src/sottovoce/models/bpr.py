"""Pair-wise ranking by SGD: BPR-MF, and its federated form FPL (Anelli et al. 2020; Rendle et al. 2009).

How much person u is expected to like item i is (Equation 3)

    x̂ᵤᵢ = bᵢ + pᵤ·qᵢ.

An item's row holds its factors and bias, (qᵢ, bᵢ); the private vector is pᵤ. What is maximised is
Σ ln σ(x̂ᵤᵢⱼ) − λ|Θ|² over triples of an item i that the person has and an item j that the person has not, with
x̂ᵤᵢⱼ = x̂ᵤᵢ − x̂ᵤⱼ (Equations 4 and 5). A triple moves its parameters by a step of SGD (Equations 6 and 7): with
g = 1 / (1 + e^x̂ᵤᵢⱼ),

    pᵤ ← pᵤ + α (g (qᵢ − qⱼ) − λᵤ pᵤ)
    qᵢ ← qᵢ + α (g pᵤ − λᵢ qᵢ)        bᵢ ← bᵢ + α g
    qⱼ ← qⱼ − α (g pᵤ + λⱼ qⱼ)        bⱼ ← bⱼ − α g.

Biases are not regularised. A training draws T triples: i among the person's items, with replacement, and j
among all others. The rows stay as they were received meanwhile, only pᵤ moves; then the rows move by the
sum of the changes. With one triple this is plain SGD. A server that adds what clients send (`aggregate =
"sum"`) carries out Equation 8.

Central training goes through as many triples as there are interactions, each at once, drawn uniformly from
all people's: the central BPR-MF.

Vectors and biases start from N(0, 0.1²). The start, the unregularised biases and the draws are those of the
authors' public code.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import (
    NEGATIVES,
    TRAIN,
    below,
    dot,
    dot_at,
    helper,
    inlined,
    normal,
    stream,
    to_float32,
)
from sottovoce.models.instances import instances, room, train_by_instances
from sottovoce.models.interface import (
    Context,
    Shape,
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

LIMIT = 80.0
"""e to this power is still finite in 64 and in 32 bits."""


@component("model", "bpr", learns="instances")
class BPR(NamedTuple):
    """Matrix factorization that ranks what a person has above the rest, pair by pair."""

    factors: Annotated[int, Ge(1), Le(512)] = 20
    """F, the length of the vectors."""
    step: Annotated[float, Gt(0)] = 0.05
    """α, the learning rate."""
    triples: Annotated[float, Ge(0)] = 0.0
    """T, how many triples a training draws, rounded down; 0: X⁺ / |U|, the mean number of interactions of a
    person, or where nobody knows that, as many as the person has interactions. Central training draws X⁺."""
    user_regularization: Annotated[float, Ge(0)] = math.nan
    """λᵤ, on the person's vector; by default `step` / 20."""
    positive_regularization: Annotated[float, Ge(0)] = math.nan
    """λᵢ, on the factors of an item that the person has; by default `step` / 20."""
    negative_regularization: Annotated[float, Ge(0)] = math.nan
    """λⱼ, on the factors of an item that the person has not; by default `step` / 200."""
    items: Annotated[int, Ge(0)] = 0
    """The size of the catalogue; known from the data."""


@resolve.rule(BPR)
def _resolve(model: BPR, context: Context) -> Any:
    def given(value: float, share: float) -> float:
        return model.step / share if math.isnan(value) else value

    known = context.interactions and context.people
    return model._replace(
        triples=context.interactions / context.people if known and not model.triples else model.triples,
        user_regularization=given(model.user_regularization, 20),
        positive_regularization=given(model.positive_regularization, 20),
        negative_regularization=given(model.negative_regularization, 200),
        items=context.items,
    )


@shape.rule(BPR)
def _shape(model: BPR) -> Shape:
    return Shape(row=model.factors + 1, head=0, user=model.factors)


@start_row.rule(BPR)
def _start_row(model, row, key):
    for d in range(model.factors + 1):
        row[d] = 0.1 * normal(key, d)


@start_user.rule(BPR)
def _start_user(model, user, key):
    for d in range(model.factors):
        user[d] = 0.1 * normal(key, d)


@room.rule(BPR)
def _room(model, items):
    return 2 * max(items, int(model.triples))


@helper
def _has(own, item):
    found = False
    for n in range(len(own)):  # to the end, so that it vectorises
        found |= own[n] == item
    return found


@helper
def _is_all(own, items):
    """Whether nothing is left to prefer these items to."""
    if len(own) < items:
        return False
    met = np.zeros(items, np.bool_)
    for item in own:
        met[item] = True
    return met.all()


@helper
def _count(model, own):
    """How many triples a person with these items draws."""
    if len(own) == 0 or _is_all(own, model.items):
        return 0
    return int(model.triples) if model.triples > 0 else min(len(own), model.items)


@inlined
def _own(people, person):
    return people.item[people.indptr[person] : people.indptr[person + 1]]


@helper
def _another(own, key, index, items):
    """A random item that is not among `own`, and the number of the next draw."""
    j = below(key, index, items)
    while _has(own, j):
        index += 1
        j = below(key, index, items)
    return j, index + 1


@instances.rule(BPR)
def _instances(model, tables, slot, changes, place, people, person, run):
    k, own, u = width(tables) - 1, _own(people, person), people.user[person]
    who, when = people.key[person], people.steps[person]
    key, others, index = stream(run, TRAIN, who, when), stream(run, NEGATIVES, who, when), 0
    step, shrink = np.float32(model.step), np.float32(model.step * model.user_regularization)
    good = np.float32(model.step * model.positive_regularization)
    bad = np.float32(model.step * model.negative_regularization)
    rows, moved, ids = tables.rows, changes.rows, changes.ids
    gap, at, count = np.empty(k, np.float32), changes.offset[place], _count(model, own)
    for n in range(count):
        i = own[below(key, n, len(own))]
        j, index = _another(own, others, index, model.items)
        a, b = locate(tables, slot, i), locate(tables, slot, j)
        for d in range(k):
            gap[d] = to_float32(rows[a, d]) - to_float32(rows[b, d])
        z = np.float64(to_float32(rows[a, k]) - to_float32(rows[b, k]) + dot(u, gap, k))
        pull = step / np.float32(1 + math.exp(min(z, LIMIT)))
        ids[at], ids[at + 1] = i, j
        for d in range(k):
            mine = u[d]
            moved[at, d] = pull * mine - good * to_float32(rows[a, d])
            moved[at + 1, d] = -pull * mine - bad * to_float32(rows[b, d])
            u[d] = mine + pull * gap[d] - shrink * mine
        moved[at, k], moved[at + 1, k] = pull, -pull
        at += 2
    changes.offset[place + 1] = at
    return count


@touched.rule(BPR)
def _touched(model, tables, slot, people, person, run):
    own, who, when, index = _own(people, person), people.key[person], people.steps[person], 0
    key, others, pair = (
        stream(run, TRAIN, who, when),
        stream(run, NEGATIVES, who, when),
        np.empty(2, np.int32),
    )
    for n in range(_count(model, own)):
        pair[0] = own[below(key, n, len(own))]
        pair[1], index = _another(own, others, index, model.items)
        hold(tables, slot, pair)


@train.rule(BPR)
def _train(model, tables, slot, people, person, run):
    return train_by_instances(model, tables, slot, people, person, run)


@helper
def _learn(model, tables, a, b, u):
    """One triple: the rows at `a` and `b` move at once, and the vector `u` with them."""
    k, rows = width(tables) - 1, tables.rows
    good, bad = rows[a], rows[b]
    z = np.float64(good[k] - bad[k] + (dot(u, good, k) - dot(u, bad, k)))
    step = np.float32(model.step)
    pull = step / np.float32(1 + math.exp(min(z, LIMIT)))
    shrink = np.float32(model.step * model.user_regularization)
    fewer = np.float32(model.step * model.positive_regularization)
    less = np.float32(model.step * model.negative_regularization)
    for d in range(k):
        mine, q, r = u[d], good[d], bad[d]
        u[d] = mine + pull * (q - r) - shrink * mine
        good[d] = q + pull * mine - fewer * q
        bad[d] = r - pull * mine - less * r
    good[k] += pull
    bad[k] -= pull
    tables.age[a] += 1
    tables.age[b] += 1


@together.rule(BPR)
def _together(model, tables, slot, people, run):
    first, last = people.first[slot], people.first[slot + 1]
    ends, total = np.empty(last - first, np.int64), 0
    for n in range(first, last):
        own = _own(people, people.member[n])
        total += 0 if _is_all(own, model.items) else len(own)
        ends[n - first] = total
    when = people.steps[people.member[first]] if last > first else 0
    key, others, index = stream(run, TRAIN, -1 - slot, when), stream(run, NEGATIVES, -1 - slot, when), 0
    for n in range(total):
        drawn = below(key, n, total)
        at = np.searchsorted(ends, drawn, side="right")
        person = people.member[first + at]
        own = _own(people, person)
        i = own[drawn - (ends[at] - len(own))]
        j, index = _another(own, others, index, model.items)
        _learn(model, tables, locate(tables, slot, i), locate(tables, slot, j), people.user[person])
    return total


@score.rule(BPR)
def _score(model, tables, slot, people, person, item):
    k = width(tables) - 1
    row = tables.rows[locate(tables, slot, item)]
    return row[k] + dot(people.user[person], row, k)


@score_all.rule(BPR)
def _score_all(model, tables, slot, people, person, scores):
    w, k = width(tables), width(tables) - 1
    u = people.user[person].copy()  # its own memory, so that storing a score cannot change it
    rows = flat(tables, slot)
    for j in range(len(scores)):
        scores[j] = rows[j * w + k] + dot_at(u, rows, j * w, k)
