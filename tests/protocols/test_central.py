"""Central training: one model, trained on everybody's data, and nothing is sent."""

import numpy as np
import pytest

from sottovoce.models.popularity import Popularity
from sottovoce.protocols.central import Central
from sottovoce.protocols.hosted import Together
from sottovoce.protocols.interface import common_start, hosted, hosts, nodes, trainings
from tests.networks import ratings, simulate

DATA = ratings([[5, 0, 3, 0], [4, 4, 0, 0], [0, 1, 2, 0]])


def test_one_slot_hosts_everybody():
    found = hosts(Central(), DATA, 1)
    assert (found.first.tolist(), found.member.tolist()) == ([0, 3], [0, 1, 2])
    assert nodes(Central(), DATA, 1) == 1
    assert isinstance(hosted(Central()), Together)
    assert trainings(Central(), False, 1.0) == trainings(Central(), True, 0.1) == 1
    assert not common_start(Central())
    assert common_start(Central(start="common"))


@pytest.mark.usefixtures("uncompiled")
def test_a_round_counts_every_interaction_once_and_sends_nothing():
    s = simulate(Popularity(), DATA, protocol=Central())
    s.advance(2)
    assert s.tables.rows[:, 0].tolist() == [4, 4, 4, 0]
    assert s.tables.rows[:, 1].tolist() == [18, 10, 10, 0]
    assert (s.messages, s.arrived, s.bytes) == (0, 0, 0)
    assert s.people.steps.tolist() == [2, 2, 2]
    assert s.tables.clock.tolist() == [6]
    np.testing.assert_array_equal(s.tables.age, [4, 4, 4, 0])
