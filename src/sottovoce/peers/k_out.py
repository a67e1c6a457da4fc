"""A fixed random graph in which every node knows k others (Hegedűs et al. 2019, Section 6.2)."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.kernels import GRAPH, PEERS, driver, prange, stream
from sottovoce.peers import distinct, graph, select
from sottovoce.registry import component
from sottovoce.timing import stays


@component("peers", "k-out")
class KOut(NamedTuple):
    """Random neighbours out of k fixed ones, of those that are online."""

    k: Annotated[int, Ge(1)] = 20
    """How many peers a node knows."""


@driver
def _draw_graph(graph, run):
    for node in prange(len(graph)):
        distinct(stream(run, GRAPH, node, 0), len(graph) - 1, graph[node])
        for n in range(graph.shape[1]):
            graph[node, n] += graph[node, n] >= node


@graph.rule(KOut)
def _graph(peers, nodes, run):
    drawn = np.empty((nodes, min(peers.k, nodes - 1)), np.int32)
    _draw_graph(drawn, run, batch=nodes)
    return drawn


@select.rule(KOut)
def _select(peers, graph, timing, time, node, run, cycle, chosen):
    known, count = graph[node], graph.shape[1]
    if len(timing.first):
        known, count = np.empty(graph.shape[1], np.int32), 0
        for other in graph[node]:
            if stays(timing, other, time, time):
                known[count] = other
                count += 1
    found = min(count, len(chosen))
    distinct(stream(run, PEERS, node, cycle), count, chosen[:found])
    for n in range(found):
        chosen[n] = known[chosen[n]]
    return found
