"""`gmf`, `mlp` and `neumf` against derivatives by differences, plain NumPy, and PyTorch where it is."""

import importlib.util

import numpy as np
import pytest

from sottovoce import registry
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.kernels import driver
from sottovoce.models._batches import add_gradients
from sottovoce.models._neural import BATCH, CENTRAL_BATCH, _draw
from sottovoce.models._tower import LANES, numbers, weights
from sottovoce.models.interface import Context, resolve, score_all, shape, touched, train
from sottovoce.models.start import start
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from sottovoce.state import each_alone, gathered, new_people, whole
from tests.models.ncf import slopes, train_in_torch, train_slowly
from tests.networks import assert_same, ratings, simulate

# Rows of 6 numbers in all of them, so that one compilation serves all three.
SETTINGS = {
    "gmf": {"factors": 6},
    "mlp": {"factors": 6, "layers": [5, 4]},
    "neumf": {"factors": 3, "layers": [5, 4]},
}


def built(name, **settings):
    return registry.build("model", name, SETTINGS[name] | settings, "model")


def small(items=12, people=4, seed=3):
    rng = np.random.default_rng(seed)
    return ratings((5 * (rng.random((people, items)) < 0.4)).tolist())


@pytest.mark.parametrize("people", [3, 1])
@pytest.mark.parametrize("name", SETTINGS)
def test_gradients_are_derivatives(name, people):
    """Every number of rows, vectors, and of each layer's weights and biases; the second tile is not full."""
    rng = np.random.default_rng(1)
    network = resolve(built(name), Context(7, 1, 5, 1, 1))
    product, sizes = network.product, network.sizes
    count = LANES + 9
    item, who = rng.integers(0, 7, count).astype(np.int32), rng.integers(0, people, count).astype(np.int32)
    label = rng.random(count) < 0.3
    groups = [rng.normal(size=s) for s in ((7, 6), (people, 6), weights(product, sizes))]
    found = [np.zeros_like(group) for group in groups]
    work = np.zeros((2, numbers(product, sizes), LANES))
    given = [array for pair in zip(groups, found, strict=True) for array in pair]
    add_gradients(network, item, who, label, *given, work)
    for mine, slope in zip(found, slopes(product, sizes, groups, item, who, label), strict=True):
        np.testing.assert_allclose(mine, slope, rtol=1e-5, atol=1e-8)
        assert (np.abs(slope) > 1e-9).mean() > 0.4  # ReLU leaves enough of them to compare


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
        drawn = _draw(model, s.people, 0, 1, epoch, item, label)
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


def test_instances_are_own_items_and_others_in_random_order():
    s = simulate(built("gmf"), ratings([[5, 0, 4, 0, 0, 3, 0, 0]] * 2))
    item, label = np.empty(99, np.int32), np.empty(99, np.bool_)
    drawn = [
        (item[:count].tolist(), label[:count].tolist())
        for epoch in range(3)
        for count in [_draw(s.model, s.people, 0, 1, epoch, item, label)]
    ]
    for items, labels in drawn:
        assert sorted(j for j, y in zip(items, labels, strict=True) if y) == [0, 2, 5]
        assert len(items) == 15
        assert {j for j, y in zip(items, labels, strict=True) if not y} <= {1, 3, 4, 6, 7}
    assert drawn[0] != drawn[1] != drawn[2]


def test_who_has_met_everything_has_no_negatives():
    s = simulate(built("gmf"), ratings([[5, 4, 3], [0, 0, 0]]))
    assert train(s.model, s.tables, 0, s.people, 0, 1) == 3
    before = s.tables.rows.copy()
    assert train(s.model, s.tables, 1, s.people, 1, 1) == 0
    np.testing.assert_array_equal(s.tables.rows, before)


@driver
def _train_twice(model, table, part, people, person, run):
    touched(model, part, 0, people, person, run)
    for n in range(part.offset[1]):
        part.rows[n] = table.rows[part.ids[n]]
        part.age[n] = 0
    part.head[0] = table.head[0]
    vector = people.user[person].copy()
    train(model, part, 0, people, person, run)
    after = people.user[person].copy()
    people.user[person] = vector
    train(model, table, 0, people, person, run)
    return after


