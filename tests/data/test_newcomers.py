"""People held out of a split, by a slow reference."""

import numpy as np
import pytest

from sottovoce.data.newcomers import only, split_of, with_first
from sottovoce.data.splits.local_holdout import LocalHoldout
from tests.networks import ratings


@pytest.fixture
def split():
    rng = np.random.default_rng(3)
    return LocalHoldout(candidates=3).split(ratings((rng.random((9, 12)) < 0.6).astype(int).tolist()), 1)


def rows(data, *columns):
    """Each person's interactions, by the person's id."""
    own = {}
    for person, user in enumerate(data.users.tolist()):
        part = slice(data.indptr[person], data.indptr[person + 1])
        both = zip(data.item[part].tolist(), *(column[part].tolist() for column in columns), strict=True)
        own[user] = list(both)
    return own


def test_a_split_of_some_people_has_their_parts_and_nobody_elses(split):
    who = np.array([True, False, True, True, False, False, True, False, True])
    kept = split_of(split, who)
    named = {user for user, there in zip(split.train.users.tolist(), who, strict=True) if there}
    assert kept.hash != split.hash
    for part in ("train", "test", "weighting"):
        whole = rows(getattr(split, part))
        assert rows(getattr(kept, part)) == {user: whole[user] for user in named}
    whole = rows(split.test, split.candidates)
    assert rows(kept.test, kept.candidates) == {user: whole[user] for user in named}
    whole = rows(split.weighting, split.weighting_candidates)
    assert rows(kept.weighting, kept.weighting_candidates) == {user: whole[user] for user in named}
    assert only(split.train, who).items == split.train.items


@pytest.mark.parametrize("count", [0, 1, 3, 99])
def test_the_first_items_of_some_people(split, count):
    who = np.arange(9) % 3 == 0
    whole = rows(split.train)
    assert rows(with_first(split.train, count)) == {user: own[:count] for user, own in whole.items()}
    assert rows(with_first(split.train, count, who)) == {
        user: own[:count] if there else own for (user, own), there in zip(whole.items(), who, strict=True)
    }
