"""How much memory a simulation needs, computed before it begins."""

from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.exchange.compression.interface import Chain, Whole, rows
from sottovoce.models.interface import optimizer_size, shape
from sottovoce.protocols.consensus import BLOCKS, count_columns, group_count, shared
from sottovoce.protocols.contribution import sum_shape
from sottovoce.protocols.hosted import InTurn
from sottovoce.protocols.interface import hosted, hosts, trainings
from sottovoce.simulate.plan import SPARE
from sottovoce.state import STORAGES, Storage


def memory_needed(
    model: Any,
    protocol: Any,
    data: Interactions,
    seed: int = 1,
    *,
    chain: Chain | Whole = Whole(),  # noqa: B008 - a NamedTuple, which cannot change
    steps: bool = False,
    timed: bool = False,
    storage: Storage = "float32",
) -> int:
    """Bytes of all models and snapshots, for the people and the catalogue of `data`.

    With p messages per node and round, the planner was seen to copy a little less than
    (p − 1) / (p + 2) of all models, and it may copy one in SPARE more; in virtual time up to two thirds.
    A compressed message is written down, in float32, for each that is on its way or waits in the plan:
    in virtual time 2.1 to 2.5 of them for every node. With `steps` among peers, everybody also keeps a
    private remainder, and evaluation a copy of everybody's model. Sums among peers take a place for every
    node in float32, or exact sums one for every group and for the sum of groups, and there are no snapshots.
    """
    slots, size, sums = hosts(protocol, data, seed).slots, shape(model), 0
    sent = trainings(protocol, False, 1.0)
    number, count = (np.dtype(kind).itemsize for kind in STORAGES[storage])
    table = data.items * (size.row * number + count) + (size.head + 2) * 4
    held = table * (2 / 3 if timed else (sent - 1) / (sent + 2) + 1 / SPARE)
    if isinstance(chain, Chain):
        message = rows(chain, data.items) * (size.row * 4 + (8 if chain.share < 1 else 4))
        held = sent * message * (2.5 if timed else 1)
    if protocol.topology == "consensus":
        held, sums = 0, _sums_needed(model, protocol, data)
    kept_back = steps and protocol.topology == "peers" and isinstance(hosted(protocol), InTurn)
    remainders = 2 * data.items * (size.row + 1) * 4 if kept_back else 0
    kept = 0 if protocol.topology == "central" else optimizer_size(model, data.items)
    own = remainders + (size.user + kept) * 4
    return int(slots * (table + (held if slots > 1 else 0)) + data.people * own + sums)


def _sums_needed(model: Any, protocol: Any, data: Interactions) -> int:
    """Bytes of the numerators of push-sum, or of exact sums."""
    row, head = sum_shape(model, shape(model))
    places = data.people
    if shared(protocol):
        places = 1 + (BLOCKS if protocol.group == 1 else group_count(protocol, data.people))
    return int(places * (data.items * (row + count_columns(protocol) - 1) + head) * 4)
