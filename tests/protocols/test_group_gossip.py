"""Groups gossip, and their members hide in sums."""

import numpy as np
import pytest

from sottovoce.combine.linear import Linear
from sottovoce.errors import RecipeError
from sottovoce.exchange import codec
from sottovoce.exchange.steps.clip import Clip
from sottovoce.models.mf import MF
from sottovoce.protocols.group_gossip import GroupGossip
from sottovoce.protocols.interface import hosts
from tests.networks import ratings, simulate


def data(people):
    rng = np.random.default_rng(4)
    values = rng.integers(1, 6, (people, 9)) * (rng.random((people, 9)) < 0.5)
    values[:, 0] = 3
    return ratings(values.tolist())


@pytest.mark.parametrize(("people", "group"), [(12, 6), (23, 5), (100, 3)])
def test_everybody_is_in_one_group_of_the_size_asked_for(people, group):
    found = hosts(GroupGossip(group), data(people), 1)
    sizes = np.diff(found.first)
    assert sizes.min() >= group
    assert sizes.max() <= sizes.min() + 1
    assert sorted(found.member.tolist()) == list(range(people))
    assert found.member.tolist() != list(range(people))
    assert found.member.tolist() != hosts(GroupGossip(group), data(people), 2).member.tolist()


@pytest.mark.parametrize("protocol", [GroupGossip(7), GroupGossip(4, 5)])
def test_groups_that_hide_nobody_are_refused(protocol):
    with pytest.raises(RecipeError, match="do not make two groups"):
        hosts(protocol, data(12), 1)


def test_groups_train_and_their_bytes_count():
    s = simulate(MF(factors=3), data(12), protocol=GroupGossip(4), merge=Linear(), steps=[Clip(10.0)])
    assert s.tables.slots == 3
    assert s.private.slots == 0
    before = s.tables.rows.copy()
    s.advance(2)
    assert (s.tables.rows != before).any()
    assert s.people.steps.tolist() == [s.tables.clock[n] for n in np.argsort(s.people.member) // 4]
    between = 6 * s.message_bytes
    model = codec.size(9, 4, 0, False)
    assert s.bytes == between + 6 * 3 * (model + 4 * 10 + 4 * 36)
    assert s.messages == 6 + 6 * 9
