"""What peer samplers choose, round by round, and what must hold of what nodes know."""

from typing import Any

import numpy as np

from sottovoce.peers.interface import Views, meet, renew, select
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


def check_growing_views(peers: Any) -> None:
    """Views of 3 by upload: slow nodes have one neighbour, ordinary ones three, fast ones five."""
    timing = synchronous(60)._replace(upload=np.repeat([0.2, 1.0, 1.8], 20))
    views = meet(peers, timing, 1)
    for round in (0, 10):
        if round:
            renew(peers, views, crowd(60, remembered=5), timing, 1, round)
        valid(views.neighbours)
        sizes = (views.neighbours >= 0).sum(axis=1)
        assert sizes.reshape(3, 20).tolist() == [[1] * 20, [3] * 20, [5] * 20]
