"""EASE: a linear model that predicts items from items, solved in closed form (Steck 2019).

It minimises ‖X − XB‖² + λ ‖B‖² over B with diag(B) = 0, where X [people, items] is 1 for items that a
person has. With P = (XᵀX + λI)⁻¹, the solution is Bᵢⱼ = −Pᵢⱼ / Pⱼⱼ for i ≠ j, and Bⱼⱼ = 0 (Equation 8).
The score of person u for item j is Xᵤ·B_j.

If there are more items than people, the same scores come from a matrix of people (Woodbury 1950): with
K = (XXᵀ + λI)⁻¹ and dⱼ = Xⱼᵀ K Xⱼ, P = (I − XᵀKX) / λ, so that XB = ((I − λK) X − X diag(d)) diag(1 − d)⁻¹.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Gt
from numpy.typing import NDArray

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references._outside import consumed, limited
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.registry import component
from sottovoce.state import Floats

_BLOCK = 512
"""The number of items that are processed at a time."""


@component("reference", "ease", needs="scipy threadpoolctl", gives="order")
class EASE(NamedTuple):
    """Embarrassingly shallow autoencoder."""

    regularization: Annotated[float, Gt(0)] = 500.0
    """λ. It is that of Steck (2019) for MovieLens 20M, and gives the best NDCG@20 among 20 to 1,000 on the
    weighting set."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Solve for B, or for XB if there are more items than people."""
        matrix = consumed(train)
        with limited():
            return self._by_people(matrix) if train.items > train.people else self._by_items(matrix)

    def _by_items(self, matrix: Any) -> Scorer:
        weights = self._inverse(matrix.T @ matrix)
        weights /= -weights.diagonal()
        np.fill_diagonal(weights, 0)
        single = weights.astype(np.float32)

        def score(begin: int, end: int) -> Floats:
            dense: Floats = matrix[begin:end] @ single
            return dense

        return score

    def _by_people(self, matrix: Any) -> Scorer:
        inverse = self._inverse(matrix @ matrix.T)
        columns, own = matrix.T.tocsr(), np.empty(matrix.shape[1])
        for j in range(0, len(own), _BLOCK):
            some = columns[j : j + _BLOCK]
            own[j : j + _BLOCK] = np.asarray(some.multiply(some @ inverse).sum(axis=1)).ravel()
        hat = np.eye(len(inverse)) - self.regularization * inverse

        def score(begin: int, end: int) -> Floats:
            weighed = (columns @ hat[begin:end].T).T - matrix[begin:end].multiply(own).toarray()
            scores: Floats = (weighed / (1 - own)).astype(np.float32)
            return scores

        return score

    def _inverse(self, gram: Any) -> NDArray[np.float64]:
        """(gram + λI)⁻¹"""
        ridge = gram.toarray().astype(np.float64)
        np.fill_diagonal(ridge, ridge.diagonal() + self.regularization)
        inverse: NDArray[np.float64] = np.linalg.inv(ridge)
        return inverse

    def memory_needed(self, people: int, items: int) -> int:
        """The matrix of items or people, its inverse, and working memory, in double precision."""
        smaller = min(people, items)
        return 4 * smaller * smaller * 8 + items * _BLOCK * 8
