"""BPR: matrix factorization from pairs of an item that a person has and one that not (Rendle et al. 2009).

An epoch has as many draws as there are interactions. Each draws a person u who has item i and not item j.
With z = xᵤ·(yᵢ − yⱼ) + bᵢ − bⱼ, it makes a step of η along the gradient of log σ(z) − λ ‖θ‖² / 2.

It is computed by `implicit` (Frederickson 2016–) in one thread: several threads would race and give
different results each time. Defaults are those of the library, with λ chosen among 0.001, 0.01, 0.02 and
0.05 on the weighting set.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references._outside import consumed, limited, products
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.registry import component


@component("reference", "bpr", needs="implicit scipy threadpoolctl", gives="order")
class BPR(NamedTuple):
    """Bayesian personalized ranking."""

    factors: Annotated[int, Ge(1)] = 100
    """The rank, without the bias."""
    step: Annotated[float, Gt(0)] = 0.01
    """η, the learning rate."""
    regularization: Annotated[float, Ge(0)] = 0.02
    """λ."""
    epochs: Annotated[int, Ge(1)] = 100
    """The number of epochs."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Learn from random pairs."""
        from implicit.cpu.bpr import BayesianPersonalizedRanking

        with limited():
            model = BayesianPersonalizedRanking(
                factors=self.factors,
                learning_rate=self.step,
                regularization=self.regularization,
                iterations=self.epochs,
                num_threads=1,
                random_state=np.random.default_rng(seed),
            )
            model.fit(consumed(train), show_progress=False)
        return products(model.user_factors, model.item_factors)

    def memory_needed(self, people: int, items: int) -> int:
        """The factors and the bias."""
        return (people + items) * (self.factors + 1) * 4
