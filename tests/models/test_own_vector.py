"""How much newer items count for a person's own vector, against NumPy."""

from types import SimpleNamespace

import numpy as np
import pytest

from sottovoce.models.own_vector import LAST, MEMORY, RECENCY, recent_vector

K, N, MEAN, OCTAVES = 3, 40, 12.0, np.array([0.5, -0.5])
MODEL = SimpleNamespace(unobserved=0.0, share=0.7, regularization=0.5, people=20, items=N)


def solved(items, vectors, beta):
    """The vector from items of which the last is the newest, with a weight for each."""
    alpha = 0.7 * np.sqrt(MEAN / N) * 2**0.5
    later = np.arange(len(items))[::-1]
    weight, y = 1 + (1 - alpha) * beta * np.exp(-later / MEMORY), vectors[items]
    matrix = alpha * vectors.T @ vectors + (y * (weight - alpha)[:, None]).T @ y
    ridge = 0.5 * (20 / N) ** 0.1 * 2**-0.5
    matrix += ridge * (len(items) + alpha * N) / (MEAN + alpha * N) * np.eye(K)
    return np.linalg.solve(matrix, weight @ y)


def expected(items, vectors):
    """The best β, and the vector with it."""
    gains = np.zeros(len(RECENCY))
    for c, beta in enumerate(RECENCY):
        for n in range(len(items) - min(LAST, len(items) // 2), len(items)):
            scores = vectors @ solved(items[:n], vectors, beta)
            gains[c] += scores[items[n]] / np.sqrt((scores**2).mean())
    best = RECENCY[np.argmax(gains)]
    return best, solved(items, vectors, best)


@pytest.mark.parametrize("count", [3, 9, 30])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_vector_that_would_have_told_the_newest_items_best(count, seed):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(N, K)).astype(np.float32)
    items = rng.permutation(N)[:count]
    found = recent_vector(MODEL, (vectors.T @ vectors).astype(float), vectors[items], MEAN, OCTAVES, K)
    np.testing.assert_allclose(found, expected(items, vectors)[1], rtol=1e-3, atol=1e-5)


def test_a_taste_that_changed_makes_newer_items_count_more():
    rng = np.random.default_rng(2)
    vectors = 0.3 * rng.normal(size=(N, K))
    vectors[: N // 2, 0] += 1
    vectors[N // 2 :, 1] += 1
    before, after = rng.permutation(N // 2)[:14], N // 2 + rng.permutation(N // 2)[:8]
    beta, changed = expected(np.concatenate([before, after]), vectors)
    assert beta == RECENCY[-1]
    gram = vectors.T @ vectors
    rows = vectors[np.concatenate([before, after])]
    np.testing.assert_allclose(recent_vector(MODEL, gram, rows, MEAN, OCTAVES, K), changed, rtol=1e-6)
    plain = solved(np.concatenate([before, after]), vectors, 0.0)
    assert plain[0] > plain[1]
    assert changed[1] > changed[0]
