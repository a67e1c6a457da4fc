"""Generalized matrix factorization by itself: the network of `_tower` without a tower.

    z = (h ∘ qᵤ) · qⱼ + h₀

That is one product with a vector that all items of a person share. The gradient of a batch of one person's
instances then needs a single number for each item, sⱼ, the sum of (ŷ − y) / |B| over its instances:

    ∂L/∂qⱼ = sⱼ h ∘ qᵤ     ∂L/∂qᵤ = h ∘ Σⱼ sⱼ qⱼ     ∂L/∂h = qᵤ ∘ Σⱼ sⱼ qⱼ     ∂L/∂h₀ = Σⱼ sⱼ
"""

import numpy as np

from sottovoce.kernels import helper
from sottovoce.kernels.blocks import add_products, dots
from sottovoce.models._batches import add_gradients, sigmoid, workspace
from sottovoce.models._network import Network
from sottovoce.models.interface import score, score_all, score_some
from sottovoce.state import locate


class Product(Network):
    """A `Network` without a tower."""

    __slots__ = ()


@workspace.rule(Product)
def _workspace(model, instances):
    return np.zeros((1, 1, 1), np.float32)


@helper
def _shared(vector, head, product):
    """h ∘ qᵤ"""
    shared = np.empty(product, vector.dtype)
    for d in range(product):
        shared[d] = head[d] * vector[d]
    return shared


@helper
def _alone(product, item, label, rows, to_rows, vector, to_vector, head, to_head):
    """Add the gradients of a batch of one person. Rows [n, padded w] are 0 behind their w numbers."""
    kind, shared = rows.dtype.type, np.zeros((1, rows.shape[1]), rows.dtype)
    shared[0, :product] = _shared(vector, head, product)
    z = np.empty(len(item), rows.dtype)
    dots(z, shared[0], rows, item)
    found, share, bias, sum_ = np.zeros(len(rows), rows.dtype), kind(1 / len(item)), head[product], kind(0)
    for n in range(len(item)):
        error = (sigmoid(z[n] + bias) - kind(label[n])) * share
        found[item[n]] += error
        sum_ += error
    to_head[product] += sum_
    add_products(to_rows, 0, shared, 0, found, 0, 1, len(rows), 0, 1)
    total = np.zeros((1, rows.shape[1]), rows.dtype)
    add_products(total, 0, rows, 0, found, 0, len(rows), 1, 1, 0)
    for d in range(product):
        to_vector[d] += head[d] * total[0, d]
        to_head[d] += vector[d] * total[0, d]


@helper
def _mixed(product, item, who, label, rows, to_rows, vectors, to_vectors, head, to_head):
    """Add the gradients of a batch of several people, instance by instance."""
    kind = rows.dtype.type
    share = kind(1 / len(item))
    for n in range(len(item)):
        j, i = item[n], who[n]
        z = head[product]
        for d in range(product):
            z += head[d] * vectors[i, d] * rows[j, d]
        error = (sigmoid(z) - label[n]) * share
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


@helper
def _score_rows(product, head, vector, rows, places, scores):
    dots(scores, _shared(vector, head, product), rows, places)
    for n in range(len(scores)):
        scores[n] += head[product]


@score_some.rule(Product)
def _score_some(model, tables, slot, people, person, items, scores):
    places = np.empty(len(items), np.int64)
    for n in range(len(items)):
        places[n] = locate(tables, slot, items[n])
    _score_rows(model.product, tables.head[slot], people.user[person], tables.rows, places, scores)


@score_all.rule(Product)
def _score_all(model, tables, slot, people, person, scores):
    rows = tables.rows[tables.offset[slot] : tables.offset[slot + 1]]
    _score_rows(model.product, tables.head[slot], people.user[person], rows, None, scores)


@score.rule(Product)
def _score(model, tables, slot, people, person, item):
    scores = np.empty(1, np.float32)
    score_some(model, tables, slot, people, person, np.full(1, item, np.int32), scores)
    return scores[0]
