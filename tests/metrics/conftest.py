"""Random rankings and lists, and what the independent library ranx says about them."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import ranx

from sottovoce.metrics.rank import rank

HITS = np.array([[1, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]], bool)
RELEVANT = [5, 2, 0]
"""Three lists, and how many items are relevant to each person."""


class Ranked(NamedTuple):
    """The ranks of 60 held-out items, each among 100 candidates."""

    ranks: list[int]
    truth: Any
    run: Any

    def by_ranx(self, name: str) -> Any:
        return ranx.evaluate(self.truth, self.run, name, return_mean=False)


class Listed(NamedTuple):
    """Lists of 20 items for 50 people: which places are relevant, and how many items are."""

    hits: Any
    relevant: list[int]
    truth: Any
    run: Any

    def by_ranx(self, name: str) -> Any:
        return ranx.evaluate(self.truth, self.run, name, return_mean=False)


@pytest.fixture(scope="session")
def ranked() -> Ranked:
    generator = np.random.default_rng(7)
    scores = generator.permuted(np.tile(np.arange(101.0), (60, 1)), axis=1)  # no ties: ranx leaves them open
    truth = ranx.Qrels({f"q{n:02}": {"0": 1} for n in range(60)})
    lists = {f"q{n:02}": {str(j): s for j, s in enumerate(row)} for n, row in enumerate(scores.tolist())}
    return Ranked([rank(row[0], row[1:]) for row in scores], truth, ranx.Run(lists))


@pytest.fixture(scope="session")
def listed() -> Listed:
    generator = np.random.default_rng(8)
    lists = np.array([generator.permutation(60)[:20] for _ in range(50)])
    relevant = [generator.permutation(60)[: generator.integers(1, 15)].tolist() for _ in range(50)]
    truth = ranx.Qrels({f"q{n:02}": {str(j): 1 for j in own} for n, own in enumerate(relevant)})
    run = ranx.Run(
        {f"q{n:02}": {str(j): 100.0 - p for p, j in enumerate(own)} for n, own in enumerate(lists.tolist())}
    )
    hits = np.array([np.isin(own, some) for own, some in zip(lists, relevant, strict=True)])
    return Listed(hits, [len(own) for own in relevant], truth, run)
