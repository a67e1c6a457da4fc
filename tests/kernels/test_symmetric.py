"""Small symmetric matrices, against NumPy."""

import numpy as np
import pytest

from sottovoce.kernels.symmetric import (
    add_outer,
    backward,
    eigenvectors,
    factorize,
    forward,
    make_positive,
    moments,
    pencil,
    solve,
    solve_pencil,
    triangle,
    unpacked,
)


def positive(k, seed=1):
    a = np.random.default_rng(seed).normal(size=(k, k + 2))
    return a @ a.T


@pytest.mark.parametrize("k", [1, 2, 7, 32])
def test_triangles_add_up(k):
    rng = np.random.default_rng(k)
    packed, expected = np.zeros(triangle(k)), np.zeros((k, k))
    for factor in (1.0, 0.5):
        x = rng.normal(size=k)
        add_outer(packed, x, factor, k)
        expected += factor * np.outer(x, x)
    np.testing.assert_allclose(unpacked(packed, k), expected, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 7, 32])
def test_equations_are_solved(k):
    a, b = positive(k), np.random.default_rng(2).normal(size=k)
    x = b.copy()
    solve(a.copy(), x, k)
    np.testing.assert_allclose(a @ x, b, atol=1e-6)


def test_both_halves_of_a_solution():
    k, a = 5, positive(5)
    factor = a.copy()
    factorize(factor, k)
    lower = np.tril(factor)
    np.testing.assert_allclose(lower @ lower.T, a)
    b = np.arange(5.0)
    for half, matrix in ((forward, lower), (backward, lower.T)):
        x = b.copy()
        half(factor, x, k)
        np.testing.assert_allclose(matrix @ x, b, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 7, 32])
def test_eigenvectors_and_eigenvalues(k):
    a = positive(k) - 3 * np.eye(k)
    left = a.copy()
    vectors = eigenvectors(left, k)
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(vectors.T @ np.diag(np.diag(left)) @ vectors, a, atol=1e-7)
    np.testing.assert_allclose(np.sort(np.diag(left)), np.linalg.eigvalsh(a), atol=1e-7)


def test_a_matrix_of_zeros_has_eigenvectors():
    assert eigenvectors(np.zeros((3, 3)), 3).tolist() == np.eye(3).tolist()


def test_a_pencil_is_solved_as_the_sum_of_its_matrices():
    rng = np.random.default_rng(3)
    a, b = (m @ m.T + 0.1 * np.eye(5) for m in rng.normal(size=(2, 5, 5)))
    vector, found = rng.normal(size=5), pencil(a.copy(), b.copy(), 5)
    for part in (0.0, 0.3, 20.0):
        expected = np.linalg.solve(a + part * b, vector) / 7
        np.testing.assert_allclose(solve_pencil(found, part, vector, 7.0), expected, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("lowest", [2.0, -1.0])
def test_eigenvalues_below_zero_count_as_zero(lowest):
    rng = np.random.default_rng(4)
    basis, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    values = np.array([lowest, 0.5, 1.0, 2.0, 3.0])
    matrix = basis @ np.diag(values) @ basis.T
    make_positive(matrix, 0.1, 5)
    expected = basis @ np.diag(np.maximum(values, 0)) @ basis.T + 0.1 * np.eye(5)
    np.testing.assert_allclose(matrix, expected, atol=1e-9)


def test_moments():
    rows = np.random.default_rng(4).normal(size=(6, 4)).astype(np.float32)
    products, total = moments(rows, 1, 5, 3)
    own = rows[1:5, :3].astype(float)
    np.testing.assert_allclose(products, np.tril(own.T @ own), rtol=1e-6)
    np.testing.assert_allclose(total, own.sum(axis=0), rtol=1e-6)
