"""Carry out a plan: receivers merge messages and train, in compiled code."""

import numpy as np

from sottovoce.combine.interface import judges, train_after_merge
from sottovoce.combine.merge import merge
from sottovoce.exchange.pack import pack
from sottovoce.kernels import clock, driver, helper, prange
from sottovoce.protocols.interface import NOBODY
from sottovoce.state import remember


@helper
def absorb(rule, model, tables, snapshots, slot, origin, sender, people, run):
    """Merge what `origin` stands for (see `Plan`) into a slot, then let the slot's people train.

    A model that is to be passed on as it is takes the place of the own one, and nobody trains.
    """
    begin, end = people.first[slot], people.first[slot + 1]
    slots = len(tables.clock)
    if origin != NOBODY:
        judge = people.member[begin]
        over = len(people.relayed) > 0 and people.relayed[sender]
        if origin >= slots:
            found = merge(rule, model, tables, slot, snapshots, origin - slots, people, judge, run, over)
        else:
            found = merge(rule, model, tables, slot, tables, origin, people, judge, run, over)
        if judges(rule) and people.heard.shape[1]:
            remember(people, judge, sender, found)
        if over:
            return
    for n in range(begin, end):
        person = people.member[n]
        train_after_merge(rule, model, tables, slot, people, person, run)
        people.steps[person] += 1
        tables.clock[slot] += 1


@helper
def _visit(plan, n, rule, model, tables, snapshots, people, run):
    """Let a receiver take its messages, and note how long that takes, in equal parts for its people."""
    began = clock()
    slot = np.int64(plan.receiver[n])  # one kind of number, so that all is compiled only once
    for m in range(plan.first[n], plan.first[n + 1]):
        origin, sender = np.int64(plan.source[m]), np.int64(plan.sender[m])
        absorb(rule, model, tables, snapshots, slot, origin, sender, people, run)
    hosted = people.member[people.first[slot] : people.first[slot + 1]]
    for person in hosted:
        people.spent[person] += (clock() - began) / len(hosted)


@driver
def execute(plan, rule, model, chain, tables, snapshots, reference, people, run):
    """Carry out a plan: absorb-and-train, level by level, in parallel over receivers.

    `chain` is what is done to a message, `reference` the model that deltas refer to.
    """
    for level in range(len(plan.level) - 1):
        for c in prange(plan.copies[level], plan.copies[level + 1]):
            slot, place = np.int64(plan.copied[c]), np.int64(plan.into[c])
            pack(chain, tables, slot, people, reference, snapshots, place, run, plan.number[c])
        for n in prange(plan.level[level], plan.level[level + 1]):
            _visit(plan, n, rule, model, tables, snapshots, people, run)
