"""Communities: which nodes can merge their models, and what a community cannot be made of."""

import numpy as np
import pytest

import sottovoce
from sottovoce.errors import DataError, MessageError, RunError
from sottovoce.models.als import ALS
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.models.prme import PRME
from sottovoce.node import Community, Key, Node
from sottovoce.node.history import interactions, new_person
from tests.node.simulated import ITEMS, pair


@pytest.mark.usefixtures("uncompiled")
def test_two_communities_of_equal_size_do_not_merge():
    mine, _ = pair()
    shuffled = Community(ITEMS[::-1], MF(factors=3))
    other = Community(ITEMS, MF(factors=3, step=0.001))
    before = {name: array.copy() for name, array in mine._state().items()}
    for community, said in ((shuffled, "another catalogue"), (other, "other settings")):
        with pytest.raises(MessageError, match=said):
            mine.absorb(Node(community, ITEMS[:2]).emit())
    for junk in (b"", b"GET / HTTP/1.1", mine.emit()[:-1], mine.local_update(mine.emit())):
        with pytest.raises(MessageError):
            mine.absorb(junk)
    for name, array in before.items():
        if name not in ("user", "steps", "counters"):
            np.testing.assert_array_equal(mine._state()[name], array)


@pytest.mark.usefixtures("uncompiled")
def test_the_seed_and_the_kind_of_start_belong_to_the_settings():
    """Nodes with another common start would merge rows that have nothing in common."""
    hashes = [
        Community(ITEMS, GMF(factors=2), seed=seed, start=start).expect.settings
        for seed in (1, 2)
        for start in ("common", "independent")
    ]
    assert len(set(hashes)) == 4
    assert Community(ITEMS, GMF(factors=2)).expect.settings == hashes[0]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("start", ["common", "independent"])
def test_a_common_start_is_everybodys(start):
    community = Community(ITEMS, MF(factors=3), start=start)
    rows = []
    for secret in (b"a" * 16, b"b" * 16):
        nothing = interactions(community, [])
        person = new_person(community, Key.of(secret), nothing, nothing, 0)
        rows.append(community.started(person).rows.copy())
    assert np.ptp(rows[0]) > 0
    assert (rows[0] == rows[1]).all() == (start == "common")


def test_keys_are_hashes_of_the_secret():
    """Three numbers of 63 bits; another label or another secret gives others."""
    first, second = Key.of(b"a" * 16), Key.of(b"a" * 15 + b"b")
    assert Key.of(b"a" * 16) == first
    assert len({*first, *second}) == 6
    assert all(0 <= part < 2**63 for part in first)
    assert Key.simulated(7, 3) == (7, 3, 3)
    with pytest.raises(RunError, match="can be guessed"):
        Key.of(b"a" * 15)


def test_the_longest_message_is_known_beforehand():
    for factors in (2, 6):
        community = Community(ITEMS, GMF(factors=factors))
        emitted = len(Node(community, ITEMS[:2]).emit())
        assert emitted <= community.largest_message < emitted + 5 * len(ITEMS)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"start": "comon"}, "neither 'common' nor 'independent'"),
        ({"sharing": 0}, "must both be positive"),
        ({"merge": "performance", "compress": ["subsample"]}, "judges whole models"),
        ({"compress": ["delta"], "start": "independent"}, "common start"),
    ],
)
def test_communities_that_make_no_sense(settings, said):
    with pytest.raises(RunError, match=said):
        Community(ITEMS, MF(factors=3), **settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "how many people there are"),
        ({"people": 9, "merge": "linear"}, "merges none"),
        ({"people": 9, "compress": ["subsample"]}, "taken whole"),
    ],
)
def test_communities_whose_model_is_solved_from_sums(settings, said):
    with pytest.raises(RunError, match=said):
        Community(ITEMS, ALS(factors=3), **settings)
    assert Community(ITEMS, ALS(factors=3), people=9).model.people == 9


def test_catalogues_that_are_none():
    with pytest.raises(DataError, match="id of its own"):
        Community(["a", "a "], MF(factors=3))
    with pytest.raises(DataError, match="needs items"):
        Community([], MF(factors=3))
    with pytest.raises(DataError, match="gives no coordinates"):
        Community(ITEMS, PRME(factors=2))
    with pytest.raises(DataError, match="3 coordinates for 12 items"):
        Community(ITEMS, MF(factors=3), coordinates=[(1, 1)] * 3)
    assert sottovoce.Community is Community
