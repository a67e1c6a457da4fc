"""user-kNN: items of people with similar taste (Herlocker et al. 1999, for data without ratings).

Let cᵤ be the set of items of person u. The similarity is sᵤᵥ = |cᵤ ∩ cᵥ| / √(|cᵤ| |cᵥ|) if v is among the k
people most similar to u, else 0. Person u scores item j as Σ_{v has j} sᵤᵥ.

It is computed by the item neighbours of `implicit` (Frederickson 2016–) on the transposed data.
"""

from typing import Annotated, NamedTuple

from annotated_types import Ge

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references._outside import consumed, neighbours
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.registry import component
from sottovoce.state import Floats


@component("reference", "user-knn", needs="implicit scipy threadpoolctl", gives="order")
class UserKNN(NamedTuple):
    """Cosine similarity of people."""

    k: Annotated[int, Ge(1)] = 50
    """Neighbours per person, chosen among 20, 50, 100, 200 and 400 on the weighting set."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Find the neighbours of all people."""
        matrix = consumed(train)
        similarity = neighbours(matrix.T.tocsr(), self.k)

        def score(begin: int, end: int) -> Floats:
            dense: Floats = (similarity[begin:end] @ matrix).toarray()
            return dense

        return score

    def memory_needed(self, people: int, items: int) -> int:
        """The similarities, held twice while they are sorted."""
        return 2 * people * min(self.k + 1, people) * 12
