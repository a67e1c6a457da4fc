"""What evaluation and recommendation share: whose model is whose, and who is where."""

from typing import TYPE_CHECKING, Any

import numpy as np

from sottovoce.models.interface import uses_place
from sottovoce.state import Ints

if TYPE_CHECKING:
    from sottovoce.data.split import Split


def contexts(model: Any, split: "Split") -> tuple[Ints, Ints]:
    """Where people were before each test entry, and for how long, if the model looks at it; else nothing."""
    return split.before if uses_place(model) else (np.empty(0, np.int32), np.empty(0, np.int32))
