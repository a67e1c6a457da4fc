"""item-kNN: items similar to those that a person has (Deshpande, Karypis 2004).

Let cᵢ be the set of people who have item i. The similarity is sᵢⱼ = |cᵢ ∩ cⱼ| / √(|cᵢ| |cⱼ|) if j is among
the k items most similar to i, else 0. A person with the items I scores item j as Σ_{i ∈ I} sᵢⱼ.

It is computed by `implicit` (Frederickson 2016–).
"""

from typing import Annotated, NamedTuple

from annotated_types import Ge

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references._outside import consumed, neighbours
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.registry import component
from sottovoce.state import Floats


@component("reference", "item-knn", needs="implicit scipy threadpoolctl", gives="order")
class ItemKNN(NamedTuple):
    """Cosine similarity of items."""

    k: Annotated[int, Ge(1)] = 100
    """Neighbours per item, chosen among 20, 50, 100, 200 and 400 on the weighting set."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Find the neighbours of all items."""
        matrix = consumed(train)
        similarity = neighbours(matrix, self.k)

        def score(begin: int, end: int) -> Floats:
            dense: Floats = (matrix[begin:end] @ similarity).toarray()
            return dense

        return score

    def memory_needed(self, people: int, items: int) -> int:
        """The similarities, held twice while they are sorted."""
        return 2 * items * min(self.k + 1, items) * 12
