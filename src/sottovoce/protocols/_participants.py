"""Who takes part in a server's aggregations, and what happens to the people who are asked.

An aggregation takes a download and an upload. A person who goes offline during the download, is too slow for
it, loses it, or drops out, is left out. A person who has the model trains it and sends what changed
(Algorithm 2, Hegedűs et al. 2019). If that upload fails, the person has learnt and the server gets
nothing. All of this is a function of the seed, the person and the number of the aggregation.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import (
    GRAPH,
    LOSS,
    PARTICIPANTS,
    below,
    driver,
    helper,
    inlined,
    prange,
    stream,
    uniform,
)
from sottovoce.state import Bools, Floats, Ints, Longs
from sottovoce.timing import Timing, stays

Outcomes = NDArray[np.int8]
Selection = Literal["random", "in-turn", "useful"]

OFFLINE, LOST, DROPPED, UNHEARD, DONE = range(5)
"""What happens to a person who is asked: offline; the model is lost or late; the person does not answer; the
answer is lost or late; the server has the answer."""

EXPLORED = 0.1
"""ε, the smallest chance of being selected as useful; an average person's chance is 1."""


class Groups(NamedTuple):
    """The people who train and answer in some aggregations, and how many messages that took."""

    first: Longs  # [aggregations + 1], where the people of each begin
    persons: Longs
    heard: Bools  # for each of them, whether the answer arrives
    asked: int  # downloads
    dropped_first: Longs  # [aggregations + 1], where the people begin who got the model of each, and no more
    dropped: Longs  # these people dropped out

    def each(self) -> "list[Groups]":
        """The groups of single aggregations, without the number of downloads."""
        groups = []
        for n in range(len(self.first) - 1):
            who, gone = (slice(*first[n : n + 2]) for first in (self.first, self.dropped_first))
            persons, heard, dropped = self.persons[who], self.heard[who], self.dropped[gone]
            groups.append(one_group(persons, heard, 0, dropped))
        return groups


def one_group(persons: Longs, heard: Bools, asked: int, dropped: Longs) -> Groups:
    """The people of a single aggregation."""
    return Groups(np.array([0, len(persons)]), persons, heard, asked, np.array([0, len(dropped)]), dropped)


class Terms(NamedTuple):
    """What an aggregation asks of its participants."""

    size: float  # of an upload, against a full model
    length: float  # seconds that it lasts
    dropout: float  # the share of participants that fail in it


class Aggregation(NamedTuple):
    """What a server is about to do, and for whom."""

    people: Longs  # those whom this server serves
    timing: Timing
    terms: Terms
    begin: float  # when it begins
    run: int  # the seed
    server: int  # the slot of the server's model
    number: int  # how often this server has aggregated before


def terms(timing: Timing, size: float, dropout: float) -> Terms:
    """The terms of aggregations that last for a download and an upload on an ordinary link."""
    length = (1 + size) * timing.round + 2 * timing.latency if timing.timed else timing.round
    return Terms(size, length, dropout)


@inlined
def _in_time(timing, terms, node, begin, takes):
    """Whether a node stays online for `takes` seconds, and the aggregation lasts that long."""
    return takes <= terms.length * (1 + 1e-9) and stays(timing, node, begin, begin + takes)


@inlined
def _outcome(timing, terms, node, begin, run, number):
    """What happens to a node that is asked at `begin` to take part in an aggregation."""
    outcome = OFFLINE
    if stays(timing, node, begin, begin):
        down, both = terms.length / 2, terms.length
        if timing.timed:
            down = 1 / timing.download[node] + timing.latency
            both = down + terms.size / timing.upload[node] + timing.latency
        chance = stream(run, LOSS, node, number)
        if not _in_time(timing, terms, node, begin, down) or uniform(chance, 0) < timing.loss:
            outcome = LOST
        elif uniform(chance, 2) < terms.dropout:
            outcome = DROPPED
        elif not _in_time(timing, terms, node, begin, both) or uniform(chance, 1) < timing.loss:
            outcome = UNHEARD
        else:
            outcome = DONE
    return outcome


@helper
def _chances(run, use, server, number):
    """The random numbers of an aggregation for one of eight uses, which differ between servers."""
    return stream(run, PARTICIPANTS, 8 * server + use, number)


@driver
def _attend(people, timing, terms, begin, run, number, outcome):
    sure = len(timing.first) == 0 and not timing.timed and timing.loss == 0 and terms.dropout == 0
    for n in prange(len(people)):
        node = people[n]
        outcome[node] = DONE if sure else _outcome(timing, terms, node, begin, run, number)


def attend(asked: Aggregation) -> Outcomes:
    """What happens to each of a server's people if all are asked; others count as offline."""
    outcome = np.full(len(asked.timing.upload), OFFLINE, np.int8)
    known = asked.people, asked.timing, asked.terms, asked.begin, asked.run, asked.number
    _attend(*known, outcome, batch=len(asked.people))
    return outcome


def answering(outcome: Outcomes) -> Groups:
    """The people who answer, when everybody who is not OFFLINE was asked."""
    persons, dropped = np.flatnonzero(outcome >= UNHEARD), np.flatnonzero(outcome == DROPPED)
    return one_group(persons, outcome[persons] == DONE, int(np.count_nonzero(outcome)), dropped)