@pytest.mark.parametrize("central", [False, True])
def test_rows_held_are_those_that_change_and_tables_make_no_difference(central):
    """To the last bit, in compiled code: a whole table, and one of just the rows that `touched` names."""
    data = ratings([[5] * 10 + [0] * 190])
    model = resolve(built("neumf", epochs=2, batch=8), Context(data.items, 1, 5, 1, 1, central))
    size = shape(model)
    table = whole(1, data.items, size.row, size.head)
    person = new_people(size.user, data.indptr, data.item, data.value, each_alone(1))
    start(model, table, person, 1, True)
    before = table.rows.copy()
    part = gathered([data.items], size.row, size.head, data.items)
    part.offset[1] = 0
    vector = _train_twice(model, table, part, person, 0, 1)
    held = part.ids[: part.offset[1]]
    assert sorted(held) == np.flatnonzero((table.rows != before).any(axis=1)).tolist()
    assert 20 < len(held) < 100
    np.testing.assert_array_equal(part.rows[: len(held)], table.rows[held])
    np.testing.assert_array_equal(part.head, table.head)
    np.testing.assert_array_equal(vector, person.user[0])
    assert (table.age > 0).tolist() == np.isin(np.arange(200), held).tolist()
    assert table.age.max() == 2  # one for each epoch that came by


def groups(count=24, items=24, seed=3):
    """Two tastes, 60 % of each consumed: all items are about equally popular."""
    rng = np.random.default_rng(seed)
    liked = (np.arange(count)[:, None] % 2) == (np.arange(items)[None, :] % 2)
    return ratings((5 * (liked & (rng.random((count, items)) < 0.6))).tolist()), liked


def separation(s, liked):
    """How often a liked item scores above one that is not; 0.5 for popularity, and by chance."""
    shares = []
    for person in range(len(liked)):
        scores = np.empty(liked.shape[1], np.float32)
        _scores(s.model, s.tables, person if s.tables.slots > 1 else 0, s.people, person, scores)
        shares.append((scores[liked[person]][:, None] > scores[~liked[person]]).mean())
    return np.mean(shares)


@driver
def _scores(model, tables, slot, people, person, scores):
    score_all(model, tables, slot, people, person, scores)


@pytest.mark.parametrize("name", SETTINGS)
def test_learns_in_a_federation(name):
    data, liked = groups()
    s = simulate(built(name, step=0.02), data, protocol=Federated(participants=8), merge=MFFedAvg())
    s.advance(150)
    assert separation(s, liked) > 0.9


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
    from sottovoce.kernels import TRAIN, stream
    from sottovoce.models._neural import _shuffle

    columns = []
    for person in range(len(s.people.steps)):
        item, label = np.empty(99, np.int32), np.empty(99, np.bool_)
        drawn = _draw(s.model, s.people, person, s.seed, 0, item, label)
        columns.append((item[:drawn], np.full(drawn, person, np.int32), label[:drawn]))
    item, who, label = (np.concatenate(column) for column in zip(*columns, strict=True))
    _shuffle(stream(s.seed, TRAIN, -1, 0), item, who, label)
    return item, who, label


def test_what_is_left_open_fits_the_protocol():
    data, _ = groups()
    private, central = (simulate(built("gmf"), data, protocol=p).model for p in (Gossip(), Central()))
    assert (private.batch, private.kept) == (BATCH, False)
    assert (central.batch, central.kept) == (CENTRAL_BATCH, True)
    assert shape(private) == shape(built("gmf")) == (6, 7, 6)
    assert shape(central) == (18, 22, 19)


def test_layers_start_as_glorot_and_bengio_proposed():
    data = small()
    s = simulate(built("neumf", layers=[40, 30]), data)
    head, at = s.tables.head[0], 0
    for inputs, outputs in ((6, 40), (40, 30), (33, 1)):
        weight, bias = (
            head[at : at + inputs * outputs],
            head[at + inputs * outputs : at + (inputs + 1) * outputs],
        )
        bound = np.sqrt(6 / (inputs + outputs))
        assert np.abs(weight).max() <= bound
        assert np.abs(weight).max() > 0.8 * bound
        assert (bias == 0).all()
        at += (inputs + 1) * outputs
    assert np.abs(s.tables.rows).max() <= np.sqrt(6 / (data.items + 3))
