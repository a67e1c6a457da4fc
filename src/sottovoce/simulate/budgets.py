"""Who still takes part when people have budgets, and how much of them was spent."""

import numpy as np

from sottovoce.privacy.guarantee import Guarantee
from sottovoce.protocols._participants import Groups
from sottovoce.state import Ints


def within_budget(groups: Groups, disclosed: Ints, promise: Guarantee | None) -> Groups:
    """The groups without those whose budget is spent: they neither receive the model nor answer."""
    if promise is None:
        return groups
    left = disclosed[groups.persons] < promise.disclosures
    before = np.concatenate([[0], np.cumsum(left)])
    return groups._replace(
        first=before[groups.first],
        persons=groups.persons[left],
        heard=groups.heard[left],
        asked=groups.asked - int(np.count_nonzero(~left)),
    )


def count_heard(groups: Groups, disclosed: Ints, promise: Guarantee | None) -> None:
    """Count those whose updates a trusted server has added to a sum. Steps with noise count by themselves."""
    if promise is not None and promise.trust == "central":
        np.add.at(disclosed, groups.persons[groups.heard], 1)
