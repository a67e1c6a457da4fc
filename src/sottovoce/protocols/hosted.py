"""How the people of one slot train: one after the other, or together as one place with all their data."""

from typing import NamedTuple

from sottovoce.kernels import operation
from sottovoce.models.training import train_together_stored
from sottovoce.protocols.disclose import train_disclosed


class InTurn(NamedTuple):
    """Each person of a slot trains, one after the other."""


class Together(NamedTuple):
    """The slot holds the data of all its people, and the model decides how to pass over it."""


@operation
def train_hosted(way, rule, model, steps, tables, private, slot, people, run):
    """Let all people of a slot train once; see `protocols.execute`."""


@train_hosted.rule(InTurn)
def _in_turn(way, rule, model, steps, tables, private, slot, people, run):
    for n in range(people.first[slot], people.first[slot + 1]):
        person = people.member[n]
        train_disclosed(steps, rule, model, tables, private, slot, people, person, run)
        people.steps[person] += 1
        tables.clock[slot] += 1


@train_hosted.rule(Together)
def _together(way, rule, model, steps, tables, private, slot, people, run):
    train_together_stored(tables, slot, model, people, run)
    for n in range(people.first[slot], people.first[slot + 1]):
        people.steps[people.member[n]] += 1
        tables.clock[slot] += 1
