"""Training of `gmf`, `mlp` and `neumf` against plain NumPy, and PyTorch where it is installed."""

import importlib.util

import numpy as np
import pytest

from sottovoce.kernels import TRAIN, driver, stream
from sottovoce.models._instances import draw, shuffle
from sottovoce.models._neural import BATCH, CENTRAL_BATCH
from sottovoce.models._tower import weights
from sottovoce.models.interface import Context, optimizer_size, resolve, shape, touched, train
from sottovoce.models.start import start
from sottovoce.protocols.central import Central
from sottovoce.protocols.gossip import Gossip
from sottovoce.state import each_alone, gathered, new_people, whole
from tests.models.ncf import SETTINGS, built, groups, separation, small, train_in_torch, train_slowly
from tests.networks import assert_same, ratings, simulate


def trained(name, how, **settings):
    """One training by compiled code's twin in Python, and the same by `how`: rows, vector, head of each."""
    optimizer = settings.get("optimizer", "adam")
    data = small()
    s = simulate(built(name, epochs=2, batch=7, step=0.01, **settings), data, protocol=Gossip())
    rng = np.random.default_rng(0)
    s.tables.head[:] = rng.normal(size=s.tables.head.shape) / 2
    s.tables.rows[:], s.people.user[:] = rng.normal(size=s.tables.rows.shape), 0.5
    model, epochs = s.model, []
    slow = [a.astype(float) for a in (s.tables.rows[: data.items], s.people.user[:1], s.tables.head[0])]
    for epoch in range(2):
        item, label = np.empty(99, np.int32), np.empty(99, np.bool_)
        drawn = draw(model, s.people, 0, 1, epoch, item, label)
        epochs.append((item[:drawn], np.zeros(drawn, np.int32), label[:drawn]))
    how(model.product, model.sizes, slow, epochs, 0.01, 7, optimizer)
    instances = train(model, s.tables, 0, s.people, 0, 1)
    own = len(set(data.item[: data.indptr[1]]))
    assert instances == 2 * own * (1 + model.negatives) == sum(len(e[0]) for e in epochs)
    return (s.tables.rows[: data.items], s.people.user[:1], s.tables.head[0]), slow


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_training_is_that_of_plain_numpy(name, optimizer):
    for mine, slow in zip(*trained(name, train_slowly, optimizer=optimizer), strict=True):
        np.testing.assert_allclose(mine, slow, rtol=2e-4, atol=2e-5)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_training_is_that_of_pytorch(name, optimizer):
    for mine, theirs in zip(*trained(name, train_in_torch, optimizer=optimizer), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6)


@driver
def _train_twice(model, table, part, people, person, run):
    touched(model, part, 0, people, person, run)
    for n in range(part.offset[1]):
        part.rows[n] = table.rows[part.ids[n]]
        part.age[n] = table.age[part.ids[n]]
    part.head[0] = table.head[0]
    vector, memory = people.user[person].copy(), people.optimizer[person].copy()
    train(model, part, 0, people, person, run)
    after, remembered = people.user[person].copy(), people.optimizer[person].copy()
    people.user[person], people.optimizer[person] = vector, memory
    train(model, table, 0, people, person, run)
    return after, remembered


@pytest.mark.parametrize("state", ["fresh", "kept", "central"])
def test_rows_held_are_those_that_change_and_tables_make_no_difference(state):
    """To the last bit, in compiled code: a whole table, and one of just the rows that `touched` names."""
    data = ratings([[5] * 10 + [0] * 190])
    settings = {"optimizer_state": "kept"} if state == "kept" else {}
    context = Context(data.items, 1, 5, 1, 1, state == "central")
    model = resolve(built("neumf", epochs=2, batch=8, **settings), context)
    size = shape(model)
    table = whole(1, data.items, size.row, size.head)
    kept = optimizer_size(model, data.items)
    person = new_people(size.user, data.indptr, data.item, data.value, each_alone(1), optimizer=kept)
    start(model, table, person, 1, True, True)
    held: set[int] = set()
    for _ in range(3):
        before, age = table.rows.copy(), table.age.copy()
        part = gathered([data.items], size.row, size.head, data.items)
        part.offset[1] = 0
        vector, memory = _train_twice(model, table, part, person, 0, 1)
        person.steps[0] += 1
        ids = part.ids[: part.offset[1]]
        assert sorted(ids) == np.flatnonzero((table.rows != before).any(axis=1)).tolist()
        assert 20 < len(ids) < 100
        np.testing.assert_array_equal(part.rows[: len(ids)], table.rows[ids])
        np.testing.assert_array_equal(part.head, table.head)
        np.testing.assert_array_equal(vector, person.user[0])
        np.testing.assert_array_equal(memory, person.optimizer[0])
        assert (table.age > age).tolist() == np.isin(np.arange(200), ids).tolist()
        assert (table.age - age).max() == 2  # one for each epoch that came by
        held |= set(ids.tolist())
        if state == "kept":
            moments = memory[1 + 2 * (size.user + size.head) :].reshape(data.items, -1)
            assert set(np.flatnonzero(moments.any(axis=1)).tolist()) == held


def test_central_training_resumes_exactly_because_moments_are_kept():
    data, liked = groups()
    whole_run, before, after = (
        simulate(built("neumf", step=0.01), data, protocol=Central()) for _ in range(3)
    )
    whole_run.advance(12)
    before.advance(5)
    after.restore({name: values.copy() for name, values in before.state().items()})
    after.advance(7)
    assert_same(whole_run, after)
    steps = 12 * -(-5 * len(data) // CENTRAL_BATCH)
    assert whole_run.tables.head[0, -1] == steps
    assert (whole_run.people.user[:, -1] == steps).all()
    whole_run.advance(150)
    assert separation(whole_run, liked) > 0.9


def test_central_training_is_one_shuffled_pass_over_everybody():
    """One epoch of plain NumPy over the same instances, in the order that the shuffle gives."""
    data = small(people=3)
    s = simulate(built("mlp", batch=16, step=0.01), data, protocol=Central())
    count, rng = weights(s.model.product, s.model.sizes), np.random.default_rng(0)
    fast = s.tables.rows[:, :6], s.people.user[:, :6], s.tables.head[0, :count]
    for group in fast:  # gradients so large that differences are exact enough for Adam, which scales them
        group[:] = rng.normal(size=group.shape)
    slow = [group.astype(float) for group in fast]
    train_slowly(s.model.product, s.model.sizes, slow, [everybody(s)], 0.01, 16, "adam")
    s.advance(1)
    for mine, theirs in zip(fast, slow, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-4, atol=2e-5)


def everybody(s):
    """Everybody's first epoch in the order of a central pass."""
    columns = []
    for person in range(len(s.people.steps)):
        item, label = np.empty(99, np.int32), np.empty(99, np.bool_)
        drawn = draw(s.model, s.people, person, s.seed, 0, item, label)
        columns.append((item[:drawn], np.full(drawn, person, np.int32), label[:drawn]))
    item, who, label = (np.concatenate(column) for column in zip(*columns, strict=True))
    shuffle(stream(s.seed, TRAIN, -1, 0), item, who, label)
    return item, who, label


def test_what_is_left_open_fits_the_protocol():
    data, _ = groups()
    private, central = (simulate(built("gmf"), data, protocol=p).model for p in (Gossip(), Central()))
    assert (private.batch, private.columns) == (BATCH, False)
    assert (central.batch, central.columns) == (CENTRAL_BATCH, True)
    assert shape(private) == shape(built("gmf")) == (6, 7, 6)
    assert shape(central) == (18, 22, 19)
