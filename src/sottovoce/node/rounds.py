"""The masked rounds that a node began: it takes part in each once.

Twice would be two messages about one round. Their masks differ, because keys are fresh, but the two sums may
differ by what one person learned in between. A round is a group with its label and the model. Whoever wants
to sum again, because too few stayed, gives the round another label. Labels come from whoever forms the group,
so this protects against mistakes and replays, and not against a server that gives a round two labels.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError

MOST = 1024
"""How many rounds a node remembers, the newest."""
NAME = "rounds"
"""The array of a file, of hashes [m, 32]."""


class Rounds:
    """Hashes of the rounds that a node began, in order."""

    def __init__(self) -> None:
        self._begun: dict[bytes, None] = {}

    def check(self, round: bytes) -> None:
        """Refuse a round that was begun before."""
        if round in self._begun:
            raise MessageError(
                "This node took part in this round before: two sums of one round would tell more than one.",
                "Begin a new round, with another label of the group.",
            )

    def begin(self, round: bytes) -> None:
        """Remember a round, unless it was begun before."""
        self.check(round)
        self._begun[round] = None
        if len(self._begun) > MOST:
            del self._begun[next(iter(self._begun))]

    def packed(self) -> dict[str, NDArray[Any]]:
        """All of it as an array."""
        return {NAME: np.frombuffer(b"".join(self._begun), np.uint8).reshape(-1, 32)}

    def put_back(self, arrays: dict[str, NDArray[Any]]) -> bool:
        """Remember what an array holds; False if it is damaged."""
        hashes = arrays[NAME]
        if hashes.dtype != np.uint8 or hashes.shape != (len(hashes), 32) or len(hashes) > MOST:
            return False
        self._begun = dict.fromkeys(one.tobytes() for one in hashes)
        return len(self._begun) == len(hashes)
