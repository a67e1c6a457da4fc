"""What attackers of a run achieved: how many people are shown the item that they promote."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.experiments.runs.result import Attacked
from sottovoce.plural import count

if TYPE_CHECKING:
    from sottovoce.data.split import Split
    from sottovoce.state import Bools, Ints


def honest(attack: Any, people: int, seed: int) -> "Bools | None":
    """Who does not attack, [people]; None: everybody."""
    from sottovoce.simulate.attackers import attackers

    found: Bools = ~attackers(attack, people, seed)
    return None if found.all() else found


def attacked(
    name: str, attack: Any, split: "Split", seed: int, lists: "Ints", ks: Sequence[int]
) -> Attacked | None:
    """What attackers achieved, given everybody's `lists` [people, n]; None if the run has no attack."""
    from sottovoce.simulate.attackers import attackers, promoted

    if name == "none":
        return None
    train, who = split.train, attackers(attack, split.train.people, seed)
    item = promoted(attack, train, seed)
    found = Attacked(name=name, people=int(who.sum()))
    if item < 0:
        return found
    owners = np.zeros(train.people, np.bool_)
    for part in (train, split.weighting):
        if part is not None:
            owner = np.repeat(np.arange(train.people), np.diff(part.indptr))
            owners[owner[part.item == item]] = True
    others = lists[~who & ~owners]
    exposure = {str(k): float((others[:, :k] == item).any(axis=1).mean()) for k in ks if len(others)}
    popularity = int(np.count_nonzero(train.item == item))
    about = {"item": str(train.catalog.ids[item]), "owners": popularity, "exposure": exposure}
    return found.model_copy(update=about)


def sentences(found: Attacked | None, people: int, seed: int) -> list[str]:
    """The same, in words."""
    if found is None:
        return []
    told = (
        f"Seed {seed}: {count(found.people, 'person')} of {people:,} attack ({found.name}). "
        "All figures are those of the others."
    )
    if found.item is not None:
        shown = ", ".join(f"{100 * share:.1f} % in lists of {k}" for k, share in found.exposure.items())
        told += (
            f" They promote item {found.item}, which {count(found.owners, 'person')} have to learn from; "
            f"shown to {shown}."
        )
    return [told]
