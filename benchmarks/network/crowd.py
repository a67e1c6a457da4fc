"""Made-up communities in which everybody has done equally much, and gossip networks of them."""

from typing import Any

import numpy as np

from sottovoce.combine.linear import Linear
from sottovoce.data import synthetic
from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.models.mf import MF
from sottovoce.peers.k_out import KOut
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.churn.always import Always
from sottovoce.simulate.clock import clock
from sottovoce.simulate.engine import Simulation
from sottovoce.simulate.links.unequal import Unequal
from sottovoce.simulate.links.uniform import Uniform

SEED, ROUNDS = 1, 100
LINKS = {"uniform": Uniform(), "unequal": Unequal()}


def crowd(people: int, items: int, each: int) -> Interactions:
    """The built-in community, but with `each` ratings for everybody."""
    goods = synthetic.goods(SEED, items, 18)
    indptr = np.arange(people + 1, dtype=np.int64) * each
    count = people * each
    item, value, time = np.empty(count, np.int32), np.empty(count, np.float32), np.empty(count, np.int64)
    synthetic.fill(SEED, goods, indptr, item, value, time, batch=people)
    return Interactions(
        name="crowd",
        indptr=indptr,
        item=item,
        value=value,
        time=time,
        users=np.arange(people).astype(str),
        catalog=Catalog("crowd", np.arange(items).astype(str)),
        scale=(1.0, 5.0),
    )


def gossip(data: Interactions, links: str | None, **more: Any) -> Simulation:
    """Everybody's models, exchanged over such links, or in synchronous rounds where there are none."""
    timing = None if links is None else clock(LINKS[links], Always(), data.people, ROUNDS, SEED)
    parts = {"merge": Linear(), "peers": KOut(20), "rounds": ROUNDS, "timing": timing}
    return Simulation(MF(factors=5), Gossip(), data, SEED, **parts, **more)
