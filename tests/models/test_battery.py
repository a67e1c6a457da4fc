"""What every model must be able to do, by the checks that models of one's own must pass too."""

import pytest

from sottovoce import registry
from sottovoce.protocols.central import Central
from sottovoce.protocols.gossip import Gossip
from sottovoce.testing import models

IMPERSONAL = {"popularity", "random"}
RATED = {"mf", "rating-als"}

# Rating models learn from dislikes, so their board has both colours rated; all settle on their own.
SETTINGS = {
    "mf": {"factors": 3, "step": 0.05, "regularization": 0.01},
    "rating-als": {"factors": 3, "regularization": 0.5},
    "bpr": {"factors": 3, "step": 0.1},
    "ials": {"factors": 3, "regularization": 0.1},
    "fcf": {"factors": 3, "confidence": 0.0, "regularization": 0.1, "step": 0.02},
    "fcf-consumed": {"factors": 3, "regularization": 0.1, "step": 0.02},
    "prme": {"factors": 3, "step": 0.1, "regularization": 0.01},
    # Rows of 6 numbers in all three, so that one compilation serves them.
    "gmf": {"factors": 6, "step": 0.02},
    "mlp": {"factors": 6, "layers": [8, 4], "step": 0.02},
    "neumf": {"factors": 3, "layers": [8, 4], "step": 0.02},
}
ROUNDS = {"mf": 400, "rating-als": 30, "ials": 60}
EVERY = registry.names("model")
SUMMED = {name for name in EVERY if getattr(registry.get("model", name), "learns", "") == "statistics"}
"""Models that are solved from sums, which no peers merge; they have tests of their own."""
MERGED = sorted(set(EVERY) - SUMMED)


def built(name):
    return registry.build("model", name, SETTINGS.get(name, {}), "model")


@pytest.mark.parametrize("name", sorted(set(MERGED) - IMPERSONAL))
def test_withheld_square_is_ranked_first_by_gossip(name):
    models.check_withheld(built(name), Gossip(pushes=2), rated=name in RATED, rounds=ROUNDS.get(name, 200))


@pytest.mark.parametrize("name", sorted(set(EVERY) - IMPERSONAL))
def test_withheld_square_is_ranked_first_by_central_training(name):
    protocol = Central()
    models.check_withheld(built(name), protocol, rated=name in RATED, rounds=ROUNDS.get(name, 200))


@pytest.mark.parametrize("name", EVERY)
def test_every_model_describes_itself(name):
    models.check_description(built(name))


@pytest.mark.parametrize("name", MERGED)
def test_scores_of_everything_are_those_of_each(name):
    models.check_scores(built(name))


@pytest.mark.parametrize("name", MERGED)
def test_training_is_sound_on_any_table_and_after_a_restart(name):
    models.check_state(built(name))
    models.check_touched_rows(built(name))
    models.check_restart(built(name))


@pytest.mark.parametrize("name", sorted(set(MERGED) - {"prme"}))
def test_nodes_end_as_the_simulator_does(name):
    """`prme` needs places; tests of nodes have it."""
    models.check_node(built(name))


def test_threads_do_not_change_the_result():
    models.check_threads(built("mf"))
