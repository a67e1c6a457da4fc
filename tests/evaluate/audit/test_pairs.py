"""Signs of biases tell what is sent, and what is never sampled tells the rest, if enough is sampled."""

import itertools

import numpy as np
import pytest

from sottovoce.evaluate.audit import pairs
from sottovoce.evaluate.audit.changed_rows import attack
from tests.evaluate.audit.crowd import changes, owned

OWN = owned()
HELD = float(OWN.sum(axis=1).mean())


def triples(own, rounds, disclosed, seed=2, negatives=6):
    """Messages in which own items rise with probability `disclosed` (π), and random other ones fall."""
    rng = np.random.default_rng(seed)
    up = own & (rng.random((rounds, *own.shape)) < disclosed)
    down = ~own & (rng.random((rounds, *own.shape)) < negatives / own.shape[1])
    change = np.where(up, 1.0, -1.0)[..., None] * np.array([0.3, 1.0])
    return changes(up | down, change)


def found(scores, own=OWN, way="likely"):
    return attack(way, scores, own.sum(axis=1), own, np.arange(len(own)))


@pytest.mark.parametrize(("disclosed", "recall"), [(1.0, 1.0), (0.0, 0.0)])
def test_biases_that_rise_tell_what_is_sent_and_nothing_else(disclosed, recall):
    seen = triples(OWN, 3, disclosed)
    one = found(pairs.rose(seen, *OWN.shape))
    assert one.recall.value == recall
    assert one.precision.value == 1 if disclosed else np.isnan(one.precision.value)
    np.testing.assert_array_equal(pairs.fell(seen, *OWN.shape) * OWN, 0)


def test_what_is_never_sampled_is_ones_own_after_many_draws_alone():
    few, many = (found(pairs.unseen(triples(OWN, n, 0.0), *OWN.shape, HELD)) for n in (1, 60))
    assert few.recall.value == many.recall.value == 1
    assert few.precision.value < 0.3
    assert many.precision.value > 0.97


def test_chances_are_those_of_bayes():
    """One target, 40 items of which it is said to have 4: 36 draws fell on 3 items."""
    seen = changes(np.tile([True] * 3 + [False] * 37, (12, 1, 1)), -np.ones((12, 1, 40, 2)))
    missed, odds = (1 - 1 / 36) ** 36, 4 / 36
    chance = pairs.unseen(seen, 1, 40, 4.0)
    np.testing.assert_allclose(chance[0, 3:], odds / (odds + missed))
    np.testing.assert_array_equal(chance[0, :3], 0)


def test_what_others_have_makes_items_likelier():
    own = np.zeros((30, 50), bool)
    own[:, :10] = True  # everybody has the same
    seen = triples(own, 4, 1.0)
    hidden = (seen.target == 0) & (seen.change[:, -1] > 0)
    silent = type(seen)._make(column[~hidden] for column in seen)
    one = pairs.likeliest(pairs.likely(silent, *own.shape, 10.0))[0]
    np.testing.assert_array_equal(one > 0, own[0])
    alone = type(seen)._make(column[silent.target == 0] for column in silent)
    assert pairs.likeliest(pairs.likely(alone, *own.shape, 10.0))[0].sum() > 20


def test_as_many_are_named_as_make_the_expected_f1_largest():
    rng = np.random.default_rng(4)
    for _ in range(20):
        chance = rng.random((1, 6)).round(1)
        sets = [np.array(bits) for bits in itertools.product([0, 1], repeat=6) if any(bits)]
        value = [2 * (chance[0] * s).sum() / (s.sum() + chance.sum()) for s in sets]
        named = pairs.likeliest(chance)[0]
        assert 2 * (chance[0] * named).sum() / (named.sum() + chance.sum()) == pytest.approx(max(value))
    np.testing.assert_array_equal(pairs.likeliest(np.zeros((2, 3))), 0)
