"""What a node remembers of others, as arrays of its file: senders, rounds, and whom it was summed with."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.node import rounds, senders
from sottovoce.node.community import Community

if TYPE_CHECKING:
    from sottovoce.exchange.secure.guards import Guard
    from sottovoce.node.node import Node

ARRAYS = "summed people", "summed sets"
"""Identities [m, 32], and for each of which guard and which of its sets it is [m, 2]."""
SUMS = 2
"""The sums of a masked round: of counts, and of rows."""


def guards_of(community: Community) -> "tuple[Guard, ...]":
    """Guards that remember nothing yet; none where updates are not masked."""
    protocol = community.consensus
    if not community.masked and protocol is None:
        return ()
    from sottovoce.exchange.secure.guards import Guard

    if protocol is not None:
        return tuple(Guard(protocol.fewest) for _ in range(SUMS))
    return tuple(Guard(community.sum.fewest, community.sum.smallest) for _ in range(SUMS))


def names(community: Community) -> tuple[str, ...]:
    """The arrays of a file that hold what a node of this community remembers."""
    masked = community.masked or community.consensus is not None
    return (senders.NAME, *rounds.NAMES, *(ARRAYS if masked else ()))


def packed(node: "Node") -> dict[str, NDArray[Any]]:
    """All that a node remembers of others."""
    return node.senders.packed() | node.rounds.packed() | _packed(node.guards)


def put_back(node: "Node", arrays: dict[str, NDArray[Any]]) -> bool:
    """Let a node remember what arrays hold; False if these are damaged."""
    parts = node.senders.put_back(arrays), node.rounds.put_back(arrays)
    return all(parts) and (not node.guards or _put_back(node.guards, arrays))


def _packed(guards: "tuple[Guard, ...]") -> dict[str, NDArray[Any]]:
    """What guards remember as arrays; nothing without guards."""
    if not guards:
        return {}
    every = [
        (who, (number, place))
        for number, guard in enumerate(guards)
        for place, group in enumerate(guard.earlier)
        for who in sorted(group)
    ]
    people = np.frombuffer(b"".join(who for who, _ in every), np.uint8).reshape(len(every), 32)
    sets = np.array([place for _, place in every], np.int64).reshape(len(every), 2)
    return dict(zip(ARRAYS, (people, sets), strict=True))


def _put_back(guards: "tuple[Guard, ...]", arrays: dict[str, NDArray[Any]]) -> bool:
    """Let guards remember what arrays hold; False if these are damaged."""
    people, sets = (arrays[name] for name in ARRAYS)
    shapes, kinds = (people.shape, sets.shape), (str(people.dtype), str(sets.dtype))
    if shapes != ((len(people), 32), (len(people), 2)) or kinds != ("uint8", "int64"):
        return False
    found: dict[tuple[int, int], set[bytes]] = {}
    for who, (number, place) in zip(people, sets.tolist(), strict=True):
        found.setdefault((number, place), set()).add(who.tobytes())
    if not all(0 <= number < len(guards) for number, _ in found):
        return False
    for number, place in sorted(found):
        guards[number].remember(frozenset(found[number, place]))
    return True
