"""Small symmetric matrices: triangles, linear equations, eigenvalues."""

import math

import numpy as np

from sottovoce.kernels.components import helper

SWEEPS, SMALL = 30, 1e-24
"""The most passes of Jacobi's method, and the share of squares outside the diagonal at which it ends."""


@helper
def triangle(k):
    """How many numbers the lower triangle of a [k, k] matrix has."""
    return k * (k + 1) // 2


@helper
def add_outer(packed, vector, factor, k):
    """packed += factor · vector vectorᵀ, for a lower triangle row by row in `packed` [k (k + 1) / 2]."""
    n = 0
    for a in range(k):
        scaled = factor * vector[a]
        for b in range(a + 1):
            packed[n + b] += scaled * vector[b]
        n += a + 1


@helper
def moments(rows, begin, end, k):
    """Σ y yᵀ [k, k] of rows[begin:end], of which only the lower triangle is filled in, and Σ y [k]."""
    products, total = np.zeros((k, k)), np.zeros(k)
    for n in range(begin, end):
        for a in range(k):
            y = float(rows[n, a])
            total[a] += y
            for b in range(a + 1):
                products[a, b] += y * rows[n, b]
    return products, total


@helper
def unpacked(packed, k):
    """The whole matrix [k, k], float64, of a packed lower triangle."""
    matrix, n = np.empty((k, k)), 0
    for a in range(k):
        for b in range(a + 1):
            matrix[a, b] = matrix[b, a] = packed[n + b]
        n += a + 1
    return matrix


@helper
def factorize(matrix, k):
    """Replace the lower triangle of a positive definite matrix by Cholesky's factor."""
    for a in range(k):
        for b in range(a):
            total = matrix[a, b]
            for c in range(b):
                total -= matrix[a, c] * matrix[b, c]
            matrix[a, b] = total / matrix[b, b]
        total = matrix[a, a]
        for c in range(a):
            total -= matrix[a, c] * matrix[a, c]
        matrix[a, a] = math.sqrt(total)


@helper
def forward(factor, vector, k):
    """Solve L x = `vector` [k], with L the lower triangle of `factor`; x replaces `vector`."""
    for a in range(k):
        for c in range(a):
            vector[a] -= factor[a, c] * vector[c]
        vector[a] /= factor[a, a]


@helper
def backward(factor, vector, k):
    """Solve Lᵀ x = `vector` [k]; x replaces `vector`."""
    for a in range(k - 1, -1, -1):
        for c in range(a + 1, k):
            vector[a] -= factor[c, a] * vector[c]
        vector[a] /= factor[a, a]


@helper
def solve(matrix, vector, k):
    """Solve `matrix` [k, k] x = `vector` [k] by Cholesky's factorization; x replaces `vector`."""
    factorize(matrix, k)
    forward(matrix, vector, k)
    backward(matrix, vector, k)


@helper
def _rotate(matrix, vectors, p, q, k):
    """Make matrix[p, q] zero by a rotation (Jacobi)."""
    theta = (matrix[q, q] - matrix[p, p]) / (2 * matrix[p, q])
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1))
    c = 1 / math.sqrt(t * t + 1)
    s = t * c
    for r in range(k):
        x, y = matrix[r, p], matrix[r, q]
        matrix[r, p], matrix[r, q] = c * x - s * y, s * x + c * y
    for r in range(k):
        x, y = matrix[p, r], matrix[q, r]
        matrix[p, r], matrix[q, r] = c * x - s * y, s * x + c * y
        # Row r of `vectors` is an eigenvector, so that these loops run along memory.
        x, y = vectors[p, r], vectors[q, r]
        vectors[p, r], vectors[q, r] = c * x - s * y, s * x + c * y


@helper
def eigenvectors(matrix, k):
    """The eigenvectors of a symmetric matrix [k, k], as rows; the eigenvalues end up on its diagonal."""
    vectors = np.eye(k)
    for _ in range(SWEEPS):
        off, on = 0.0, 0.0
        for p in range(k):
            on += matrix[p, p] * matrix[p, p]
            for q in range(p):
                off += matrix[p, q] * matrix[p, q]
        if off <= SMALL * (on + off):
            break
        for p in range(k - 1):
            for q in range(p + 1, k):
                if matrix[p, q] != 0:
                    _rotate(matrix, vectors, p, q, k)
    return vectors


@helper
def _is_positive(matrix, k):
    """Whether a symmetric matrix is positive definite; it is used up."""
    for a in range(k):
        for b in range(a):
            total = matrix[a, b]
            for c in range(b):
                total -= matrix[a, c] * matrix[b, c]
            matrix[a, b] = total / matrix[b, b]
        for c in range(a):
            matrix[a, a] -= matrix[a, c] * matrix[a, c]
        if not matrix[a, a] > 0:
            return False
        matrix[a, a] = math.sqrt(matrix[a, a])
    return True


@helper
def make_positive(matrix, ridge, k):
    """Add `ridge` to the diagonal of a symmetric matrix [k, k]; if that does not make it positive definite,
    eigenvalues below 0 count as 0 first. Noise can make such matrices of sums of products."""
    whole = matrix.copy()
    for a in range(k):
        whole[a, a] += ridge
    if not _is_positive(whole, k):
        vectors, values = eigenvectors(matrix, k), np.empty(k)
        for a in range(k):
            values[a] = max(matrix[a, a], 0.0)
        for a in range(k):
            for b in range(k):
                matrix[a, b] = 0.0
        for e in range(k):
            for a in range(k):
                for b in range(k):
                    matrix[a, b] += values[e] * vectors[e, a] * vectors[e, b]
    for a in range(k):
        matrix[a, a] += ridge


@helper
def pencil(left, right, k):
    """What `solve_pencil` needs of two symmetric matrices, float32 [2k + 1, k]; both are used up.

    `left` = L Lᵀ is positive definite. With the eigenvectors Q and eigenvalues g of L⁻¹ right L⁻ᵀ, and
    P = L⁻ᵀ Q, Pᵀ left P = I and Pᵀ right P = diag g. Pᵀ, P and g stand below each other.
    """
    factorize(left, k)
    for a in range(k):  # L⁻¹ right, then (L⁻¹ (L⁻¹ right)ᵀ), which is L⁻¹ right L⁻ᵀ
        forward(left, right[:, a], k)
    for a in range(k):
        forward(left, right[a], k)
    vectors, found = eigenvectors(right, k), np.empty((2 * k + 1, k), np.float32)
    for a in range(k):
        backward(left, vectors[a], k)
        for d in range(k):
            found[a, d] = found[k + d, a] = vectors[a, d]
        found[2 * k, a] = max(right[a, a], 0.0)
    return found


@helper
def solve_pencil(pencil, part, vector, weight):
    """(left + part · right)⁻¹ vector / weight, of the matrices that `pencil` took.

    The inverse is P diag(1 / (1 + part · g)) Pᵀ. Every loop adds a multiple of a row to a row. The length of
    rows is not known when this is compiled, so that loops are vectorised, and not unrolled.
    """
    k = pencil.shape[1]
    along, found = np.zeros(k, np.float32), np.zeros(k, np.float32)
    for d in range(k):
        value = np.float32(vector[d])
        for a in range(k):
            along[a] += value * pencil[k + d, a]
    for a in range(k):
        along[a] /= np.float32(weight) * (np.float32(1) + part * pencil[2 * k, a])
    for a in range(k):
        value = along[a]
        for d in range(k):
            found[d] += value * pencil[a, d]
    return found
