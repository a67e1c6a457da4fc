"""What peer samplers choose, round by round, and what must hold of what nodes know."""

from typing import Any

import numpy as np

from sottovoce.peers.interface import Views, meet, select
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.interface import exchanges
from sottovoce.state import Ints, new_receivers
from sottovoce.timing import synchronous


def talk(peers: Any, nodes: int, pushes: int, rounds: int, seed: int = 1) -> tuple[Any, Views]:
    """The receivers of every round [rounds, messages], by compiled code, and the views they come from."""
    timing = synchronous(nodes)
    views = meet(peers, timing, seed)
    chosen = [
        exchanges(Gossip(pushes), peers, views, timing, 1.0, seed, r)[0].receiver for r in range(rounds)
    ]
    return np.array(chosen), views


def talk_plainly(peers: Any, views: Views, nodes: int, pushes: int, rounds: int, seed: int = 1) -> Any:
    """The same by plain Python, from the same views."""
    chosen = np.empty((rounds, nodes, pushes), np.int32)
    for round in range(rounds):
        for node in range(nodes):
            found = select(peers, views, synchronous(nodes), round, node, seed, round, chosen[round, node])
            assert found == pushes
    return chosen.reshape(rounds, nodes * pushes)


def valid(known: Any) -> None:
    """Nodes know others only, and nobody twice."""
    for node, row in enumerate(known):
        there = row[row >= 0]
        assert node not in there
        assert len(set(there)) == len(there)
        assert (there < len(known)).all()


def crowd(count: int, remembered: int = 0) -> Ints:
    """Whom each of `count` nodes has heard, [count, remembered], which is nobody yet."""
    return new_receivers(count, remembered).heard
