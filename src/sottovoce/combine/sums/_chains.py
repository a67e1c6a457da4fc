"""Rows that blocks of participants sum: each block in the order in which it first saw them.

A client's work is in proportion to what it touches: a block finds an item's row through an index. When all
blocks are done, a chain through the blocks links the rows of one item. `sums` has these arrays:

| array     | shape            | what it holds                                                         |
|-----------|------------------|-----------------------------------------------------------------------|
| `ids`     | [blocks · items] | the item of each row                                                  |
| `where`   | [blocks, items]  | where a block has an item's row; -1: nowhere                          |
| `total`   | [blocks, 4]      | … and, last, how many rows a block has                                |
| `first`   | [items]          | an item's row of the first block that has one; -1: none               |
| `next`    | [blocks · items] | the same item's row of a later block; -1: none                        |
| `changed` | [items]          | the items that have a row                                             |
"""

from sottovoce.kernels import helper


@helper
def forget(sums, block):
    """Forget the rows and the totals of a block."""
    where, ids = sums.where, sums.ids
    begin = block * where.shape[1]
    for n in range(begin, begin + int(sums.total[block, 3])):
        where[block, ids[n]] = -1
    for d in range(sums.head.shape[1]):
        sums.head[block, d] = 0
    for d in range(sums.total.shape[1]):
        sums.total[block, d] = 0


@helper
def chain_up(sums):
    """Link what blocks have of each item, the first block's first; return how many items there are."""
    ids, following, first, changed = sums.ids, sums.next, sums.first, sums.changed
    found = 0
    for block in range(len(sums.total) - 1, -1, -1):
        begin = block * len(first)
        for n in range(begin, begin + int(sums.total[block, 3])):
            item = ids[n]
            if first[item] < 0:
                changed[found] = item
                found += 1
            following[n], first[item] = first[item], n
    return found
