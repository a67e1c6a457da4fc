"""A fixed random graph in which every node knows k others (Hegedűs et al. 2019, Section 6.2)."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge

from sottovoce.kernels import GRAPH, PEERS, driver, prange, stream
from sottovoce.peers import distinct, links, select
from sottovoce.registry import component


@component("peers", "k-out")
class KOut(NamedTuple):
    """Random neighbours out of k fixed ones."""

    k: Annotated[int, Ge(1)] = 20
    """How many peers a node knows."""


@driver
def _draw_graph(graph, run):
    for node in prange(len(graph)):
        distinct(stream(run, GRAPH, node, 0), len(graph) - 1, graph[node])
        for n in range(graph.shape[1]):
            graph[node, n] += graph[node, n] >= node


@links.rule(KOut)
def _links(peers, nodes, run):
    graph = np.empty((nodes, min(peers.k, nodes - 1)), np.int32)
    _draw_graph(graph, run, batch=nodes)
    return graph


@select.rule(KOut)
def _select(peers, links, nodes, node, run, round, chosen):
    distinct(stream(run, PEERS, node, round), links.shape[1], chosen)
    for n in range(len(chosen)):
        chosen[n] = links[node, chosen[n]]
