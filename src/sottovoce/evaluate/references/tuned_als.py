"""ALS, tuned to each data set on its weighting set: what a central service that takes care would reach.

It is the reference `als` with rank, weight and regularization chosen by NDCG@10 on the weighting set. The
search is in terms of α = 1 / `weight`, the weight of unobserved items against 1 for others, and of
λ = α · `regularization`. It begins with a grid in factors of four with rank 32. From the best point it goes
one step at a time along any axis while that helps: α and λ by a factor of two, later of √2, the rank by two.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.data.interactions import Interactions
from sottovoce.errors import RecipeError
from sottovoce.evaluate.references.als import ALS
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.kernels import driver, prange
from sottovoce.metrics.ndcg import ndcg as gains
from sottovoce.metrics.rank import lot, rank_by_lot
from sottovoce.registry import component
from sottovoce.state import Floats, Ints

if TYPE_CHECKING:
    from sottovoce.data.split import Split

RANKS = (16, 32, 64)
FINEST = 2
"""Steps of the finest search in a factor of two."""
WEIGHTS, RIDGES = range(-2, 9, 2), range(-4, 5, 2)
"""The grid: α is 0.2 / 2ⁿ for n from the first, λ is 4 / 2ⁿ for n from the second."""
_BLOCK = 4096
"""The number of held-out items that are ranked at a time."""

Point = tuple[int, int, int]
"""Which rank, and n for α and λ in finest steps."""


@component("reference", "tuned-als", needs="implicit scipy threadpoolctl", gives="order")
class TunedALS(NamedTuple):
    """Alternating least squares, tuned on the weighting set."""

    trial: Annotated[int, Ge(1)] = 10
    """How often all vectors are solved to try parameters."""
    iterations: Annotated[int, Ge(1)] = 20
    """How often all vectors are solved at the end."""

    def choose(self, split: "Split", seed: int) -> ALS:
        """The best parameters on the weighting set."""
        weighting = split.weighting
        if weighting is None or not len(weighting) or not split.weighting_candidates.shape[1]:
            raise RecipeError(
                f"The reference 'tuned-als' needs a weighting set, and the split {split.name!r} has none.",
                "Use the reference 'als', or a split with a weighting set, such as 'local-holdout'.",
            )
        held, rivals = weighting, split.weighting_candidates
        known: dict[Point, float] = {}

        def quality(point: Point) -> float:
            if point not in known:
                vectors = _at(point, self.trial).factorized(split.train, seed)
                known[point] = ndcg(*vectors, held, rivals)
            return known[point]

        grid = [(1, FINEST * a, FINEST * r) for a in WEIGHTS for r in RIDGES]
        best = max(grid, key=quality)
        for step in range(FINEST, 0, -1):
            best = _climbed(best, step, quality)
        return _at(best, self.iterations)

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """What `als` finds: there is no weighting set to tune to."""
        return ALS(iterations=self.iterations).fit(train, seed)

    def memory_needed(self, people: int, items: int) -> int:
        """The factors of the largest rank."""
        return ALS(factors=max(RANKS)).memory_needed(people, items)


def _at(point: Point, iterations: int) -> ALS:
    rank, weight, ridge = point
    alpha, strength = 0.2 * 2 ** (-weight / FINEST), 4.0 * 2 ** (-ridge / FINEST)
    return ALS(RANKS[rank], 1 / alpha, strength / alpha, iterations)


def _climbed(point: Point, step: int, quality: Callable[[Point], float]) -> Point:
    """The point from which no step along an axis helps."""
    while True:
        rank, weight, ridge = point
        near = [(rank, weight, ridge + s) for s in (step, -step)]
        near += [(rank, weight + s, ridge) for s in (step, -step) if weight + s >= -2 * FINEST]
        near += [(r, weight, ridge) for r in (rank - 1, rank + 1) if 0 <= r < len(RANKS)]
        best = max(near, key=quality)
        if quality(best) <= quality(point):
            return point
        point = best


@driver
def _rank(scores, others, owner, item, ranks):
    """Write the rank of each score [n] among the `others` [n, C]; ties are broken by lot, as in tests."""
    for n in prange(len(scores)):
        ranks[n] = rank_by_lot(scores[n], others[n], lot(owner[n], item[n]))


def ndcg(person: Floats, item: Floats, held: Interactions, rivals: Ints, length: int = 10) -> float:
    """The mean over people of NDCG, each held-out item ranked among its rivals [n, C]; -1: no rival."""
    owner, ranks = held.owner, np.empty(len(held), np.int64)
    for begin in range(0, len(held), _BLOCK):
        some = slice(begin, begin + _BLOCK)
        mine, there = person[owner[some]], rivals[some]
        own = np.einsum("nk,nk->n", mine, item[held.item[some]])
        others = np.matmul(item[there], mine[:, :, None])[:, :, 0]
        others[there < 0] = np.nan
        _rank(own, others, owner[some], held.item[some], ranks[some])
    counts = np.diff(held.indptr)
    sums = np.bincount(owner, gains(ranks, length), len(counts))
    return float((sums[counts > 0] / counts[counts > 0]).mean())
