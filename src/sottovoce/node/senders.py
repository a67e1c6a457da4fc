"""Which messages a node has taken: each once, and none of its own.

Each sender numbers its messages. A node remembers the newest number that it took of each sender, and which
of the `WINDOW` numbers up to it, because messages can overtake each other. Older numbers count as taken.

It remembers this of `MOST` senders, and forgets the one that was silent for longest. Names and numbers are
not signed: this keeps out what a transport delivers twice and what comes back, not somebody who forges.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError

WINDOW = 64
"""How far messages of one sender may overtake each other."""
MOST = 4096
"""How many senders a node remembers."""
NAME = "senders"
"""The array of a file: for each sender its name, its newest number, and a bit for each number up to it."""


class Senders:
    """The senders that a node has heard, those silent for longest first."""

    def __init__(self, own: int) -> None:
        """`own` is the number that the node itself goes by."""
        self._own = own
        self._known: dict[int, tuple[int, int]] = {}  # newest number, and bit n: whether it less n was taken

    def check(self, sender: int, number: int) -> None:
        """Refuse a message that was taken before, or may have been, or is this node's own."""
        if sender == self._own:
            raise MessageError(
                "This message is the node's own, and came back to it.",
                "Send a node's messages to others; two nodes need two keys.",
            )
        newest, taken = self._known.get(sender, (-1, 0))
        if number > newest or (newest - number < WINDOW and not taken >> (newest - number) & 1):
            return
        said = "was taken before" if newest - number < WINDOW else f"is older than number {newest} by far"
        raise MessageError(
            f"Message {number} of this sender {said}.",
            "Take each message once. A sender that was loaded from an old file must raise its `sent`.",
        )

    def note(self, sender: int, number: int) -> None:
        """Remember that a message was taken."""
        newest, taken = self._known.pop(sender, (number, 0))
        ahead = number - newest
        if ahead > 0:
            newest, taken = number, taken << min(ahead, WINDOW) & (1 << WINDOW) - 1
        if newest - number < WINDOW:
            taken |= 1 << (newest - number)
        self._known[sender] = newest, taken
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]

    def packed(self) -> dict[str, NDArray[Any]]:
        """All of it as an array."""
        known = [(name, *numbers) for name, numbers in self._known.items()]
        return {NAME: np.array(known, np.uint64).reshape(len(known), 3)}

    def put_back(self, arrays: dict[str, NDArray[Any]]) -> bool:
        """Remember what an array holds; False if it is damaged."""
        known = arrays[NAME]
        if known.dtype != np.uint64 or known.shape != (len(known), 3) or len(known) > MOST:
            return False
        found = {name: (newest, taken) for name, newest, taken in known.tolist()}
        if len(found) != len(known) or not all(taken & 1 for _, taken in found.values()):
            return False
        self._known = found
        return True
