"""The masked rounds that a node began, in each of which it takes part once, and the draws of their groups.

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
NAMES = "rounds", "draws"
"""The arrays of a file: hashes [m, 32], and how many draws there were since the last sum [1]."""


class Rounds:
    """Hashes of the rounds that a node began, in order."""

    def __init__(self) -> None:
        self._begun: dict[bytes, None] = {}
        self.draws = 0
        """Draws of groups since this node was last in a sum."""

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

    def check_draws(self, most: int) -> None:
        """Refuse a draw if there were so many without a sum."""
        if self.draws >= most:
            raise MessageError(
                f"This node took part in {self.draws} draws of groups and was in no sum since. A server that "
                "waits for a group of its choice would act like that.",
                "Leave this server. If you trust it, set rounds.draws of the node to 0.",
            )

    def draw(self, most: int) -> None:
        """Count a draw, unless there were so many without a sum."""
        self.check_draws(most)
        self.draws += 1

    def packed(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays."""
        hashes = np.frombuffer(b"".join(self._begun), np.uint8).reshape(-1, 32)
        return dict(zip(NAMES, (hashes, np.array([self.draws], np.int64)), strict=True))

    def put_back(self, arrays: dict[str, NDArray[Any]]) -> bool:
        """Remember what arrays hold; False if they are damaged."""
        hashes, draws = (arrays[name] for name in NAMES)
        if draws.dtype != np.int64 or draws.shape != (1,) or draws[0] < 0:
            return False
        if hashes.dtype != np.uint8 or hashes.shape != (len(hashes), 32) or len(hashes) > MOST:
            return False
        self.draws = int(draws[0])
        self._begun = dict.fromkeys(one.tobytes() for one in hashes)
        return len(self._begun) == len(hashes)
