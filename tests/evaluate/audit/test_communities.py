"""Who resembles whom, from messages that tell and from messages that do not."""

import numpy as np
import pytest

from sottovoce.evaluate.audit.communities import WAYS, attack, cosine, jaccard
from tests.evaluate.audit.crowd import changes, noise, owned


def camps(people=60, items=100, seed=1):
    """People in three camps with tastes of their own."""
    rng = np.random.default_rng(seed)
    camp = np.arange(people) % 3
    return rng.random((people, items)) < np.where(np.arange(items) % 3 == camp[:, None], 0.5, 0.03)


@pytest.mark.parametrize("way", sorted(WAYS))
def test_people_who_change_the_same_rows_are_found(way):
    own = camps()
    seen = changes(own[None], np.ones((1, *own.shape, 3)))
    found = attack(WAYS[way](seen, *own.shape), own, np.arange(len(own)))
    assert found.guessing == pytest.approx(10 / 59, rel=0.1)
    assert found.value > 3.5 * found.guessing


@pytest.mark.parametrize("way", sorted(WAYS))
def test_random_messages_are_worth_a_guess(way):
    held, values = 0, []
    for seed in range(20):
        own = owned(people=100, items=60, seed=seed)
        found = attack(WAYS[way](noise(own, 2, seed=100 + seed), *own.shape), own, np.arange(len(own)))
        held += found.low <= found.guessing <= found.high
        values.append(found.value - found.guessing)
    assert held >= 14
    assert np.mean(values) == pytest.approx(0, abs=0.01)


def test_similarities():
    own = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]], bool)
    np.testing.assert_allclose(jaccard(own), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 0]])
    np.testing.assert_allclose(cosine(own.astype(np.float32))[0], [1, 0.5**0.5, 0], rtol=1e-6)


def test_whoever_knows_the_items_knows_who_is_alike():
    """Also if many are equally similar; people without anybody who shares an item do not count."""
    own = owned(people=50, items=8, share=0.4)
    found = attack(jaccard(own), own, np.arange(50))
    assert found.value == 1
    assert 10 / 49 < found.guessing < 0.5
    own[:3] = False
    assert attack(jaccard(own), own, np.arange(50)).people == 47


def test_too_few_people_have_no_neighbours():
    own = np.ones((1, 4), bool)
    assert np.isnan(attack(np.ones((1, 1)), own, np.arange(1)).value)
