"""People use a copy of the shared model that they train once more."""

import sys

import numpy as np

from sottovoce.combine.linear import Linear
from sottovoce.evaluate.tuned import tuned
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import train
from sottovoce.models.mf import MF
from sottovoce.models.training import train_stored
from sottovoce.protocols.central import Central
from tests.networks import copy_of, ratings, simulate


def community():
    rng = np.random.default_rng(1)
    table = rng.integers(1, 6, (8, 10)) * (rng.random((8, 10)) < 0.5)
    return ratings(table.tolist())


def test_a_tuned_copy_is_the_start_and_a_step_for_every_training(monkeypatch):
    """φ ← φ + ε (φ̃ − φ) for everybody's GMF, rows and head, with the person's vector trained for good.

    The compiled loop runs as the plain Python it is, so that no kernel is compiled for this.
    """
    adapting = sys.modules[tuned.__module__]
    plain = adapting._tune.plain
    monkeypatch.setattr(adapting, "_tune", lambda *a, batch: plain(*a))
    model = GMF(factors=2, negatives=1)
    simulation = simulate(model, community(), protocol=Central())
    model, tables, people = simulation.model, simulation.tables, simulation.people
    before = copy_of(tables), people.user.copy()
    own, each = tuned(model, tables, people, 1, 2, 0.25)
    for person in range(8):
        start = copy_of(before[0])
        for _ in range(2):
            trained = copy_of(start)
            train(model, trained, 0, people, person, 1)
            people.steps[person] += 1
            start.rows[:] += np.float32(0.25) * (trained.rows - start.rows)
            start.head[:] += np.float32(0.25) * (trained.head - start.head)
        assert (start.rows != before[0].rows).any()
        np.testing.assert_allclose(
            own.rows[person * 10 : (person + 1) * 10], start.rows, rtol=1e-5, atol=1e-6
        )
        np.testing.assert_allclose(own.head[person], start.head[0], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(each.user, people.user, rtol=1e-5, atol=1e-6)


def test_tuned_copies_leave_the_network_alone():
    simulation = simulate(MF(factors=3), community(), merge=Linear())
    simulation.advance(2)
    model, tables, people = simulation.model, simulation.tables, simulation.people
    rows, user = tables.rows.copy(), people.user.copy()
    own, each = tuned(model, tables, people, 1, 2)
    np.testing.assert_array_equal(tables.rows, rows)
    np.testing.assert_array_equal(people.user, user)
    assert (each.steps == people.steps + 2).all()
    for person in range(len(people.steps)):
        for _ in range(2):
            train_stored(tables, person, model, people, person, 1)
            people.steps[person] += 1
    np.testing.assert_allclose(own.rows, tables.rows, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(each.user, people.user, rtol=1e-5, atol=1e-6)
    assert (own.rows != rows).any()


def test_tuned_copies_leave_the_optimizers_of_people_alone(uncompiled):
    simulation = simulate(GMF(factors=2, negatives=1, optimizer_state="kept"), community())
    simulation.advance(2)
    people, kept = simulation.people, simulation.people.optimizer.copy()
    _, each = tuned(simulation.model, simulation.tables, people, 1, 1)
    np.testing.assert_array_equal(people.optimizer, kept)
    assert (each.optimizer[:, 0] > kept[:, 0]).all()
