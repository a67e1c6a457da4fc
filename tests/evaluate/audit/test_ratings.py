"""Ratings come out exactly where the equations hold, and not from random numbers."""

import numpy as np
import pytest

from sottovoce.evaluate.audit.ratings import measure, parallel, two_steps, with_biases

STEP, SHRINK, FACTORS, EACH, PEOPLE = 0.02, 0.1, 4, 30, 12
TARGET = np.repeat(np.arange(PEOPLE), EACH)
SETTINGS = {"step": STEP, "regularization": SHRINK}


def people(seed=1):
    rng = np.random.default_rng(seed)
    vectors, rows = rng.normal(size=(PEOPLE, FACTORS)), rng.normal(size=(len(TARGET), FACTORS + 1))
    return rng, vectors, rows, rng.integers(1, 6, len(TARGET)).astype(float)


def plain_step(vectors, rows, rated):
    """One gradient step of everybody, all ratings from the same vector (Chai et al. 2021)."""
    error = rated - (vectors[TARGET] * rows).sum(axis=1)
    change = STEP * error[:, None] * vectors[TARGET] - STEP * SHRINK * rows
    moved = np.zeros_like(vectors)
    np.add.at(moved, TARGET, error[:, None] * rows)
    return change, (1 - STEP * SHRINK) * vectors + STEP * moved


def sgd(vectors, rows, rated, bias, epochs=1):
    """The training of `mf`, rating by rating; the change of rows."""
    x, b, after = vectors.copy(), np.full(PEOPLE, bias), rows.copy()
    for _ in range(epochs):
        for n, u in enumerate(TARGET):
            y = after[n, :-1].copy()
            error = rated[n] - x[u] @ y - b[u] - after[n, -1]
            after[n, :-1] = (1 - STEP * SHRINK) * y + STEP * error * x[u]
            after[n, -1] += STEP * error
            x[u] = (1 - STEP * SHRINK) * x[u] + STEP * error * y
            b[u] += STEP * error
    return after - rows


def test_two_steps_give_vectors_and_ratings():
    rng, vectors, rows, rated = people()
    first = rows[:, :-1]
    change, after = plain_step(vectors, first, rated)
    second = first + change + rng.normal(0, 0.05, change.shape)  # others move the rows as well
    again, _ = plain_step(after, second, rated)
    found, known = two_steps(TARGET, (first, second), (change, again), **SETTINGS)
    np.testing.assert_allclose(found, rated, atol=1e-5)
    np.testing.assert_allclose(known, vectors, atol=1e-5)
    assert parallel(TARGET, change + STEP * SHRINK * first) == pytest.approx(1)


def test_one_update_with_biases_gives_ratings():
    _, vectors, rows, rated = people()
    change = sgd(vectors, rows, rated, 0.5)
    found = with_biases(TARGET, rows, change, **SETTINGS, epochs=1, bias=0.5)
    np.testing.assert_allclose(found, rated, atol=0.02)


def test_more_epochs_tell_less():
    _, vectors, rows, rated = people()
    errors = []
    for epochs in (1, 2, 5):
        change = sgd(vectors, rows, rated, 0.5, epochs)
        found = with_biases(TARGET, rows, change, **SETTINGS, epochs=epochs, bias=0.5)
        errors.append(np.sqrt(np.mean((found - rated) ** 2)))
    assert errors[0] < 0.02 < errors[1] < errors[2]
    assert errors[1] < 0.8 * np.std(rated)


def test_random_changes_are_worth_a_guess():
    rng, _, rows, rated = people()
    change = rng.normal(0, 0.02, rows.shape)
    found = with_biases(TARGET, rows, change, **SETTINGS, epochs=1, bias=0.5)
    one = measure(found, rated, TARGET, np.arange(PEOPLE), np.arange(1.0, 6))
    assert one.right.value <= one.right.guessing + 0.1
    assert one.error.value > one.error.guessing


def test_figures():
    true, found = np.array([1.0, 2, 3, 4]), np.array([1.1, 2.9, 3, 4])
    one = measure(found, true, np.array([0, 0, 1, 1]), np.array([5, 6, 7]), np.arange(1.0, 6))
    assert one.right.value == pytest.approx((0.5 + 1) / 2)
    assert one.error.value == pytest.approx((np.sqrt((0.01 + 0.81) / 2) + 0) / 2)
    assert one.error.guessing == pytest.approx(np.sqrt((1.5**2 + 0.5**2) / 2))
    assert one.right.people == 2, "one has no rating that is known"
