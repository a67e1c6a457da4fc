"""`gmf` scores as its equation says, and learns in a federation."""

import numpy as np

from tests.models.ncf import check_learning, check_score


def test_a_score_is_the_weighted_product():
    """z = h · (qᵤ ∘ qⱼ) + h₀"""
    check_score("gmf", lambda row, u, head: np.sum(head[:6] * u * row) + head[6])


def test_learns_in_a_federation():
    check_learning("gmf")
