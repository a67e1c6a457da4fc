"""GMF by itself: one product for all items of a person, and the general network's gradients."""

import numpy as np
import pytest

from sottovoce.models._batches import add_gradients, padded
from sottovoce.models._product import Product
from sottovoce.models.interface import Context, resolve, score, score_all, score_some
from tests.models.ncf import built, groups, slopes
from tests.networks import simulate

pytestmark = pytest.mark.usefixtures("uncompiled")


def test_gmf_is_a_product_and_others_are_not():
    kinds = {
        name: isinstance(resolve(built(name), Context(7, 1, 5, 1, 1)), Product) for name in ("gmf", "mlp")
    }
    assert kinds == {"gmf": True, "mlp": False}


@pytest.mark.parametrize("people", [1, 3])
def test_gradients_are_derivatives_of_the_loss(people):
    """Those of one person come from sums by item; an item that comes up several times counts as often."""
    rng = np.random.default_rng(5)
    model = resolve(built("gmf"), Context(7, 1, 5, 1, 1))
    item = np.array([0, 3, 3, 6, 0, 3], np.int32)
    who, label = rng.integers(0, people, 6).astype(np.int32), (rng.random(6) < 0.5).astype(np.float64)
    rows, vectors, head = rng.normal(size=(7, 6)), rng.normal(size=(people, 6)), rng.normal(size=7)
    wide = [np.zeros((len(group), padded(6))) for group in (rows, vectors)]
    wide[0][:, :6], wide[1][:, :6] = rows, vectors
    to = [np.zeros_like(wide[0]), np.zeros_like(wide[1]), np.zeros(7)]
    add_gradients(model, item, who, label, wide[0], to[0], wide[1], to[1], head, to[2], np.zeros((1, 1, 1)))
    expected = slopes(6, (0,), [rows, vectors, head], item, who, label)
    np.testing.assert_allclose(to[0][:, :6], expected[0], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(to[1][:, :6], expected[1], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(to[2], expected[2], rtol=1e-5, atol=1e-8)
    assert not to[0][[1, 2, 4, 5]].any()


def test_scores_of_some_and_of_all_items():
    s = simulate(built("gmf"), groups()[0])
    rng = np.random.default_rng(2)
    for numbers in (s.tables.rows, s.people.user, s.tables.head):
        numbers[:] = rng.normal(size=numbers.shape)
    rows, head, vector = s.tables.rows[5 * 24 : 6 * 24], s.tables.head[5], s.people.user[2]
    expected = rows @ (head[:6] * vector) + head[6]
    every, some = np.empty(24, np.float32), np.empty(3, np.float32)
    score_all(s.model, s.tables, 5, s.people, 2, every)
    np.testing.assert_allclose(every, expected, rtol=1e-5, atol=1e-6)
    score_some(s.model, s.tables, 5, s.people, 2, np.array([23, 0, 7], np.int32), some)
    np.testing.assert_allclose(some, expected[[23, 0, 7]], rtol=1e-5, atol=1e-6)
    assert score(s.model, s.tables, 5, s.people, 2, 7) == pytest.approx(expected[7], rel=1e-5)
