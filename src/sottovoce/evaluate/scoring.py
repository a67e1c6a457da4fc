"""Shared by evaluation and recommendation: which items a person knows already, and people's places."""

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.kernels import helper
from sottovoce.models.interface import uses_place
from sottovoce.state import Ints

if TYPE_CHECKING:
    from sottovoce.data.split import Split


@helper
def forget(scores, indptr, item, person):
    """Set the scores [items] of a person's items to NaN, so that they come after all others."""
    for n in range(indptr[person], indptr[person + 1]):
        scores[item[n]] = np.nan


@helper
def forget_known(scores, people, person):
    """Set the scores [items] of what a person knows to NaN: training items and weighting items."""
    forget(scores, people.indptr, people.item, person)
    forget(scores, people.weighting_indptr, people.weighting_item, person)


def contexts(model: Any, split: "Split") -> tuple[Ints, Ints]:
    """The place before each test entry and the seconds since then; empty if the model does not use places."""
    return split.before if uses_place(model) else (np.empty(0, np.int32), np.empty(0, np.int32))
