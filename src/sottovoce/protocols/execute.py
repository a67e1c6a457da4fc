"""Carry out a plan in compiled code: receivers merge messages and train. It knows no protocol and no time."""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.combine.interface import judges
from sottovoce.combine.merge import merge
from sottovoce.exchange.pack import pack
from sottovoce.kernels import clock, driver, helper, prange
from sottovoce.protocols.hosted import train_hosted
from sottovoce.protocols.interface import NOBODY
from sottovoce.state import remember


class Learning(NamedTuple):
    """How a receiver learns: the components that compiled code takes, in this order."""

    rule: Any  # how an incoming model is merged
    model: Any
    steps: Any  # what is done to a change before it enters the table that travels
    hosted: Any  # how the people of a slot train


@helper
def absorb(
    rule, model, steps, hosted, tables, private, snapshots, slot, origin, sender, people, receivers, run
):
    """Merge what `origin` stands for (see `Plan`) into a slot, then let the slot's people train.

    A model that is passed on as it is replaces the slot's model, and nobody trains.
    """
    slots = len(tables.clock)
    if origin != NOBODY:
        judge = people.member[people.first[slot]]
        over = len(receivers.relayed) > 0 and receivers.relayed[sender]
        if origin >= slots:
            found = merge(rule, model, tables, slot, snapshots, origin - slots, people, judge, run, over)
        else:
            found = merge(rule, model, tables, slot, tables, origin, people, judge, run, over)
        if judges(rule) and receivers.heard.shape[1]:
            remember(receivers, judge, sender, found)
        if over:
            return
    train_hosted(hosted, rule, model, steps, tables, private, slot, people, run)


@helper
def _visit(plan, n, rule, model, steps, hosted, tables, private, snapshots, people, receivers, run):
    """Let a receiver take its messages. Its people share the seconds that this takes equally."""
    began = clock()
    slot = np.int64(plan.receiver[n])  # one kind of number, so that all is compiled only once
    for m in range(plan.first[n], plan.first[n + 1]):
        origin, sender = np.int64(plan.source[m]), np.int64(plan.sender[m])
        places = slot, origin, sender
        absorb(rule, model, steps, hosted, tables, private, snapshots, *places, people, receivers, run)
    hosted = people.member[people.first[slot] : people.first[slot + 1]]
    for person in hosted:
        receivers.spent[person] += (clock() - began) / len(hosted)


@driver
def train_alone(rule, model, steps, hosted, tables, private, people, run):
    """Let the people of every slot train once. Nothing is merged, so this is quick to compile."""
    for index in prange(len(tables.clock)):
        slot = np.int64(index)
        train_hosted(hosted, rule, model, steps, tables, private, slot, people, run)


@driver
def execute(
    plan, rule, model, steps, hosted, chain, tables, private, snapshots, reference, people, receivers, run
):
    """Carry out a plan: absorb-and-train, level by level, in parallel over receivers.

    `chain` is what is done to a message, `reference` the model that deltas refer to, and `private` the
    remainders of people who disclose a part of their training only.
    """
    for level in range(len(plan.level) - 1):
        for c in prange(plan.copies[level], plan.copies[level + 1]):
            slot, place = np.int64(plan.copied[c]), np.int64(plan.into[c])
            pack(chain, tables, slot, people, reference, snapshots, place, run, plan.number[c])
        for n in prange(plan.level[level], plan.level[level + 1]):
            _visit(plan, n, rule, model, steps, hosted, tables, private, snapshots, people, receivers, run)
