"""The private vector of `als`: its least squares, and how much more the newest items count in it.

People who have no weighting set score with a vector in which the item that r later ones follow has the weight

    1 + (1 − α) β e^(−r / 5)

in place of 1. Each person chooses β. The vector solved from all items before one of the last ten, y, would
have given it the score u·y. Among the scores of all n items this is

    z = u·y / √(uᵀ YᵀY u / n)

times their root mean square. The β with the largest sum of z is taken. This needs YᵀY and the person's own
items. Nothing of it leaves a device, and what people contribute to sums is of vectors with β = 0.
"""

import math

import numpy as np

from sottovoce.kernels import dot, helper, inlined
from sottovoce.kernels.symmetric import solve

RECENCY = np.array([0.0, 1.0, 4.0, 16.0, 64.0])
"""What β is chosen from."""
MEMORY = 5.0
"""After so many items, the additional weight of an item has fallen to 1/e."""
LAST = 10
"""How many of the newest items β is chosen by; of a short history half of it."""


@inlined
def unobserved_weight(model, mean, octaves):
    """α, where people have `mean` items on average, times 2 to the power of `octaves`."""
    density = mean / model.items
    return min(
        1.0, model.unobserved if model.unobserved > 0 else model.share * math.sqrt(density) * 2**octaves
    )


@inlined
def ridge(model, octaves):
    """λ, times 2 to the power of `octaves`."""
    return model.regularization * (max(model.people, 1) / model.items) ** 0.1 * 2**octaves


@helper
def own_vector(model, gram, products, total, count, mean, octaves, k):
    """u [k], float64, of a person with `count` items; `products` and `total` are their `moments`.

    People have `mean` items on average; 0: that is not known yet, and the person's own number serves.
    `octaves` are those of α and λ.
    """
    typical = mean if mean > 0 else max(float(count), 1.0)
    alpha, u, matrix = unobserved_weight(model, typical, octaves[0]), total.copy(), np.empty((k, k))
    strength = ridge(model, octaves[1]) * (count + alpha * model.items) / (typical + alpha * model.items)
    for a in range(k):
        for b in range(a + 1):
            matrix[a, b] = alpha * gram[a, b] + (1 - alpha) * products[a, b]
        matrix[a, a] += strength
    solve(matrix, u, k)
    return u


@helper
def _add(y, products, total, keep, k):
    """Add an item to moments, of which the share `keep` stays."""
    for a in range(k):
        total[a] = keep * total[a] + y[a]
        for b in range(a + 1):
            products[a, b] = keep * products[a, b] + y[a] * y[b]


@helper
def _length(gram, u, n, k):
    """The root mean square of the scores of n items."""
    square = 0.0
    for a in range(k):
        square += u[a] * dot(gram[a], u, k)
    return math.sqrt(max(square, 1e-30) / n)


@helper
def recent_vector(model, gram, rows, mean, octaves, k):
    """u [k], float64, of a person whose items have the vectors `rows` [m, k], the newest last."""
    count, alpha, keep = len(rows), unobserved_weight(model, mean, octaves[0]), math.exp(-1 / MEMORY)
    products, total, newer, newest = np.zeros((k, k)), np.zeros(k), np.zeros((k, k)), np.zeros(k)
    gains, vectors, y = np.zeros(len(RECENCY)), np.zeros((len(RECENCY), k)), np.empty(k)
    for n in range(count + 1):
        if n >= count - min(LAST, count // 2):
            for c in range(len(RECENCY)):
                both, beta = products + RECENCY[c] * newer, (1 - alpha) * RECENCY[c]
                vectors[c] = own_vector(model, gram, both, total + beta * newest, n, mean, octaves, k)
        if n == count:
            break
        for d in range(k):
            y[d] = rows[n, d]
        if n >= count - min(LAST, count // 2):
            for c in range(len(RECENCY)):
                gains[c] += dot(vectors[c], y, k) / _length(gram, vectors[c], model.items, k)
        _add(y, products, total, 1.0, k)
        _add(y, newer, newest, keep, k)
    best = 0
    for c in range(len(RECENCY)):
        if gains[c] > gains[best]:
            best = c
    return vectors[best]
