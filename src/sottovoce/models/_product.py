"""Generalized matrix factorization by itself: the network of `_tower` without a tower.

    z = (h ∘ qᵤ) · qⱼ + h₀

That is one product with a vector that a person's items share. What a batch of one person's instances has
found about an item is then a single number sⱼ, the sum of (ŷ − y) / |B| over them:

    ∂L/∂qⱼ = sⱼ h ∘ qᵤ     ∂L/∂qᵤ = h ∘ Σⱼ sⱼ qⱼ     ∂L/∂h = qᵤ ∘ Σⱼ sⱼ qⱼ     ∂L/∂h₀ = Σⱼ sⱼ
"""

import numpy as np

from sottovoce.kernels import helper
from sottovoce.models import score, score_all, score_some
from sottovoce.models._batches import add_gradients, likely, workspace
from sottovoce.models._neural import Network
from sottovoce.state import dot_at, flat, locate, width


class Product(Network):
    """A `Network` without a tower."""

    __slots__ = ()


@workspace.rule(Product)
def _workspace(model, instances):
    return np.zeros((1, 1, 1), np.float32)


@helper
def _shared(vector, head, product):
    """h ∘ qᵤ"""
    shared = np.empty_like(vector)
    for d in range(product):
        shared[d] = head[d] * vector[d]
    return shared


@helper
def _alone(product, item, label, rows, to_rows, vector, to_vector, head, to_head):
    """The gradients of a batch of one person."""
    kind, shared = rows.dtype.type, _shared(vector, head, product)
    share = kind(1 / len(item))
    found, total = np.zeros(len(rows), rows.dtype), np.zeros_like(vector)
    given = rows.reshape(rows.size)
    for n in range(len(item)):
        z = dot_at(shared, given, item[n] * rows.shape[1], product) + head[product]
        error = (likely(z) - label[n]) * share
        found[item[n]] += error
        to_head[product] += error
    for n in range(len(item)):
        j = item[n]
        s = found[j]
        found[j] = 0  # an item that comes up again is already accounted for
        if s != 0:
            for d in range(product):
                to_rows[j, d] += s * shared[d]
            for d in range(product):
                total[d] += s * rows[j, d]
    for d in range(product):
        to_vector[d] += head[d] * total[d]
        to_head[d] += vector[d] * total[d]


@helper
def _mixed(product, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head):
    """The gradients of a batch of several people."""
    kind = rows.dtype.type
    share = kind(1 / len(item))
    for n in range(len(item)):
        j, i = item[n], who[n]
        z = head[product]
        for d in range(product):
            z += head[d] * vectors[i, d] * rows[j, d]
        error = (likely(z) - label[n]) * share
        for d in range(product):
            q, u = rows[j, d], vectors[i, d]
            to_rows[j, d] += error * head[d] * u
            to_vectors[i, d] += error * head[d] * q
            to_head[d] += error * u * q
        to_head[product] += error


@add_gradients.rule(Product)
def _add_gradients(model, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head, work):
    if len(vectors) == 1:
        own = vectors[0], to_vectors[0], head, to_head
        _alone(model.product, item, label, rows, to_rows, *own)
    else:
        _mixed(model.product, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head)


@score_some.rule(Product)
def _score_some(model, tables, slot, people, person, items, scores):
    product, head, w = model.product, tables.head[slot], width(tables)
    shared, bias = _shared(people.user[person], head, product), head[product]
    rows = tables.rows.reshape(tables.rows.size)
    for n in range(len(items)):
        scores[n] = dot_at(shared, rows, locate(tables, slot, items[n]) * w, product) + bias


@score_all.rule(Product)
def _score_all(model, tables, slot, people, person, scores):
    product, head, w = model.product, tables.head[slot], width(tables)
    shared, bias = _shared(people.user[person], head, product), head[product]
    rows = flat(tables, slot)
    for j in range(len(scores)):
        scores[j] = dot_at(shared, rows, j * w, product) + bias


@score.rule(Product)
def _score(model, tables, slot, people, person, item):
    scores = np.empty(1, np.float32)
    score_some(model, tables, slot, people, person, np.full(1, item, np.int32), scores)
    return scores[0]
