"""What people would get from a central service that holds everybody's data. One file per method.

A reference is a `NamedTuple` of its parameters, registered with `@component("reference", name,
needs=…, gives=…)`: `needs` are the modules it imports, and `gives` is "ratings" if its scores are
predicted ratings, "order" if only their order means something. It trains on the very interactions
that a run's nodes train on, not on their weighting sets, and its scores go through the same
evaluation as everybody's models (see `_given`).

People without training data get the same score, zero, for everything, not what is popular. Ties
count against the item under test, so such a person has no hit.

Defaults are published ones, or were chosen on the weighting set of MovieLens 100K (`local-holdout`,
seed 1), never on test data; every file says which.
"""

from collections.abc import Callable
from typing import ClassVar, Protocol

from sottovoce.data.interactions import Interactions
from sottovoce.state import Floats

Scorer = Callable[[int, int], Floats]
"""`scorer(begin, end)` gives the scores of people begin … end − 1: [end − begin, items]."""


class Reference(Protocol):
    """What a reference is."""

    needs: ClassVar[str]
    gives: ClassVar[str]

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Learn from everybody's data at once."""

    def memory_needed(self, people: int, items: int) -> int:
        """Bytes that fitting takes, apart from the data and the scores."""
