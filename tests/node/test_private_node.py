"""Differential privacy on a device: noise from the system, budgets that survive a file, nothing beside it."""

import numpy as np
import pytest

from sottovoce.errors import RecipeError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.message import UPDATE
from sottovoce.node import Community, Key, Node
from sottovoce.testing.networks import uncompiled

FILMS = [f"film {n}" for n in range(12)]
STEP = {"name": "gaussian", "length": 0.5, "epsilon": 8.0, "disclosures": 2}
KEY = Key.simulated(1, 0)


def community(**more):
    return Community(FILMS, {"name": "mf", "factors": 3}, "linear", steps=[STEP], **more)


def server():
    """A server's model, as a node without steps sends it."""
    plain = Community(FILMS, {"name": "mf", "factors": 3}, "linear")
    return Node(plain, key=KEY).emit()


def told(shared, data):
    return codec.decode(data, shared.expect)


def test_updates_hold_every_row_and_no_size_and_their_noise_never_repeats():
    with uncompiled():
        shared = community()
        model = server()
        sent = [Node(shared, {"film 3": 5.0}, KEY).local_update(model) for _ in range(2)]
    a, b = (codec.decode(data, shared.expect, UPDATE) for data in sent)
    assert a.ids.tolist() == b.ids.tolist() == list(range(12))
    assert a.size == b.size == 1
    # The same person, key, history and model: all that differs is the system's noise.
    assert (a.rows != b.rows).mean() > 0.9
    assert 0.2 < a.rows.std() < 20


def test_the_number_of_interactions_stays_on_the_device():
    with uncompiled():
        shared = community()
        few, many = Node(shared, {"film 3": 5.0}), Node(shared, dict.fromkeys(FILMS[:9], 4.0))
        many.learn({"film 10": 2.0})
        assert told(shared, few.emit()).size == told(shared, many.emit()).size == 0
        for node in (few, many):
            node.train()
        ages = [told(shared, node.emit()).age.tolist() for node in (few, many)]
    assert ages == [[1] * 12, [1] * 12]


def test_a_spent_budget_ends_updates_and_keeps_training_private(tmp_path):
    with uncompiled():
        shared = community()
        model, node = server(), Node(shared, {"film 3": 5.0})
        assert node.budget_left == 2
        assert node.epsilon == 0
        node.local_update(model)
        node.save(tmp_path / "node")
        node = Node.load(tmp_path / "node", shared)
        assert node.budget_left == 1
        node.train()
        assert node.budget_left == 0
        assert 7 < node.epsilon <= 8
        with pytest.raises(RunError, match="budget is spent: 2 updates"):
            node.local_update(model)
        before, own = told(shared, node.emit()), node._own().rows.copy()
        node.train()
        after = told(shared, node.emit())
    np.testing.assert_array_equal(before.rows, after.rows)
    np.testing.assert_array_equal(before.age, after.age)
    assert (node._own().rows != own).any()


def test_without_noise_there_is_no_budget():
    node = Node(Community(FILMS, {"name": "mf", "factors": 3}), {"film 3": 5.0}, KEY)
    assert node.budget_left is None
    assert node.epsilon is None


def test_merge_rules_that_tell_more_are_refused():
    with pytest.raises(RecipeError, match="how much data people have"):
        Community(FILMS, "mf", "dataset-size", steps=[STEP])


def test_a_hostile_model_learns_nothing_from_a_refusal():
    """A row so large that training on it diverges: both answer, with or without the item, and pay for it."""
    with uncompiled(), np.errstate(all="ignore"):
        shared = community()
        message = codec.decode(server(), shared.expect)
        message.rows[3] = 1e6
        hostile = codec.encode(message)
        for history in ({"film 3": 5.0}, {"film 5": 5.0}):
            node = Node(shared, history)
            assert len(node.local_update(hostile)) > 0
            assert node.budget_left == 1
            assert np.isfinite(node._people.user).all()
            assert len(node.recommend(3)) == 3
