"""Shared by evaluation and recommendation: the slot of each person's model, and people's places."""

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.models.interface import uses_place
from sottovoce.state import Ints

if TYPE_CHECKING:
    from sottovoce.data.split import Split


def contexts(model: Any, split: "Split") -> tuple[Ints, Ints]:
    """The place before each test entry and the seconds since then; empty if the model does not use places."""
    return split.before if uses_place(model) else (np.empty(0, np.int32), np.empty(0, np.int32))
