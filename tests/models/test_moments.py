"""`optimizer_state = "kept"`: people keep Adam's moments between trainings, and nobody else sees them.

The reference is in double precision, with derivatives by differences. A person's optimizer is a pair of
moments for every number and a count of steps; a training moves the rows it meets, the head and the person's
vector.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.models._instances import draw
from sottovoce.models._tower import weights
from sottovoce.models.interface import Context, optimizer_size, resolve, shape
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.memory import memory_needed
from tests.events import sent
from tests.models.ncf import built, nothing, small, train_slowly
from tests.networks import assert_same, simulate

STEP, BATCH, EPOCHS = 0.01, 7, 2
PEOPLE, ITEMS, WIDTH = 4, 12, 6


class Person:
    """One person's vector and optimizer, in double precision."""

    def __init__(self, s, number):
        self.s, self.number = s, number
        self.vector = s.people.user[number : number + 1].astype(float)
        head = weights(s.model.product, s.model.sizes)
        self.moments = nothing([np.zeros((ITEMS, WIDTH)), self.vector, np.zeros(head)])
        self.steps = self.trainings = 0

    def train(self, rows, head):
        """Change rows [items, w] and head; return the items of each epoch."""
        s, epochs = self.s, []
        s.people.steps[self.number] = self.trainings  # which decides what is drawn
        for epoch in range(EPOCHS):
            item, label = np.empty(99, np.int32), np.empty(99, np.bool_)
            drawn = draw(s.model, s.people, self.number, s.seed, epoch, item, label)
            epochs.append((item[:drawn], np.zeros(drawn, np.int32), label[:drawn]))
        self.trainings += 1
        met, places = np.unique(np.concatenate([epoch[0] for epoch in epochs]), return_inverse=True)
        where = np.split(places, np.cumsum([len(epoch[0]) for epoch in epochs])[:-1])
        some = rows[met]
        moments = [tuple(m[met] for m in self.moments[0]), *self.moments[1:]]
        numbered = [(place, who, label) for place, (_, who, label) in zip(where, epochs, strict=True)]
        model, numbers = s.model, [some, self.vector, head]
        given = model.product, model.sizes, numbers, numbered, STEP, BATCH, "adam"
        self.steps = train_slowly(*given, moments=moments, time=self.steps)
        rows[met] = some
        for kept, new in zip(self.moments[0], moments[0], strict=True):
            kept[met] = new
        return [epoch[0] for epoch in epochs]


def started(name, protocol, **parts):
    settings = {"step": STEP, "batch": BATCH, "epochs": EPOCHS, "optimizer_state": "kept"}
    s = simulate(built(name, **settings), small(ITEMS, PEOPLE), protocol=protocol, **parts)
    rng = np.random.default_rng(0)
    # Gradients so large that differences are exact enough for Adam, which scales them.
    s.tables.head[:] = rng.normal(size=s.tables.head.shape[1]) / 2
    s.tables.rows[:] = np.tile(rng.normal(size=(ITEMS, WIDTH)), (s.tables.slots, 1))
    s.people.user[:] = rng.normal(size=s.people.user.shape)
    return s


def assert_close(fast, slow):
    np.testing.assert_allclose(fast, slow, rtol=2e-3, atol=2e-4)


def assert_same_people(s, people):
    head = weights(s.model.product, s.model.sizes)
    for person in people:
        memory = s.people.optimizer[person.number]
        assert memory[0] == person.steps
        rows, vector, heads = person.moments
        ends = np.cumsum([1, WIDTH, WIDTH, head, head])
        assert_close(s.people.user[person.number], person.vector[0])
        for part, expected in zip(
            np.split(memory, ends)[1:5], (vector[0][0], vector[1][0], *heads), strict=True
        ):
            np.testing.assert_allclose(part, expected, rtol=5e-3, atol=1e-4)
        found = memory[ends[-1] :].reshape(ITEMS, 2, WIDTH)
        for n in (0, 1):
            np.testing.assert_allclose(found[:, n], rows[n], rtol=5e-3, atol=1e-4)


def in_order(s, rounds):
    """Messages of some rounds as events: at its end one arrives, at its start it is sent."""
    events = []
    for round in range(rounds):
        for one in sent(s, float(round), round + 1.0, 1, 1.0):
            message = {"from": one.sender, "to": one.receiver}
            events += [(one.end, 0, len(events), message), (one.start, 1, len(events), message)]
    return sorted(events, key=lambda event: event[:3])


@pytest.mark.parametrize("name", ["gmf", "neumf"])
def test_gossip_is_that_of_plain_numpy(name):
    """Four people, several trainings each, `linear` merges in between."""
    s, twin = started(name, Gossip()), started(name, Gossip())
    people = [Person(twin, n) for n in range(PEOPLE)]
    rows = twin.tables.rows.reshape(PEOPLE, ITEMS, WIDTH).astype(float)
    head, age, clock = twin.tables.head.astype(float), np.zeros((PEOPLE, ITEMS)), np.zeros(PEOPLE)
    for _, begins, _, message in in_order(twin, 5):
        if begins:
            n = message["from"]
            message["model"] = rows[n].copy(), head[n].copy(), age[n].copy(), clock[n]
            continue
        n, (their_rows, their_head, their_age, their_clock) = message["to"], message["model"]
        share = np.divide(their_age, age[n] + their_age, where=their_age > 0, out=np.zeros(ITEMS))
        rows[n] += share[:, None] * (their_rows - rows[n])
        head[n] += (their_clock / (clock[n] + their_clock) if their_clock else 0) * (their_head - head[n])
        age[n], clock[n] = np.maximum(age[n], their_age), max(clock[n], their_clock)
        for items in people[n].train(rows[n], head[n]):
            age[n][np.unique(items)] += 1
        clock[n] += 1
    s.advance(5)
    assert min(person.trainings for person in people) >= 2
    np.testing.assert_array_equal(s.people.steps, [person.trainings for person in people])
    np.testing.assert_array_equal(s.tables.age.reshape(PEOPLE, ITEMS), age)
    assert_close(s.tables.rows.reshape(PEOPLE, ITEMS, WIDTH), rows)
    assert_close(s.tables.head, head)
    assert_same_people(s, people)


