"""What a person remembers of Adam between two trainings: `optimizer_state = "kept"`.

`People.optimizer[person]` holds, with w numbers in a row or vector and h in the head:

| where                 | what                                                  |
|-----------------------|-------------------------------------------------------|
| 0                     | the person's steps of Adam so far                     |
| 1                     | both moments of the person's vector, w numbers each   |
| 1 + 2w                | both moments of the head, h numbers each              |
| 1 + 2w + 2h + 2wj     | both moments of item j's row, w numbers each          |

The place depends on the item alone, so that it makes no difference whether a training sees a whole table or
just the rows that it touches. Zero is the state of what was never trained.
"""

from sottovoce.kernels import helper, inlined
from sottovoce.models._network import Network, head_length, vector_length
from sottovoce.models.interface import optimizer_size


@optimizer_size.rule(Network)
def _optimizer_size(model: Network, items: int) -> int:
    w, h = int(vector_length(model)), int(head_length(model))
    return 1 + 2 * w + 2 * h + 2 * w * items if model.kept else 0


@inlined
def _take(state, at, group, place, count):
    for d in range(count):
        group[2, place, d] = state[at + d]
        group[3, place, d] = state[at + count + d]


@inlined
def _put(state, at, group, place, count):
    for d in range(count):
        state[at + d] = group[2, place, d]
        state[at + count + d] = group[3, place, d]


@helper
def load_moments(model, state, items, rows, vectors, head):
    """Put a person's moments into groups [4, n, length], row n being that of `items[n]`; return the steps."""
    w, h = vector_length(model), head_length(model)
    _take(state, 1, vectors, 0, w)
    _take(state, 1 + 2 * w, head, 0, h)
    for n in range(len(items)):
        _take(state, 1 + 2 * (w + h + w * items[n]), rows, n, w)
    return int(state[0])


@helper
def store_moments(model, state, items, rows, vectors, head, steps):
    """Write the moments in these groups, and the number of steps, into a person's state."""
    w, h = vector_length(model), head_length(model)
    state[0] = steps
    _put(state, 1, vectors, 0, w)
    _put(state, 1 + 2 * w, head, 0, h)
    for n in range(len(items)):
        _put(state, 1 + 2 * (w + h + w * items[n]), rows, n, w)
