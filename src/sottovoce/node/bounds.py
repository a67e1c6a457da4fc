"""What a node takes from one message at most, so that a single one cannot decide for good.

Ages and clocks say how much a model weighs, and whether it is newer. They are not proven, and what was
taken once stays: with an age of 2^29 a row would count for everything here, and later ones for nothing. So
they count up to a bound that honest ones keep to, and the bound follows what the node itself has.
"""

from typing import TYPE_CHECKING

import numpy as np

from sottovoce.combine.interface import merged_age
from sottovoce.errors import MessageError
from sottovoce.exchange.message import Message
from sottovoce.state import Tables

if TYPE_CHECKING:
    from sottovoce.node.community import Community

LARGEST = 2.0**10
"""No number in a message that is merged is larger, of either sign.

Weights and biases of models that learn are of the size of ratings; 16 bits of them suffice for training.
"""
SWEEPS = 4
"""How far ahead of a node's own a clock counts where models are solved from sums.

A model of a later sweep is taken, however late it says it is. Then the clock grows by this at most, so that
after a lie the models of others are older for so many sweeps only. A newcomer takes each newer model
until its clock has come up with the others'.
"""
AGES = 8
"""How many times as old as one's own model another one may count, or as the community expects a model to
become (`trainings`)."""


def check_codes(incoming: Tables) -> None:
    """Refuse weights above `LARGEST` in a message of codes, once it is known what they stand for."""
    largest = max(float(np.abs(part).max(initial=0.0)) for part in (incoming.rows, incoming.head))
    if not largest <= LARGEST:
        raise MessageError(
            f"A message's codes stand for weights up to {largest:.3g}, and {LARGEST:.0f} is the limit.",
            "The sender's model has diverged, or its sender means harm.",
        )


def bounded(community: "Community", message: Message, mine: Tables) -> Message:
    """The message with its ages and its clock as far as they count here."""
    own = int(mine.clock[0])
    if community.solved:
        return message._replace(clock=min(message.clock, own + SWEEPS))
    most, oldest = AGES * community.trainings, int(message.age.max(initial=0))
    if max(message.clock, oldest) <= most or merged_age(community.merge, 1, 1) > 1:
        return message  # where ages are added, they soon have no bound
    clock = min(message.clock, max(most, AGES * own))
    most = max(most, AGES * int(mine.age.max()))
    return message._replace(clock=clock, age=np.minimum(message.age, np.int32(most)))
