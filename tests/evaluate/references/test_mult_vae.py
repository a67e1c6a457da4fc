"""Mult-VAE: slopes against differences of the loss, loss and Adam in plain words, people without items."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from sottovoce.evaluate.references.mult_vae import MultVAE, adam, loss_and_slopes, scores, start
from tests.networks import ratings

HIDDEN, LATENT, ITEMS = 4, 2, 5


def case(seed=1):
    random = np.random.default_rng(seed)
    weights = [w.astype(np.float64) + 0.1 for w in start(ITEMS, HIDDEN, LATENT, random)]
    wanted = csr_matrix(np.array([[1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [0, 0, 0, 1, 0]], np.float64))
    given = csr_matrix(wanted.toarray() * random.random((3, ITEMS)))
    return weights, given, wanted, random.standard_normal((3, LATENT))


def loss_by_definition(weights, given, wanted, noise, beta):
    w1, b1, w2, b2, w3, b3, w4, b4 = weights
    total = 0.0
    for x, t, e in zip(given.toarray(), wanted.toarray(), noise, strict=True):
        both = np.tanh(x @ w1 + b1) @ w2 + b2
        mean, variance = both[:LATENT], np.exp(both[LATENT:])
        s = np.tanh((mean + np.sqrt(variance) * e) @ w3 + b3) @ w4 + b4
        total -= t @ np.log(np.exp(s) / np.exp(s).sum())
        total += beta * 0.5 * np.sum(mean**2 + variance - 1 - np.log(variance))
    return total / len(noise)


@pytest.mark.parametrize("beta", [0.0, 0.3])
def test_loss_and_slopes(beta):
    weights, *rest = case()
    loss, slopes = loss_and_slopes(weights, *rest, beta)
    assert loss == pytest.approx(loss_by_definition(weights, *rest, beta))
    for w, slope in zip(weights, slopes, strict=True):
        for place in np.ndindex(w.shape):
            kept, found = w[place], []
            for value in (kept + 1e-6, kept - 1e-6):
                w[place] = value
                found.append(loss_by_definition(weights, *rest, beta))
            w[place] = kept
            assert slope[place] == pytest.approx((found[0] - found[1]) / 2e-6, abs=1e-7)


def test_adam():
    random = np.random.default_rng(2)
    w, m, v = np.ones(4), np.zeros(4), np.zeros(4)
    weights, first, second = [w.copy()], [m.copy()], [v.copy()]
    for t in range(1, 6):
        g = random.standard_normal(4)
        adam(weights, first, second, [g.copy()], 0.01, t)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        np.testing.assert_allclose(weights[0], w, rtol=1e-5)


def test_scores_are_those_of_the_mean_code():
    weights, given, _wanted, _noise = case()
    w1, b1, w2, b2, w3, b3, w4, b4 = weights
    code = (np.tanh(given.toarray() @ w1 + b1) @ w2 + b2)[:, :LATENT]
    np.testing.assert_allclose(scores(weights, given), np.tanh(code @ w3 + b3) @ w4 + b4)


def test_the_same_seed_gives_the_same_scores_and_nobody_is_left_out():
    data = ratings([[1, 1, 0, 0, 1], [0, 0, 0, 0, 0], [0, 1, 0, 1, 0]])
    model = MultVAE(hidden=4, latent=2, epochs=3, batch=2)
    one, two, other = (model.fit(data, seed) for seed in (1, 1, 2))
    found = one(0, 3)
    assert found.shape == (3, 5)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, two(0, 3))
    np.testing.assert_allclose(found[1:], one(1, 3), rtol=1e-5)
    assert not np.array_equal(found, other(0, 3))
    assert model.memory_needed(3, 5) > 0
