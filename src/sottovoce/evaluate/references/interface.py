"""What a reference is: a method that a central service with all data would use.

A reference is a `NamedTuple` of its parameters, registered with `@component("reference", name, needs=…,
gives=…)`. `needs` lists the modules that it imports. `gives` is "ratings" if its scores are predicted
ratings, or "order" if only the order of scores has a meaning. A reference trains on the same training set as
the nodes of a run, without weighting sets, and its scores are evaluated in the same way as people's models
(see `_given`).

People without training data get the score 0 for all items. A lot decides among equal scores, so such a
person is served by chance.

A reference that chooses its parameters on the weighting set has a method `choose` besides (`Choosing`).

Default parameters are published ones, or were chosen on the weighting set of MovieLens 100K (`local-holdout`,
seed 1), never on test data; each file says which.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from sottovoce.data.interactions import Interactions
from sottovoce.state import Floats

if TYPE_CHECKING:
    from sottovoce.data.split import Split

Scorer = Callable[[int, int], Floats]
"""`scorer(begin, end)` returns the scores of people begin to end − 1: [end − begin, items]."""


class Reference(Protocol):
    """The methods of a reference."""

    needs: ClassVar[str]
    gives: ClassVar[str]

    def fit(self, train: Interactions, seed: int) -> Scorer:
        """Learn from the data of all people."""

    def memory_needed(self, people: int, items: int) -> int:
        """Bytes that fitting needs, besides the data and the scores."""


@runtime_checkable
class Choosing(Protocol):
    """A reference that is tuned to a data set."""

    def choose(self, split: "Split", seed: int) -> Reference:
        """The reference to fit, with parameters chosen on the weighting set, never on the test set."""
