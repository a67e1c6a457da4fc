"""Histories of one person: sorted, without repeats, and in the catalogue."""

import numpy as np
import pytest

from sottovoce.errors import DataError
from sottovoce.models.mf import MF
from sottovoce.models.prme import PRME
from sottovoce.node import Community, Key, Met, Node
from sottovoce.node.history import interactions, joined, new_person, without
from tests.node.simulated import ITEMS

COMMUNITY = Community(ITEMS, MF(factors=3))


def rows(data):
    return list(zip(data.item.tolist(), data.value.tolist(), data.time.tolist(), strict=True))


def test_three_ways_to_write_a_history():
    assert rows(interactions(COMMUNITY, ["film 2", "film 1"])) == [(2, 1, 0), (1, 1, 0)]
    assert rows(interactions(COMMUNITY, {"film 2": 4.5, " film 1": 3})) == [(2, 4.5, 0), (1, 3, 0)]
    timed = [Met("film 2", 4.0, 30), Met("film 1", 5.0, 10)]
    assert rows(interactions(COMMUNITY, timed)) == [(1, 5, 10), (2, 4, 30)], "in order of time"
    assert rows(interactions(COMMUNITY, [])) == []


def test_of_repeats_the_last_counts_except_for_models_that_look_at_visits():
    visits = [Met("film 1", 5.0, 30), Met("film 2", 4.0, 20), Met("film 1", 1.0, 10)]
    assert rows(interactions(COMMUNITY, visits)) == [(2, 4, 20), (1, 5, 30)]
    walking = Community(ITEMS, PRME(factors=2), coordinates=[(40, n) for n in range(12)])
    assert rows(interactions(walking, visits)) == [(1, 1, 10), (2, 4, 20), (1, 5, 30)]


def test_two_histories_as_one():
    first = interactions(COMMUNITY, [Met("film 1", 5.0, 10), Met("film 2", 4.0, 30)])
    second = interactions(COMMUNITY, [Met("film 3", 3.0, 20), Met("film 4", 2.0, 30)])
    both = joined(COMMUNITY, first, second)
    assert rows(both) == [(1, 5, 10), (3, 3, 20), (2, 4, 30), (4, 2, 30)]
    assert rows(without(both, np.array([2, 3]))) == [(1, 5, 10), (4, 2, 30)]


def test_candidates_are_items_that_the_person_has_not_met():
    """Drawn with the secret key: another person's are others."""
    train, aside = (interactions(COMMUNITY, names) for names in (["film 1", "film 2"], ["film 5", "film 6"]))
    drawn = {}
    for secret in (b"a" * 16, b"b" * 16):
        key = Key.of(secret)
        person = new_person(COMMUNITY, key, train, aside, 6)
        assert person.key.tolist() == [key.person]
        assert person.weighting_item.tolist() == [5, 6]
        assert person.weighting_candidates.shape == (2, 6)
        for row in person.weighting_candidates.tolist():
            assert len(set(row)) == 6
            assert not set(row) & {1, 2, 5, 6}
        drawn[secret] = sorted(person.weighting_candidates[0].tolist())
    assert drawn[b"a" * 16] != drawn[b"b" * 16]


def test_histories_are_tidied():
    node = Node(COMMUNITY, ["film 1", "film 2", "film 1", "film 3"], weighting=["film 3"], candidates=4)
    assert node._train.item.tolist() == [2, 1], "the last of repeats, without weighting items"
    node.learn(["film 4", "film 4"])
    assert node._train.item.tolist() == [2, 1, 4]
    node.learn(["film 3"])
    assert node._weighting.item.tolist() == [], "what is trained on is no longer judged by"


@pytest.mark.parametrize(
    ("history", "said"),
    [
        (["film 99"], "'film 99' is not in the community's catalogue"),
        ({"film 1": float("nan")}, "finite"),
        ([Met("film 1", 1.0, -5)], "whole number of seconds"),
        ([Met("film 1", 1.0, 2**62)], "whole number of seconds"),
    ],
)
def test_what_a_history_cannot_be(history, said):
    with pytest.raises(DataError, match=said):
        Node(COMMUNITY, history)
    with pytest.raises(DataError, match=said):
        Node(COMMUNITY, ITEMS[:3], weighting=history)
    node = Node(COMMUNITY, ITEMS[:3])
    with pytest.raises(DataError, match=said):
        node.learn(history)
    assert node._train.item.tolist() == [0, 1, 2]
