"""Networks under `consensus` in virtual time."""

import numpy as np

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.models.als import ALS
from sottovoce.protocols.consensus import Consensus
from sottovoce.timing import Timing
from tests.models.test_als import PEOPLE, K, data
from tests.networks import simulate

ROUND = 10.0


def clock(nodes=PEOPLE, sessions=None, *, speeds=None, latency=0.0, loss=0.0):
    """A clock of equal links, or of links with these `speeds` [2, nodes]; `sessions` of each, or always."""
    first, since, until = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if sessions is not None:
        first = np.cumsum([0] + [len(own) for own in sessions])
        since, until = np.array([pair for own in sessions for pair in own], float).reshape(-1, 2).T.copy()
    upload, download = np.ones((2, nodes)) if speeds is None else speeds
    return Timing(first, since, until, upload / ROUND, download / ROUND, latency, loss, ROUND, timed=True)


def random_clock(seed, *, unequal, churn, latency, loss, span):
    rng, sessions = np.random.default_rng(seed), None
    if churn:
        cuts = [np.sort(rng.random(2 * rng.integers(0, 5)) * span) for _ in range(PEOPLE)]
        sessions = [[(0.0, 2 * span)] if len(c) == 0 else c.reshape(-1, 2).tolist() for c in cuts]
    speeds = np.exp(rng.normal(0, 0.6, (2, PEOPLE))) if unequal else None
    return clock(PEOPLE, sessions, speeds=speeds, latency=latency, loss=loss)


def network(timing, protocol=None, people=None, **more):
    protocol = protocol or Consensus(pushes=3, bits=32, group=1)
    parts = {"protocol": protocol, "merge": MFFedAvg(), "timing": timing}
    return simulate(ALS(factors=K, held=0.0, recency=False), people or data(), **(parts | more))


def some_sessions(away):
    """Sessions of everybody; `away` tells who is online when, by node."""
    return [away.get(node, [(0.0, 1e6)]) for node in range(PEOPLE)]