@pytest.mark.parametrize("name", ["gmf", "neumf"])
def test_federation_is_that_of_plain_numpy(name):
    """Clients hold just the rows that they touch; the server averages rows over contributors."""
    parts = {"merge": MFFedAvg()}
    s, twin = started(name, Federated(), **parts), started(name, Federated(), **parts)
    people = [Person(twin, n) for n in range(PEOPLE)]
    rows, head = twin.tables.rows.astype(float), twin.tables.head[0].astype(float)
    for _ in range(3):
        changes, met, heads, instances = [], [], [], []
        for person in people:
            own, its = rows.copy(), head.copy()
            items = np.concatenate(person.train(own, its))
            changes.append(own - rows), heads.append(its - head), instances.append(len(items))
            met.append(np.isin(np.arange(ITEMS), items))
        count = np.sum(met, axis=0)
        rows += np.sum(changes, axis=0) / np.maximum(count, 1)[:, None]
        head += np.average(heads, axis=0, weights=instances)
    s.advance(3)
    assert_close(s.tables.rows, rows)
    assert_close(s.tables.head[0], head)
    assert_same_people(s, people)


def test_fresh_moments_give_another_model():
    kept = started("gmf", Gossip())
    settings = {"step": STEP, "batch": BATCH, "epochs": EPOCHS}
    fresh = simulate(built("gmf", **settings), small(ITEMS, PEOPLE))
    for name in ("rows", "head", "user"):
        fresh.state()[name][:] = kept.state()[name]
    assert fresh.people.optimizer.shape == (PEOPLE, 0)
    kept.advance(1), fresh.advance(1)
    first = kept.people.steps <= 1  # nothing was kept before anybody's first training
    np.testing.assert_array_equal(kept.people.user[first], fresh.people.user[first])
    kept.advance(4), fresh.advance(4)
    assert np.abs(kept.people.user - fresh.people.user).max() > STEP


def test_nothing_of_it_is_in_a_message():
    kept, fresh = (built("neumf", optimizer_state=state) for state in ("kept", "fresh"))
    assert shape(kept) == shape(fresh)
    a, b = (simulate(model, small()) for model in (kept, fresh))
    assert a.message_bytes == b.message_bytes
    assert a.tables.rows.shape == b.tables.rows.shape
    assert a.tables.head.shape == b.tables.head.shape


@pytest.mark.parametrize(
    ("protocol", "merge"), [(Gossip(), None), (Federated(participants=3), MFFedAvg())], ids=["gossip", "fed"]
)
def test_a_run_resumes_exactly(protocol, merge):
    parts = {} if merge is None else {"merge": merge}
    whole, before, after = (started("gmf", protocol, **parts) for _ in range(3))
    whole.advance(7)
    before.advance(3)
    after.restore({name: values.copy() for name, values in before.state().items()})
    after.advance(4)
    assert_same(whole, after)
    np.testing.assert_array_equal(whole.people.optimizer, after.people.optimizer)
    assert (whole.people.optimizer[:, 0] > 0).all()


def test_new_data_leaves_it_as_it_is():
    s = started("gmf", Gossip())
    s.advance(3)
    kept = s.people.optimizer.copy()
    s.provide(small(ITEMS, PEOPLE, seed=4), None, None)
    np.testing.assert_array_equal(s.people.optimizer, kept)


def test_memory_is_counted_before_a_run():
    fresh, kept = (built("neumf", optimizer_state=state) for state in ("fresh", "kept"))
    s = simulate(kept, small())
    sizes = SimpleNamespace(people=PEOPLE, items=ITEMS)
    needs = [memory_needed(model, Gossip(), sizes) for model in (fresh, kept)]
    assert needs[1] - needs[0] == s.people.optimizer.nbytes == 4 * PEOPLE * optimizer_size(kept, ITEMS)
    needs = [memory_needed(model, Central(), sizes) for model in (fresh, kept)]
    assert needs[0] == needs[1]


def test_only_adam_with_private_data_needs_it():
    private, central = Context(ITEMS, 1, 5, 1, 1), Context(ITEMS, 1, 5, 1, 1, True)
    head = WIDTH + 1
    assert optimizer_size(resolve(built("gmf", optimizer_state="kept"), private), ITEMS) == (
        1 + 2 * WIDTH * (1 + ITEMS) + 2 * head
    )
    for settings, context in (
        ({}, private),
        ({"optimizer_state": "kept"}, central),
        ({"optimizer_state": "kept", "optimizer": "sgd"}, private),
    ):
        assert optimizer_size(resolve(built("gmf", **settings), context), ITEMS) == 0
