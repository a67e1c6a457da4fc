"""A pass over instances: the optimizers, and which numbers move in which batch."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.models._batches import adam, gather, one_pass, padded, places, sgd, sigmoid, workspace
from sottovoce.models._tower import weights
from sottovoce.models.interface import Context, resolve
from tests.models import ncf
from tests.models.ncf import SETTINGS, built


@given(st.floats(-80, 80))
def test_sigmoid_is_the_logistic_function(z):
    assert sigmoid(np.float32(z)) == pytest.approx(1 / (1 + math.exp(-np.float32(z))), rel=1e-6)


@pytest.mark.parametrize("z", [-1e30, 1e30])
def test_sigmoid_does_not_overflow(z):
    assert sigmoid(np.float32(z)) == float(z > 0)


def test_sgd_steps_against_the_gradient_and_forgets_it():
    value, gradient = np.array([1.0, -2.0]), np.array([0.5, 4.0])
    sgd(value, gradient, 0.1)
    np.testing.assert_allclose(value, [0.95, -2.4])
    assert not gradient.any()


def test_adam_is_algorithm_1_of_kingma_and_ba():
    rng = np.random.default_rng(1)
    value, plain = (rng.normal(size=6) for _ in range(2))
    plain[:] = value
    first, second, moments = np.zeros(6), np.zeros(6), ncf.nothing([plain])
    for time in range(1, 6):
        gradient = rng.normal(size=6) * 10.0 ** rng.integers(-3, 3, 6)
        ncf.adam([plain], [gradient], moments, 0.01, time)
        adam(value, gradient, first, second, 0.01, time)
        assert not gradient.any()
        np.testing.assert_allclose(value, plain, rtol=1e-9)


def test_rows_have_full_vectors():
    assert [padded(n) - n for n in (0, padded(1), padded(1) + 1)] == [0, 0, padded(1) - 1]
    assert padded(1) == padded(padded(1)) > 1


def test_parts_of_rows_and_vectors_have_places_of_their_own():
    """[qᵤ | qⱼ | pᵤ | pⱼ]: a vector goes to the first and third place, a row to the others."""
    product, sizes = 2, (6, 4)
    rows, vectors = np.array([[1.0, 2, 3, 4, 5], [6, 7, 8, 9, 10]]), np.array([[11.0, 12, 13, 14, 15]])
    x = np.zeros((4 + 6 + 2 + 4 + 1, 2))
    gather(product, sizes, x, 1, places(product, sizes, False), rows, 1)
    gather(product, sizes, x, 1, places(product, sizes, True), vectors, 0)
    assert x[:10, 1].tolist() == [11, 12, 6, 7, 13, 14, 15, 8, 9, 10]
    assert not x[:, 0].any()


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_pass_is_a_step_for_every_batch(name, optimizer):
    """By gradients from differences. Rows are numbered as they first come up, and only those move."""
    rng = np.random.default_rng(4)
    model = resolve(built(name, batch=4, step=0.05, optimizer=optimizer), Context(9, 0, 1, 1, 1))
    product, sizes = model.product, model.sizes
    item = np.array([0, 1, 0, 2, 3, 1, 4, 3, 0, 4], np.int32)
    who, label = np.zeros(10, np.int32), (rng.random(10) < 0.5).astype(np.float32)
    width = padded(6)
    rows, vectors = np.zeros((4, 9, width)), np.zeros((4, 1, width))
    rows[0, :, :6], vectors[0, :, :6] = rng.normal(size=(9, 6)), rng.normal(size=(1, 6))
    count = weights(product, sizes)
    head = np.zeros((4, 1, padded(count)))
    head[0, 0, :count] = rng.normal(size=count)
    slow = [rows[0, :, :6].copy(), vectors[0, :, :6].copy(), head[0, 0, :count].copy()]
    work = workspace(model, 10).astype(np.float64)
    steps, active = one_pass(model, item, who, label, rows, vectors, head, 0, 0, 0, work)
    assert (steps, active) == (3, 5)
    ncf.train_slowly(product, sizes, slow, [(item, who, label)], 0.05, 4, optimizer)
    # Adam divides by the length of a gradient, and with it what single precision leaves of small ones.
    tolerance = {"rtol": 1e-4, "atol": 5e-4 if optimizer == "adam" else 1e-6}
    np.testing.assert_allclose(vectors[0, :, :6], slow[1], **tolerance)
    np.testing.assert_allclose(head[0, 0, :count], slow[2], **tolerance)
    np.testing.assert_allclose(rows[0, :, :6], slow[0], **tolerance)
