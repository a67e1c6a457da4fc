"""What every model must be able to do: fill the missing squares of a checkerboard.

People with even numbers like even items and people with odd numbers odd ones; each person's own
withheld item must come before all items of the other colour, none of which the person has consumed.
"""

import numpy as np
import pytest

from sottovoce import registry
from sottovoce.kernels import driver
from sottovoce.models.interface import score, score_all, score_some
from sottovoce.protocols.central import Central
from sottovoce.protocols.gossip import Gossip
from tests.networks import ratings, simulate

SIZE = 20
IMPERSONAL = {"popularity", "random"}

# Rating models learn from dislikes, so their board has both colours rated; all settle on their own.
SETTINGS = {
    "mf": {"factors": 3, "step": 0.05, "regularization": 0.01},
    "ials": {"factors": 3, "regularization": 0.1},
    "prme": {"factors": 3, "step": 0.1, "regularization": 0.01},
    # Rows of 6 numbers in all three, so that one compilation serves them.
    "gmf": {"factors": 6, "step": 0.02},
    "mlp": {"factors": 6, "layers": [8, 4], "step": 0.02},
    "neumf": {"factors": 3, "layers": [8, 4], "step": 0.02},
}
ROUNDS = {"mf": 400, "ials": 60}


def checkerboard(both: bool):
    board = np.zeros((SIZE, SIZE))
    for person in range(SIZE):
        for item in range(SIZE):
            liked = person % 2 == item % 2
            withheld = item in (person, (person + 1) % SIZE)
            board[person, item] = 0 if withheld else 5 if liked else float(both)
    return ratings(board.tolist())


@pytest.mark.parametrize("protocol", [Gossip(pushes=2), Central()], ids=["gossip", "central"])
@pytest.mark.parametrize("name", sorted(set(registry.names("model")) - IMPERSONAL))
def test_withheld_square_is_ranked_first(name, protocol):
    model = registry.build("model", name, SETTINGS.get(name, {}), "model")
    simulation = simulate(
        model, checkerboard(both=name == "mf"), protocol=protocol, rounds=ROUNDS.get(name, 200)
    )
    simulation.advance(ROUNDS.get(name, 200))
    assert np.isfinite(simulation.tables.rows).all()
    slot_of = np.empty(SIZE, int)
    for slot in range(simulation.tables.slots):
        slot_of[
            simulation.people.member[simulation.people.first[slot] : simulation.people.first[slot + 1]]
        ] = slot
    for person in range(SIZE):
        state = simulation.model, simulation.tables, slot_of[person], simulation.people, person
        others = [score(*state, item) for item in range(SIZE) if item % 2 != person % 2]
        assert score(*state, person) > max(others), f"person {person}"


@pytest.mark.parametrize("name", registry.names("model"))
def test_every_model_declares_itself(name):
    cls = registry.get("model", name)
    assert (cls.__doc__ or "").strip()
    import sys

    text = sys.modules[cls.__module__].__doc__ or ""
    assert len(text) > 60, "a model's module states what it computes"


@pytest.mark.parametrize("name", sorted(registry.names("model")))
def test_scores_of_everything_are_those_of_each(name):
    model = registry.build("model", name, SETTINGS.get(name, {}), "model")
    simulation = simulate(model, checkerboard(both=True))
    simulation.advance(2)
    every = []
    for slot, person in ((3, 3), (0, 0), (SIZE - 1, 4)):
        state = simulation.model, simulation.tables, slot, simulation.people, person
        scores = np.empty(SIZE, np.float32)
        _score_all(*state, scores)
        items, some = np.arange(SIZE, dtype=np.int32)[::-1].copy(), np.empty(SIZE, np.float32)
        _score_some(*state, items, some)
        np.testing.assert_array_equal(some, scores[items])
        some[:] = np.nan
        for n in range(SIZE):
            _score_some(*state, items[n : n + 1], some[n : n + 1])
        np.testing.assert_array_equal(some, scores[items])
        plain = [score(*state, j) for j in range(SIZE)]  # which rounds products and sums apart
        np.testing.assert_allclose(scores, plain, rtol=1e-5, atol=1e-6)
        every.append(scores)
    assert (every[0] != every[1]).any()
    assert (every[1] != every[2]).any()


@driver
def _score_all(model, tables, slot, people, person, scores):
    score_all(model, tables, slot, people, person, scores)


@driver
def _score_some(model, tables, slot, people, person, items, scores):
    score_some(model, tables, slot, people, person, items, scores)
