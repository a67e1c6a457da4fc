"""`neumf` scores as its equation says, and learns in a federation."""

import numpy as np

from tests.models.ncf import check_learning, check_score


def test_a_score_is_that_of_product_and_tower():
    """h · [qᵤ ∘ qⱼ | x₂] + h₀, with a row [qⱼ | pⱼ] and a vector [qᵤ | pᵤ] of 3 + 3 numbers"""

    def expected(row, u, head):
        w1, b1, w2, b2, h = np.split(head, np.cumsum([6 * 5, 5, 5 * 4, 4]))
        x = np.maximum(w1.reshape(5, 6) @ np.concatenate([u[3:], row[3:]]) + b1, 0)
        x = np.maximum(w2.reshape(4, 5) @ x + b2, 0)
        return h[:7] @ np.concatenate([u[:3] * row[:3], x]) + h[7]

    check_score("neumf", expected)


def test_learns_in_a_federation():
    check_learning("neumf")
