"""ALS: matrix factorization of implicit feedback by alternating least squares (Hu, Koren, Volinsky 2008).

It minimises Σ_{u,j} c (p − xᵤ·yⱼ)² + λ (Σ ‖xᵤ‖² + Σ ‖yⱼ‖²), with p = 1 and c = α for items that a
person has, and p = 0 and c = 1 for all others. People's and items' vectors are solved in turn, with the
others fixed, by conjugate gradients (Takács, Pilászy, Tikk 2011).

It is computed by `implicit` (Frederickson 2016–). The defaults of the library (100 factors, α = 1,
λ = 0.01) overfit a community of a thousand people; the defaults here were chosen on the weighting set.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references._outside import consumed, limited, products
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.registry import component
from sottovoce.state import Floats


@component("reference", "als", needs="implicit scipy threadpoolctl", gives="order")
class ALS(NamedTuple):
    """Alternating least squares."""

    factors: Annotated[int, Ge(1)] = 16
    """The rank."""
    weight: Annotated[float, Gt(0)] = 5.0
    """α, the weight of items that a person has; other items have the weight 1."""
    regularization: Annotated[float, Ge(0)] = 30.0
    """λ."""
    iterations: Annotated[int, Ge(1)] = 15
    """How often all vectors are solved."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Factorize the matrix of people and items."""
        return products(*self.factorized(train, seed))

    def factorized(self, train: Interactions, seed: int) -> tuple[Floats, Floats]:
        """The vectors of people [people, k] and of items [items, k]."""
        from implicit.cpu.als import AlternatingLeastSquares

        with limited() as threads:
            model = AlternatingLeastSquares(
                factors=self.factors,
                regularization=self.regularization,
                alpha=self.weight,
                iterations=self.iterations,
                num_threads=threads,
                random_state=np.random.default_rng(seed),
            )
            model.fit(consumed(train), show_progress=False)
        return model.user_factors, model.item_factors

    def memory_needed(self, people: int, items: int) -> int:
        """The factors."""
        return (people + items) * self.factors * 4
