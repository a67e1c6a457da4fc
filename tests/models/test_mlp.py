"""`mlp` scores as its equation says, and learns in a federation."""

import numpy as np

from tests.models.ncf import check_learning, check_score


def test_a_score_is_that_of_the_tower():
    """x₀ = [pᵤ | pⱼ], two layers of 5 and 4 with ReLU, and h · x₂ + h₀"""

    def expected(row, u, head):
        w1, b1, w2, b2, h = np.split(head, np.cumsum([12 * 5, 5, 5 * 4, 4]))
        x = np.maximum(w1.reshape(5, 12) @ np.concatenate([u, row]) + b1, 0)
        x = np.maximum(w2.reshape(4, 5) @ x + b2, 0)
        return h[:4] @ x + h[4]

    check_score("mlp", expected)


def test_learns_in_a_federation():
    check_learning("mlp")