@driver
def _draw(outcome, count, run, server, number):
    """Keep `count` random nodes of those online; the others become OFFLINE."""
    online = np.flatnonzero(outcome)
    key = _chances(run, 0, server, number)
    for n in range(len(online)):
        if n < count:
            other = n + below(key, n, len(online) - n)
            online[n], online[other] = online[other], online[n]
        else:
            outcome[online[n]] = OFFLINE


@helper
def shuffle(order, key):
    """Put an array in random order."""
    for n in range(len(order) - 1):
        other = n + below(key, n, len(order) - n)
        order[n], order[other] = order[other], order[n]


@driver
def shuffled(people, run, use):
    """The numbers of so many people in random order; `use` tells apart what it is for."""
    order = np.arange(people).astype(np.int32)
    shuffle(order, stream(run, GRAPH, use, 0))
    return order


@driver
def _next(asked, count, turn, order, groups):
    """Write groups of at most `count` people in turn; return how many groups there are.

    Without time the groups reach the end of the order; in virtual time there is one group. `turn` holds the
    number of the order and how far it was used. A new order begins where nobody is left in the old one.
    """
    people, timing, terms, begin, run, server, number = asked
    first, persons, heard, downloads, dropped_first, dropped = groups
    found = gone = made = 0
    begun = False
    while not (timing.timed and made):
        if turn[1] == len(order):
            if begun:
                break
            turn[0], turn[1], begun = turn[0] + 1, 0, True
            order[:] = people
            shuffle(order, _chances(run, 1, server, turn[0]))
        online = 0
        while online < count and turn[1] < len(order):
            node = order[turn[1]]
            turn[1] += 1
            outcome = _outcome(timing, terms, node, begin, run, number + made)
            online += outcome != OFFLINE
            if outcome >= UNHEARD:
                persons[found], heard[found] = node, outcome == DONE
                found += 1
            elif outcome == DROPPED:
                dropped[gone] = node
                gone += 1
        downloads[0] += online
        if online:
            made += 1
            first[made], dropped_first[made] = found, gone
    return made


def _in_turn(asked: Aggregation, count: int, turn: Longs, order: Ints) -> Groups:
    """The people who answer when everybody has a turn."""
    nodes = len(order)
    first, dropped_first, downloads = (np.zeros(size, np.int64) for size in (nodes + 1, nodes + 1, 1))
    persons, dropped = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    heard = np.empty(nodes, np.bool_)
    made = max(
        1, _next(asked, count, turn, order, (first, persons, heard, downloads, dropped_first, dropped))
    )
    found, gone = int(first[made]), int(dropped_first[made])
    ends = first[: made + 1], dropped_first[: made + 1]
    return Groups(ends[0], persons[:found], heard[:found], int(downloads[0]), ends[1], dropped[:gone])


@driver
def _waits(outcome, useful, mean, run, server, number, waits):
    """Write a random time for each node; the nodes with the shortest are drawn. Nodes never asked come first.

    The first of exponential times with these rates are a sample without replacement in which the chance
    of each next one is proportional to its rate (Efraimidis and Spirakis 2006).
    """
    key = _chances(run, 2, server, number)
    for node in prange(len(outcome)):
        chance = uniform(key, node)
        rate = EXPLORED + ((1 - EXPLORED) * useful[node] / mean if mean > 0 else 0.0)
        last = chance - 1 if useful[node] < 0 else -np.log(1 - chance) / rate
        waits[node] = np.inf if outcome[node] == OFFLINE else last


def _draw_useful(outcome: Outcomes, count: int, asked: Aggregation, useful: Floats) -> None:
    """Sample `count` online nodes by usefulness, then set theirs to 0 until they answer."""
    waits, known = np.empty(len(outcome)), useful[useful >= 0]
    mean = float(known.mean(dtype=np.float64)) if len(known) else 0.0
    _waits(outcome, useful, mean, asked.run, asked.server, asked.number, waits, batch=len(outcome))
    if np.count_nonzero(outcome) > count:
        outcome[np.argpartition(waits, count)[count:]] = OFFLINE
    useful[outcome != OFFLINE] = 0


def kept(selection: Selection, participants: int, people: int) -> dict[str, Any]:
    """What a server remembers from one aggregation to the next in order to select."""
    if participants and selection == "in-turn":
        return {"turn": np.array([0, people]), "order": np.arange(people, dtype=np.int32)}
    if participants and selection == "useful":
        return {"useful": np.full(people, -1, np.float32)}
    return {}


def select(kept: dict[str, Any], participants: int, asked: Aggregation) -> Groups:
    """The people who answer in the aggregation that begins then; without time, in all of a round's."""
    if "turn" in kept:
        return _in_turn(asked, participants, kept["turn"], kept["order"])
    outcome = attend(asked)
    if "useful" in kept:
        _draw_useful(outcome, participants, asked, kept["useful"])
    elif participants:
        _draw(outcome, participants, asked.run, asked.server, asked.number)
    return answering(outcome)
