"""Where the updates of many people become one sum: what a way of summing consists of.

A way of summing is a `NamedTuple`, registered with `@component("sum", name)`. Participants are divided into
blocks, which run in parallel. A block accumulates its participants' updates one after the other; when all
blocks are done, `collect` finds the rows that were changed, and the totals are read. Federation,
secure aggregation and consensus among peers differ in this alone.
"""

from typing import Any

from sottovoce.kernels import operation
from sottovoce.state import Floats


@operation
def new_sums(sum: Any, blocks: int, items: int, row: int, head: int, lengths: Floats) -> Any:
    """The arrays that this way of summing works in. Python only.

    `items` is the size of the catalogue, `row` and `head` the width of a row and of the head. `lengths` [U]
    or [0] takes the length of each person's update, if anybody asks for it.
    """


@operation(default=lambda sum, sums, run, slot, round: None)
def begin(sum, sums, run, slot, round):
    """Begin aggregation `round` of the server in `slot`. By default nothing; noise takes its key from it."""


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
