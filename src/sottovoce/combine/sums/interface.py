"""Where the updates of many people become one sum: what a way of summing consists of.

A way of summing is a `NamedTuple`, registered with `@component("sum", name)`. Participants are divided into
blocks, which run in parallel. A block accumulates its participants' updates one after the other; when all
blocks are done, `collect` finds the rows that were changed, and the totals are read. Federation,
secure aggregation and consensus among peers differ in this alone.

Beside the compiled operations there are some in Python: which recipes a way of summing refuses, what it
sends, what a server sees of it, and what it has to say after a run. Their defaults are those of a server
that gets every update as one message.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sottovoce.exchange import codec
from sottovoce.exchange.message import UPDATE
from sottovoce.kernels import operation
from sottovoce.state import Floats, Longs


class Task(NamedTuple):
    """What is summed, and for whom. A number that is not known yet is 0."""

    rule: Any  # of aggregation
    chain: Any  # of compressions
    items: int  # in the catalogue
    row: int  # numbers in a row
    head: int  # numbers in the head
    group: int  # the most people in an aggregation
    people: int  # in the whole network
    vector: int  # numbers of a person's own vector that travel with every message
    lengths: bool  # whether the server asks how long each person's update is


class Done(NamedTuple):
    """Aggregations that were carried out, [n]."""

    number: int  # how many this server had before
    people: int  # whom the server serves
    asked: int  # people to whom the model was sent, in all of them
    dropped: int  # people who got it and left without training
    participants: Longs  # [n], people who trained
    heard: Longs  # [n], those of them whom the server could hear
    rows: Longs  # [n], rows that were sent, as `weights_and_rows` counts them


# What compiled code does


@operation(default=lambda sum, task: sum)
def compiled(sum: Any, task: Task) -> Any:
    """What compiled code takes in place of this component: a component of numbers alone. Python only."""


@operation
def new_sums(sum: Any, blocks: int, items: int, row: int, head: int, lengths: Floats) -> Any:
    """The arrays that this way of summing works in. Python only.

    `items` is the size of the catalogue, `row` and `head` the width of a row and of the head. `lengths` [U]
    or [0] takes the length of each person's update, if anybody asks for it.
    """


@operation(default=lambda sum, sums, participants, heard, run, slot, round: None)
def open_sums(sum, sums, participants, heard, run, slot, round):
    """Begin aggregation `round` of the server in `slot`; by default nothing.

    There are so many participants, so many of whom will be heard. Noise takes its key from the rest.
    """


@operation(default=lambda sum, sums, server, slot: None)
def look_at_model(sum, sums, server, slot):
    """Note what is wrong with the model that participants are about to get; by default nothing."""


@operation
def clear(sum, sums, block):
    """Forget what a block has summed."""


@operation
def accumulate(sum, rule, updates, place, person, heard, sums, block):
    """Add update `place`, which `person` sent, to what a block sums, weighted as the aggregation rule says.

    An update that is not `heard` counts as sent and adds nothing.
    """


@operation
def collect(sum, sums):
    """Finish the sums of all blocks. Returns how many items changed; `changed_item` tells which."""


@operation
def changed_item(sum, sums, n):
    """The n-th item that somebody changed."""


@operation
def row_total(sum, sums, item):
    """Finish the sum of an item's row. Returns n: `sums.rows[n]` [w + 1] then holds the weighted sum of its
    changes, and at its end the weights of those who changed it.

    It is called once for each changed item, by any thread.
    """


@operation
def head_total(sum, sums, d):
    """The weighted sum of the changes of number `d` of the head."""


@operation
def weights_and_rows(sum, sums):
    """The weights of all participants for rows and for the head, and how many rows were sent."""


# What Python does


@operation(default=lambda sum, task: None)
def check_task(sum: Any, task: Task) -> None:
    """Refuse, by a `RecipeError`, what cannot be summed in this way. Python only."""


@operation(default=lambda sum, sums: None)
def check_sums(sum: Any, sums: Any) -> None:
    """Refuse, by a `RecipeError`, sums that went wrong; `sum` is as compiled code has it. Python only."""


def _one_message(sum: Any, task: Task) -> float:
    return codec.payload(task.chain, task.items, task.row, task.head)


@operation(default=_one_message)
def upload(sum: Any, task: Task) -> float:
    """How long it takes a participant to give its update, with a full model as the unit. Python only."""


def _each_update(sum: Any, sums: Any, task: Task, done: Done) -> tuple[int, int, int]:
    """Whole models down, updates up. Those that do not arrive count like others, as in gossip.

    With them a person's vector goes both ways, as a part of the head that is never rounded.
    """
    row, head, vector = task.row, task.head, task.vector
    uploads, heard, rows = (int(each.sum()) for each in (done.participants, done.heard, done.rows))
    empty, one = (codec.size(count, row, head, True, task.chain.bits, UPDATE) for count in (0, 1))
    down = done.asked * codec.size(task.items, row, head + vector, False)
    up = uploads * (empty + 4 * vector) + rows * (one - empty)
    return done.asked + uploads, uploads + done.dropped + heard, down + up


@operation(default=_each_update)
def traffic(sum: Any, sums: Any, task: Task, done: Done) -> tuple[int, int, int]:
    """The messages that these aggregations took, how many of them arrived, and their bytes. Python only."""


@operation(default=lambda sum, task, records, participants, run: records)
def server_sees(
    sum: Any, task: Task, records: list[dict[str, Any]], participants: int, run: int
) -> list[dict[str, Any]]:
    """What an observing server sees of the updates that it hears in an aggregation of so many participants.

    `records` hold these updates as `simulate.observe` describes them; by default it sees each. Python only.
    """


class Decrypted(NamedTuple):
    """A sum as those who take part in the next aggregation read it."""

    rows: Floats  # [items, w + 1], sums of rows, and at the end how many people changed each
    head: Floats  # [h], times instances
    instances: int  # of all people in the sum


@operation(default=lambda sum, sums, task: None)
def decrypted(sum: Any, sums: Any, task: Task) -> Decrypted | None:
    """What participants of the next aggregation learn of this one beside the model; None if there is no sum,
    or, by default, nothing. Python only."""


@operation(default=lambda sum: False)
def participants_decrypt(sum: Any) -> bool:
    """Whether participants decrypt the sum of the aggregation before. Python only."""


@operation(default=lambda sum, sums: np.empty(0, np.int64))
def tally(sum: Any, sums: Any) -> Longs:
    """What was counted over all aggregations: an array of `sums`, which checkpoints hold. Python only."""


@operation(default=lambda sum, tally: ())
def remarks(sum: Any, tally: Longs) -> Sequence[str]:
    """Sentences about a run that counted this. Python only."""
