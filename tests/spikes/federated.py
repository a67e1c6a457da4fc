"""A spike of a federated round: scratch slots hold the rows a participant touches, nothing more.

Participants train by the very driver that gossip uses. What they changed is an Update, which has
the layout of the tables it came from: its rows, head and ages hold differences.
"""

import numpy as np

from sottovoce.combine.none import Replace
from sottovoce.exchange.compression import Whole
from sottovoce.kernels import driver, helper, prange
from sottovoce.models import touched
from sottovoce.protocols import alone, execute
from sottovoce.state import gathered, width


@driver
def touched_rows(model, people, persons, run, items):
    """The items each participant will touch, one array after the other, and where each begins."""
    count = np.zeros(len(persons), np.int64)
    every = np.empty((len(persons), items), np.int32)
    for n in prange(len(persons)):
        count[n] = touched(model, people, persons[n], run, every[n])
    return count, every


@helper
def _move(server, scratch, slot, keep):
    """Scratch rows and head become `keep` times themselves plus or minus the server's."""
    sign = np.float32(1 - 2 * keep)
    for d in range(scratch.head.shape[1]):
        scratch.head[slot, d] = sign * server.head[0, d] + (scratch.head[slot, d] if keep else np.float32(0))
    for j in range(scratch.offset[slot], scratch.offset[slot + 1]):
        for d in range(width(server)):
            y = sign * server.rows[scratch.ids[j], d]
            scratch.rows[j, d] = y + (scratch.rows[j, d] if keep else np.float32(0))


@driver
def gather(server, scratch):
    """Copy the server's rows and head into every scratch slot."""
    for slot in prange(len(scratch.clock)):
        _move(server, scratch, slot, 0)


@driver
def difference(server, scratch):
    """Turn trained scratch slots into Updates."""
    for slot in prange(len(scratch.clock)):
        _move(server, scratch, slot, 1)


@driver
def apply(server, updates):
    """Algorithm 1 of Hegedűs et al. 2019: each row moves by the mean over those who changed it."""
    total, contributors = np.zeros_like(server.rows), np.zeros(len(server.rows), np.int32)
    for j in range(len(updates.ids)):
        contributors[updates.ids[j]] += 1
        total[updates.ids[j]] += updates.rows[j]
    for i in range(len(server.rows)):
        if contributors[i]:
            server.rows[i] += total[i] / np.float32(contributors[i])
            server.age[i] += 1
    for slot in range(len(updates.clock)):
        server.head[0] += updates.head[slot] / np.float32(len(updates.clock))


def federated_round(model, server, people, persons, run):
    """One round with these participants; `people` knows everybody, scratch slots only them."""
    items = len(server.rows)
    count, every = touched_rows(model, people, persons, run, items, batch=len(persons))
    scratch = gathered(count, server.width, server.head.shape[1])
    scratch.ids[:] = np.concatenate([every[n, :c] for n, c in enumerate(count)])
    gather(server, scratch, batch=len(persons))
    hosted = people._replace(member=persons, first=np.arange(len(persons) + 1))
    tables = scratch, scratch, scratch
    execute(alone(len(persons)), Replace(), model, Whole(), *tables, hosted, run, batch=len(persons))
    difference(server, scratch, batch=len(persons))
    apply(server, scratch)
    return scratch
