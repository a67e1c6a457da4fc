"""Items are found exactly where messages tell them, and not at all where they do not."""

import numpy as np
import pytest

from sottovoce.evaluate.audit.changed_rows import WAYS, attack
from sottovoce.evaluate.audit.changes import Changes
from tests.evaluate.audit.crowd import changes, noise, owned, sampled

OWN = owned()
PEOPLE = np.arange(len(OWN))


def found(way, seen, own=OWN):
    return attack(way, WAYS[way](seen, *own.shape), own.sum(axis=1), own, np.arange(len(own)))


@pytest.mark.parametrize("way", ["changed", "repeated", "length", "age"])
def test_rows_of_own_items_alone_are_a_perfect_leak(way):
    seen = changes(OWN[None], np.ones((1, *OWN.shape, 2)))
    precision, recall = found(way, seen)
    assert precision.value == recall.value == 1
    assert precision.guessing == pytest.approx(OWN.mean())
    assert precision.low > 0.9
    assert precision.people == len(OWN)


def test_sampled_items_hide_own_ones_from_the_simplest_way():
    seen = sampled(OWN, rounds=1)
    precision, recall = found("changed", seen)
    marked = np.zeros(OWN.shape, bool)
    marked[seen.target, seen.item] = True
    assert recall.value == 1
    assert precision.value == pytest.approx(np.mean(OWN.sum(axis=1) / marked.sum(axis=1)))
    assert recall.guessing == pytest.approx(marked.mean())


@pytest.mark.parametrize("rounds", [1, 4])
def test_the_side_tells_own_items_from_sampled_ones(rounds):
    seen = sampled(OWN, rounds)
    assert found("side", seen).recall.value > 0.95
    without = sampled(OWN, rounds, sides=False)
    assert found("side", without).recall.value < 0.7


def test_repetition_tells_more_with_every_round():
    values = [found("repeated", sampled(OWN, rounds, sides=False)).recall.value for rounds in (1, 3, 12)]
    assert values[0] < values[1] < values[2]
    assert values[2] > 0.99


def test_hidden_items_stand_out_after_many_rounds():
    """A step that sends rows of sampled items alone."""
    rng = np.random.default_rng(5)
    shape = (30, *OWN.shape)
    hidden = changes((rng.random(shape) < 0.3) & ~OWN, np.ones((*shape, 2)))
    assert found("changed", hidden).recall.value == 0
    assert found("never", hidden).recall.value > 0.99
    nothing = changes(np.zeros((1, *OWN.shape), bool), np.ones((1, *OWN.shape, 2)))
    assert found("never", nothing).recall.value == pytest.approx(OWN.mean(), abs=1e-9)


@pytest.mark.parametrize("way", sorted(set(WAYS) - {"changed"}))
def test_random_messages_are_worth_a_guess(way):
    """The 95 % interval holds the figure of guessing in nearly all of 20 crowds."""
    held = np.zeros(2)
    for seed in range(20):
        own = owned(people=100, items=60, seed=seed)
        figures = found(way, noise(own, rounds=3, seed=100 + seed), own)
        held += [figure.low <= figure.guessing <= figure.high for figure in figures]
    assert (held >= 17).all()


def test_unusual_growth_is_what_others_do_not_show():
    """Ages of popular rows grow for everybody."""
    popular = np.arange(OWN.shape[1]) % 3 == 0
    growth = (2 * popular + OWN).astype(np.int64)[None]
    seen = changes(growth > 0, np.ones((*growth.shape, 2)), growth)
    assert found("unusual", seen).recall.value > 0.95 > found("age", seen).recall.value


def test_a_message_without_rows_names_nothing():
    nothing = changes(np.zeros((1, *OWN.shape), bool), np.ones((1, *OWN.shape, 2)))
    precision, recall = found("changed", nothing)
    assert np.isnan(precision.value)
    assert recall.value == 0
    for way in ("repeated", "length", "side", "age"):
        assert found(way, nothing).recall.value == pytest.approx(OWN.mean())


def test_withheld_items_are_on_the_side_that_changes_rarely():
    """Each own row is sent with probability 0.2, and negatives change in two of five messages."""
    own, rng = owned(), np.random.default_rng(5)
    whole = sampled(own, 6)
    sent = ~own[whole.target, whole.item] | (rng.random(len(whole.item)) < 0.2)
    seen = Changes._make(column[sent] for column in whole)
    rare, usual, once = (found(way, seen, own) for way in ("rare side", "side", "changed"))
    assert rare.precision.low > 0.7 > 0.2 > usual.precision.high
    assert once.precision.high < 0.3
    assert found("side", whole, own).precision.value == 1
