"""Small networks to evaluate, and the held-out data that goes with them."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from sottovoce.data.interactions import Catalog, Interactions
from sottovoce.data.split import Split
from sottovoce.models.mf import MF
from sottovoce.state import People, Tables, hosted_by, new_people, new_weighting, whole


class Network(NamedTuple):
    """Models of one factor: a score is b + c + x·y, with (y, c) the item's row and (x, b) the person's."""

    model: MF
    tables: Tables
    people: People
    items: int

    def known(self, person: int) -> set[int]:
        """What the person never gets recommended: training and weighting items."""
        people = self.people
        own = people.item[people.indptr[person] : people.indptr[person + 1]]
        begin, end = people.weighting_indptr[person : person + 2]
        return {*own.tolist(), *people.weighting_item[begin:end].tolist()}

    def scores(self, person: int) -> list[float]:
        """The person's score of every item, in plain words."""
        slot = next(s for s in range(self.tables.slots) if person in self._hosted(s))
        x, b = self.people.user[person].tolist()
        rows = self.tables.rows[slot * self.items : (slot + 1) * self.items].tolist()
        return [b + c + x * y for y, c in rows]

    def _hosted(self, slot: int) -> list[int]:
        return self.people.member[self.people.first[slot] : self.people.first[slot + 1]].tolist()


class Held(NamedTuple):
    """Held-out items with their ratings and candidates."""

    indptr: np.ndarray
    item: np.ndarray
    value: np.ndarray
    candidates: np.ndarray


def flat(lists: list[list[int]]) -> Any:
    """Everybody's items one after the other, with `indptr`, where each person's begin."""
    item = np.array([j for one in lists for j in one], np.int32)
    return SimpleNamespace(indptr=np.cumsum([0] + [len(one) for one in lists]), item=item)


def network(
    slots: int,
    items: int,
    host: list[int],
    user: Any,
    rows: Any,
    train: list[list[int]],
    weighting: list[list[int]] | None = None,
) -> Network:
    tables = whole(slots, items, width=2, head=0)
    tables.rows[:] = np.array(rows, np.float32).reshape(-1, 2)
    own, aside = flat(train), new_weighting(len(train), None if weighting is None else flat(weighting))
    hosts = hosted_by(np.array(host, np.int32), slots)
    state = new_people(2, own.indptr, own.item, np.ones(len(own.item), np.float32), hosts, aside)
    state.user[:] = user
    return Network(MF(factors=1), tables, state, items)


@st.composite
def networks(draw: Any) -> Network:
    """Up to twelve people on as many or fewer models; scores are exact, and often tied or missing."""
    count, items = draw(st.integers(1, 12)), draw(st.integers(1, 30))
    slots = draw(st.integers(1, count))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    levels = np.array([-1, -0.5, 0, 0.5, 1, np.nan if draw(st.booleans()) else 2])
    orders = [seed.permutation(items).tolist() for _ in range(count)]
    cuts = [sorted(seed.integers(0, items + 1, 2)) for _ in range(count)]
    return network(
        slots,
        items,
        seed.integers(0, slots, count).tolist(),
        seed.choice(levels[:5], (count, 2)),
        seed.choice(levels, (slots * items, 2)),
        [order[:cut] for order, (cut, _) in zip(orders, cuts, strict=True)],
        [order[begin:end] for order, (begin, end) in zip(orders, cuts, strict=True)],
    )


@st.composite
def networks_with_held_out(draw: Any) -> tuple[Network, Held]:
    """A network, and for each person up to four held-out items with candidates, some of them −1."""
    net = draw(networks())
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    indptr = np.concatenate(([0], np.cumsum(seed.integers(0, 5, len(net.people.steps)))))
    total = int(indptr[-1])
    return net, Held(
        indptr,
        seed.integers(0, net.items, total).astype(np.int32),
        seed.integers(1, 6, total).astype(np.float32),
        seed.integers(-1, net.items, (total, draw(st.integers(0, 6)))).astype(np.int32),
    )


def split(items: int, test: list[list[tuple[int, float]]], candidates: Any) -> Split:
    """A split of which only the test part matters: each person's held-out items and ratings."""
    flat = [entry for one in test for entry in one]
    part = Interactions(
        name="small",
        indptr=np.cumsum([0] + [len(one) for one in test]),
        item=np.array([j for j, _ in flat], np.int32),
        value=np.array([v for _, v in flat], np.float32),
        time=np.zeros(len(flat), np.int64),
        users=np.array([str(p) for p in range(len(test))]),
        catalog=Catalog("small", np.array([str(j) for j in range(items)])),
        scale=(1.0, 5.0),
    )
    return Split("small", part, part, None, np.array(candidates, np.int32), np.empty((0, 0), np.int32))


@pytest.fixture(scope="session")
def make_network() -> Callable[..., Network]:
    return network


@pytest.fixture(scope="session")
def make_split() -> Callable[..., Split]:
    return split


@pytest.fixture(scope="session")
def some_network() -> st.SearchStrategy[Network]:
    return networks()


@pytest.fixture(scope="session")
def some_held_out() -> st.SearchStrategy[tuple[Network, Held]]:
    return networks_with_held_out()
