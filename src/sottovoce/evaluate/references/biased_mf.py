"""Biased MF: factorization of ratings by SGD with all data in one place (Koren, Bell, Volinsky 2009).

This is the model `mf` (which states the equations) with the protocol `central`: people train one table in
turn. It learns how much a person likes an item, not whether the person would choose it, and so it ranks
badly even if it predicts ratings well.

Step and regularization are those of Hegedűs et al. (2019). Rank (5 or 20) and epochs (20, 50, 100 or 200)
were chosen by the RMSE of ten ratings per person held out of the training set of MovieLens 100K (`rating`,
seed 1).
"""

from typing import Annotated, NamedTuple

from annotated_types import Ge, Gt

from sottovoce.combine.none import Replace
from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.models.mf import MF
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.central import Central
from sottovoce.registry import component
from sottovoce.simulate.engine import Simulation
from sottovoce.state import Floats


@component("reference", "biased-mf", needs="", gives="ratings")
class BiasedMF(NamedTuple):
    """Matrix factorization of ratings, with biases."""

    factors: Annotated[int, Ge(1)] = 20
    """The rank."""
    step: Annotated[float, Gt(0)] = 0.01
    """η, the learning rate."""
    regularization: Annotated[float, Ge(0)] = 0.1
    """λ, on the factors."""
    epochs: Annotated[int, Ge(1)] = 50
    """How often each person trains."""

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Let people train in turn."""
        model = MF(factors=self.factors, step=self.step, regularization=self.regularization)
        central = Simulation(
            model, Central(), train, seed, merge=Replace(), peers=Uniform(), rounds=self.epochs
        )
        central.advance(self.epochs)
        person, item, k = central.people.user, central.tables.rows, self.factors

        def score(begin: int, end: int) -> Floats:
            own = person[begin:end]
            scores: Floats = own[:, :k] @ item[:, :k].T + own[:, k:] + item[:, k]
            return scores

        return score

    def memory_needed(self, people: int, items: int) -> int:
        """Factors and biases."""
        return (people + items) * (self.factors + 1) * 4
