"""Who takes part in a server's aggregations, and what happens to the people who are asked.

An aggregation takes a download and an upload. A person who goes offline during the download, is too slow for
it, loses it, or drops out, is left out. A person who has the model trains it and sends what changed
(Algorithm 2, Hegedűs et al. 2019). If that upload fails, the person has learnt and the server gets
nothing. All of this is a function of the seed, the person and the number of the aggregation.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import LOSS, PARTICIPANTS, below, driver, helper, inlined, prange, stream, uniform
from sottovoce.state import Bools, Longs
from sottovoce.timing import Timing, stays

Fates = NDArray[np.int8]
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
    dropped: int  # downloads that arrived at people who then dropped out

    def each(self) -> "list[Groups]":
        """The groups of single aggregations, without the counts of messages."""
        bounds = zip(self.first[:-1].tolist(), self.first[1:].tolist(), strict=True)
        parts = ((self.persons[a:b], self.heard[a:b]) for a, b in bounds)
        return [Groups(np.array([0, len(who)]), who, heard, 0, 0) for who, heard in parts]


class Terms(NamedTuple):
    """What an aggregation asks of its participants."""

    size: float  # of an upload, against a full model
    length: float  # seconds that it lasts
    dropout: float  # the share of participants that fail in it


def terms(timing: Timing, size: float, dropout: float) -> Terms:
    """The terms of aggregations that last for a download and an upload on an ordinary link."""
    length = (1 + size) * timing.round + 2 * timing.latency if timing.timed else timing.round
    return Terms(size, length, dropout)


@inlined
def _in_time(timing, terms, node, begin, takes):
    """Whether a node stays online for `takes` seconds, and the aggregation lasts that long."""
    return takes <= terms.length * (1 + 1e-9) and stays(timing, node, begin, begin + takes)


@inlined
def _fate(timing, terms, node, begin, run, number):
    """What happens to a node that is asked at `begin` to take part in an aggregation."""
    fate = OFFLINE
    if stays(timing, node, begin, begin):
        down, both = terms.length / 2, terms.length
        if timing.timed:
            down = 1 / timing.download[node] + timing.latency
            both = down + terms.size / timing.upload[node] + timing.latency
        chance = stream(run, LOSS, node, number)
        if not _in_time(timing, terms, node, begin, down) or uniform(chance, 0) < timing.loss:
            fate = LOST
        elif uniform(chance, 2) < terms.dropout:
            fate = DROPPED
        elif not _in_time(timing, terms, node, begin, both) or uniform(chance, 1) < timing.loss:
            fate = UNHEARD
        else:
            fate = DONE
    return fate


@driver
def _attend(timing, terms, begin, run, number, fate):
    sure = len(timing.first) == 0 and not timing.timed and timing.loss == 0 and terms.dropout == 0
    for node in prange(len(fate)):
        fate[node] = DONE if sure else _fate(timing, terms, node, begin, run, number)


def attend(timing: Timing, terms: Terms, begin: float, run: int, number: int) -> Fates:
    """What happens to everybody if all are asked at `begin` to take part in an aggregation."""
    fate = np.empty(len(timing.upload), np.int8)
    _attend(timing, terms, begin, run, number, fate, batch=len(fate))
    return fate


def answering(fate: Fates) -> Groups:
    """The people who answer, when everybody who is not OFFLINE was asked."""
    persons = np.flatnonzero(fate >= UNHEARD)
    asked, dropped = int(np.count_nonzero(fate)), int(np.count_nonzero(fate == DROPPED))
    return Groups(np.array([0, len(persons)]), persons, fate[persons] == DONE, asked, dropped)


@driver
def _draw(fate, count, run, number):
    """Keep `count` random nodes of those online; the others become OFFLINE."""
    online = np.flatnonzero(fate)
    key = stream(run, PARTICIPANTS, 0, number)
    for n in range(len(online)):
        if n < count:
            other = n + below(key, n, len(online) - n)
            online[n], online[other] = online[other], online[n]
        else:
            fate[online[n]] = OFFLINE


@helper
def shuffle(order, key):
    """Put an array in random order."""
    for n in range(len(order) - 1):
        other = n + below(key, n, len(order) - n)
        order[n], order[other] = order[other], order[n]


@driver
def _next(timing, terms, begin, run, number, count, turn, order, first, persons, heard, told):
    """Write groups of at most `count` people in turn; return how many groups there are.

    Without time the groups reach the end of the order; in virtual time there is one group. `turn` holds the
    number of the order and how far it was used. A new order begins where nobody is left in the old one.
    """
    groups, found, begun = 0, 0, False
    while not (timing.timed and groups):
        if turn[1] == len(order):
            if begun:
                break
            turn[0], turn[1], begun = turn[0] + 1, 0, True
            for n in range(len(order)):
                order[n] = n
            shuffle(order, stream(run, PARTICIPANTS, 1, turn[0]))
        asked = 0
        while asked < count and turn[1] < len(order):
            node = order[turn[1]]
            turn[1] += 1
            fate = _fate(timing, terms, node, begin, run, number + groups)
            asked += fate != OFFLINE
            told[fate] += 1
            if fate >= UNHEARD:
                persons[found], heard[found] = node, fate == DONE
                found += 1
        if asked:
            groups += 1
            first[groups] = found
    return groups


@driver
def _luck(fate, useful, mean, run, number, luck):
    """Write a number for each node; the nodes with the lowest are drawn. Nodes never asked come first.

    The first of exponential times with these rates are a sample without replacement in which the chance
    of each next one is proportional to its rate (Efraimidis and Spirakis 2006).
    """
    key = stream(run, PARTICIPANTS, 2, number)
    for node in prange(len(fate)):
        chance = uniform(key, node)
        rate = EXPLORED + ((1 - EXPLORED) * useful[node] / mean if mean > 0 else 0.0)
        last = chance - 1 if useful[node] < 0 else -np.log(1 - chance) / rate
        luck[node] = np.inf if fate[node] == OFFLINE else last


def _draw_useful(fate: Any, count: int, run: int, number: int, useful: Any) -> None:
    """Sample `count` online nodes by usefulness, then set theirs to 0 until they answer."""
    luck = np.empty(len(fate))
    asked = useful[useful >= 0]
    mean = float(asked.mean(dtype=np.float64)) if len(asked) else 0.0
    _luck(fate, useful, mean, run, number, luck, batch=len(fate))
    if np.count_nonzero(fate) > count:
        fate[np.argpartition(luck, count)[count:]] = OFFLINE
    useful[fate != OFFLINE] = 0


def kept(selection: Selection, participants: int, people: int) -> dict[str, Any]:
    """What a server remembers from one aggregation to the next in order to select."""
    if participants and selection == "in-turn":
        return {"turn": np.array([0, people]), "order": np.arange(people, dtype=np.int32)}
    if participants and selection == "useful":
        return {"useful": np.full(people, -1, np.float32)}
    return {}


def select(
    kept: dict[str, Any], participants: int, timing: Timing, terms: Terms, begin: float, run: int, number: int
) -> Groups:
    """The people who answer in the aggregation that begins then; without time, in all of a round's."""
    nodes = len(timing.upload)
    if "turn" in kept:
        first, persons = np.zeros(nodes + 1, np.int64), np.empty(nodes, np.int64)
        heard, told = np.empty(nodes, np.bool_), np.zeros(DONE + 1, np.int64)
        order = kept["turn"], kept["order"]
        groups = _next(timing, terms, begin, run, number, participants, *order, first, persons, heard, told)
        first = first[: max(groups, 1) + 1]
        found = int(first[-1])
        return Groups(first, persons[:found], heard[:found], int(told[1:].sum()), int(told[DROPPED]))
    fate = attend(timing, terms, begin, run, number)
    if "useful" in kept:
        _draw_useful(fate, participants, run, number, kept["useful"])
    elif participants:
        _draw(fate, participants, run, number)
    return answering(fate)
