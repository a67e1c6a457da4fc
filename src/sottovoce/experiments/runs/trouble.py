"""Two ways in which learning fails: models that diverge, and models that do not tell items apart."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Divergence(NamedTuple):
    """How many people's models are no longer finite, of how many, and since which evaluated round."""

    people: int
    of: int
    round: int

    @property
    def most(self) -> bool:
        """Whether at least half of all models diverged; then the whole run counts as diverged."""
        return 2 * self.people >= self.of

    def __str__(self) -> str:
        share = "" if self.people == self.of else f" ({100 * self.people / self.of:.1f} %)"
        held = "holds" if self.people == 1 else "hold"
        return (
            f"Since round {self.round:,}, some models have held numbers that are not finite. At the end, "
            f"{models(self.people, self.of).lower()}{share} {held} some."
        )


class Collapse(NamedTuple):
    """How many people's models give all items the same score, of how many trained models."""

    people: int
    of: int

    @property
    def most(self) -> bool:
        """Whether at least half of the models do not tell items apart."""
        return 2 * self.people >= self.of

    def __str__(self) -> str:
        give = "gives" if self.people == 1 else "give"
        return f"{models(self.people, self.of)} {give} all recommended items the same score."


def models(some: int, of: int) -> str:
    """Whose models: `The models of 3 of 200 people`."""
    if some == of:
        return "The model of the only person" if of == 1 else f"The models of all {of:,} people"
    return f"The {'model' if some == 1 else 'models'} of {some:,} of {of:,} people"


def collapse(
    items: NDArray[np.int32], scores: NDArray[np.float32], trained: NDArray[np.bool_]
) -> Collapse | None:
    """Whose recommended items all have the same score.

    People with fewer than two recommendations do not count, nor do those whose model never trained.
    """
    last = np.count_nonzero(items >= 0, axis=1) - 1
    several = (last >= 1) & trained
    alike = scores[several, 0] == scores[several, last[several]]
    return Collapse(int(alike.sum()), int(several.sum())) if alike.any() else None


def divergence(curve: Sequence[Mapping[str, Any]], people: int) -> Divergence | None:
    """Whose models are not finite at the end of a curve."""
    last = curve[-1].get("diverged", 0) if curve else 0
    since = None
    for event in reversed(curve):
        if not event.get("diverged"):
            break
        since = event["round"]
    return None if since is None else Divergence(last, people, since)


def missing(event: Mapping[str, Any]) -> str:
    """Why an evaluation has no value: models diverged, or nobody with held-out items was online."""
    if event.get("diverged"):
        return "diverged"
    return "unknown: nobody was online" if "online" in event else "—"
