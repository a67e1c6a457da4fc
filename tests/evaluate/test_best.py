"""Everybody's best model is noted by the weighting set alone, and kept if asked for."""

import numpy as np
import pytest

from sottovoce.combine.interface import merge_statistic
from sottovoce.combine.performance import Performance
from sottovoce.evaluate.best import Best
from sottovoce.evaluate.likeness import likeness
from sottovoce.models.mf import MF
from tests.combine.test_performance import community
from tests.networks import ratings, simulate


@pytest.fixture(scope="module")
def states():
    """A network after each of some rounds, as copies."""
    data, parts = community()
    s = simulate(MF(factors=3), data, merge=Performance(k=2), **parts)
    found = []
    for _ in range(6):
        s.advance(1)
        tables = type(s.tables)(*(array.copy() for array in s.tables))
        found.append((tables, s.people._replace(user=s.people.user.copy())))
    return s.model, found


def test_the_first_of_the_best_is_kept(states):
    model, found = states
    rule = Performance("ndcg", k=2)
    best = Best(rule, 12, 1, keep=True)
    for round, (tables, people) in enumerate(found):
        best.note(model, tables, people, round)
    qualities = np.array(
        [[merge_statistic(rule, model, t, p, people, p, 1) for p in range(12)] for t, people in found]
    )
    np.testing.assert_array_equal(best.round, qualities.argmax(axis=0))
    np.testing.assert_array_equal(best.quality, qualities.max(axis=0))
    assert len(set(best.round)) > 1
    tables, people = best.used(found[-1][1])
    for person, round in enumerate(best.round):
        then, who = found[round]
        own = slice(then.offset[person], then.offset[person + 1])
        np.testing.assert_array_equal(tables.rows[own], then.rows[own])
        np.testing.assert_array_equal(people.user[person], who.user[person])


def test_it_continues_from_a_checkpoint(states):
    model, found = states
    through, first, second = (Best(Performance(k=2), 12, 1, keep=True) for _ in range(3))
    for round, state in enumerate(found):
        through.note(model, *state, round)
        if round < 3:
            first.note(model, *state, round)
    second.restore({name: array.copy() for name, array in first.state().items()}, *found[0])
    assert second.noted == 2
    for round, state in list(enumerate(found))[3:]:
        second.note(model, *state, round)
    for name, array in through.state().items():
        np.testing.assert_array_equal(array, second.state()[name], err_msg=name)


def test_who_cannot_tell_uses_the_latest(states):
    """The first two have a single weighting item each; from round 4 on, the first has enough."""
    model, found = states
    best = Best(Performance(k=2), 12, 1, keep=True)
    for round, (tables, people) in enumerate(found):
        sizes = [4 if round >= 4 else 1, 1] + [4] * 10
        people = people._replace(weighting_indptr=np.cumsum([0, *sizes]))
        best.note(model, tables, people, round)
    able = np.array([True, False] + [True] * 10)
    converged = best.converged(people)
    np.testing.assert_array_equal(np.isnan(converged), ~able)
    assert converged[0] >= 4
    assert best.round[1] == 5
    tables, own = best.used(people)
    latest, then = found[-1]
    mine = slice(latest.offset[1], latest.offset[2])
    np.testing.assert_array_equal(tables.rows[mine], latest.rows[mine])
    np.testing.assert_array_equal(own.user[1], then.user[1])


def test_likeness_is_the_cosine_of_histories():
    rng = np.random.default_rng(2)
    table = (rng.random((9, 20)) < 0.4) * 5.0
    people = simulate(MF(factors=3), ratings(table.tolist())).people
    neighbours = np.array([[(n + 1) % 9, (n + 4) % 9, -1] for n in range(9)], np.int32)
    found, chance = likeness(people, 20, neighbours, 1)
    had = table > 0
    cosine = (had.astype(float) @ had.T) / np.sqrt(np.outer(had.sum(1), had.sum(1)))
    wanted = [(cosine[n, (n + 1) % 9] + cosine[n, (n + 4) % 9]) / 2 for n in range(9)]
    np.testing.assert_allclose(found, wanted)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert len(set(chance)) > 1
