"""user-kNN: what people with similar taste have (Herlocker et al. 1999, for data without ratings).

With cᵤ the items of person u, sᵤᵥ = |cᵤ ∩ cᵥ| / √(|cᵤ| |cᵥ|) if v is among the k people most
similar to u, else 0; person u scores item j as Σ_{v has j} sᵤᵥ.

Computed by `implicit` (Frederickson 2016–), whose item neighbours, on the transposed data, are
people's.
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
    """Neighbours of each person, chosen among 20, 50, 100, 200 and 400 on the weighting set."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Find everybody's neighbours."""
        matrix = consumed(train)
        similarity = neighbours(matrix.T.tocsr(), self.k)

        def score(begin: int, end: int) -> Floats:
            dense: Floats = (similarity[begin:end] @ matrix).toarray()
            return dense

        return score

    def memory_needed(self, people: int, items: int) -> int:
        """The similarities, twice while they are sorted."""
        return 2 * people * min(self.k + 1, people) * 12
