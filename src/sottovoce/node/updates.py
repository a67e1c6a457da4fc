"""What a node sends to a server that sees updates: what training the server's model changed."""

from typing import TYPE_CHECKING

import numpy as np

from sottovoce.errors import MessageError
from sottovoce.exchange import codec
from sottovoce.exchange.message import CODES, UPDATE, Message, received
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.kernels import ROUNDING, stream
from sottovoce.models.instances import room
from sottovoce.node import drivers
from sottovoce.state import People, Tables, gathered

if TYPE_CHECKING:
    from sottovoce.node.community import Community, Key


def trained(community: "Community", key: "Key", people: People, data: bytes) -> tuple[Tables, int]:
    """What training on a server's model changed, once the steps have seen it, and the model's version."""
    message = codec.decode(data, community.expect)
    if message.gathered and len(message.rows):
        raise MessageError("A server's model must have a row for every item.", "Send it whole.")
    items = len(community.items)
    most = room(community.model, items)
    updates = gathered([most, 0], int(community.shape.row), community.shape.head, items)
    # `update_message` rounds
    steps = sequence([*community.steps_on_device(), community.chain._replace(bits=32)])
    drivers.change(community.model, received(message), steps, updates, people, key.run, message.clock)
    return updates, message.clock


def update_message(community: "Community", key: "Key", updates: Tables, version: int, number: int) -> Message:
    """An update as a message: rows in the order of items, as codes if the chain says so."""
    bits, count = community.chain.bits, int(updates.offset[1])
    scale = np.zeros((2, (community.shape.row + 1) * (bits < 32)), np.float32)
    if bits < 32:
        drivers.encode(updates, bits, stream(key.run, ROUNDING, key.person, version), scale)
    order = np.argsort(updates.ids[:count])
    rows, head = (a.astype(CODES[bits]) for a in (updates.rows[:count][order], updates.head[0]))
    return Message(
        rows=rows,
        age=np.empty(0, np.int32),
        ids=updates.ids[:count][order],
        head=head,
        clock=version,
        size=int(updates.size[0]),
        scale=scale,
        kind=UPDATE,
        **community.stamp(key.name, number),
    )
