"""What a community chooses on weighting sets, against NumPy."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.kernels.symmetric import triangle
from sottovoce.metrics.rank import lot, rank
from sottovoce.models.als import ALS
from sottovoce.models.chosen import (
    CHOSEN,
    EAGER,
    FULL,
    JUDGED,
    POPULARITY,
    SCORES,
    WIDEST,
    judge,
    move,
    popularity,
)
from sottovoce.models.statistics import solve_vectors
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation
from sottovoce.state import slots_of, zeros
from tests.networks import ratings

PEOPLE, ITEMS, K = 40, 30, 3


def split():
    rng = np.random.default_rng(5)
    taste = rng.normal(size=(PEOPLE, 2)) @ rng.normal(size=(2, ITEMS)) + rng.normal(size=ITEMS)
    return LocalHoldout(candidates=8).split(ratings((taste > 0.3).astype(int).tolist()), 1)


def network(held, **settings):
    everybody = {"merge": Simple(), "peers": None, "rounds": 9}
    weighting = {"weighting": held.weighting, "candidates": held.weighting_candidates}
    model = ALS(factors=K, **settings)
    return Simulation(model, Federated(start="common"), held.train, 1, **everybody, **weighting)


def gains(held, scores):
    """Everybody's NDCG@10 of the first items of the weighting set; 0 without one."""
    part, found = held.weighting, np.zeros(PEOPLE)
    for person in range(PEOPLE):
        begin = part.indptr[person]
        end = min(part.indptr[person + 1], begin + JUDGED)
        for n in range(begin, end):
            rivals = held.weighting_candidates[n][held.weighting_candidates[n] >= 0]
            item = part.item[n]
            before = rank(scores[person, item], scores[person, rivals], lot(person, item))
            found[person] += (before < 10) / np.log2(2 + before) / (end - begin)
    return found


def solved(s, y, alpha, ridge):
    """Everybody's vector."""
    x = np.zeros((PEOPLE, ITEMS))
    for person in range(PEOPLE):
        x[person, s.people.item[s.people.indptr[person] : s.people.indptr[person + 1]]] = 1
    m, found = x.sum(axis=1), np.empty((PEOPLE, K))
    for person, own in enumerate(x):
        matrix = alpha * y.T @ y + (1 - alpha) * (y * own[:, None]).T @ y
        matrix += ridge * (m[person] + alpha * ITEMS) / (m.mean() + alpha * ITEMS) * np.eye(K)
        found[person] = np.linalg.solve(matrix, own @ y)
    return found, m


def test_everybody_learns_how_good_candidates_are_on_average():
    held = split()
    s = network(held, patience=2, regularization=1.0)
    s.advance(3)
    chosen = s.tables.head[0, -2 - CHOSEN : -2].copy()
    y, c = s.tables.rows[:, :K].astype(float), s.tables.rows[:, K].astype(float)
    s.advance(1)
    mean, alpha = np.diff(s.people.indptr).mean(), 0.7 * 2 ** chosen[0]
    alpha, ridge = alpha * np.sqrt(mean / ITEMS), 2 ** chosen[1] * (PEOPLE / ITEMS) ** 0.1
    now = s.tables.head[0, -2 - CHOSEN : -2]

    def judged(a, r, weight):
        u, m = solved(s, y, alpha * 2**a, ridge * 2**r)
        return gains(held, u @ y.T + (weight * 5 / (5 + m))[:, None] * c).mean()

    best = POPULARITY[np.argmax(chosen[SCORES:])]
    np.testing.assert_allclose(now[SCORES:], [judged(0, 0, w) for w in POPULARITY], atol=2e-3)
    more = judged(1, 0, best) - judged(-1, 0, best), judged(0, 1, best) - judged(0, -1, best)
    np.testing.assert_allclose(now[2:SCORES], more, atol=2e-3)
    r = np.clip(now[3] / (FULL * now[SCORES:].max()), -1, 1)
    a = np.clip(EAGER * now[2] / (FULL * now[SCORES:].max()), -1, 1) * (1 - abs(r))
    np.testing.assert_allclose(now[:2] - chosen[:2], [0.5 * a, 0.5 * r], atol=1e-5)
    assert np.abs(now[:2]).max() > 0


def test_a_lot_decides_among_equals():
    """A model that tells no items apart is as good as chance, not worse: one of 4 places, each as likely."""
    tables, wanted, rivals = zeros(1, 4, K + 1, 0), np.zeros(1, np.int32), np.array([[1, 2, 3]], np.int32)
    vectors, found = np.zeros((1, K), np.float32), np.zeros((3000, CHOSEN))
    for key in range(len(found)):
        judge(vectors, 1.0, 1.0, tables, 0, wanted, rivals, key, found[key])
    chance = (1 / np.log2(np.arange(2, 6))).mean()
    np.testing.assert_allclose(found[:, SCORES:].mean(axis=0), chance, atol=0.02)


def test_people_score_with_the_chosen_weight_of_popularity():
    s = network(split())
    s.advance(2)
    s.tables.head[0, -2 - CHOSEN : -2] = 0
    s.tables.head[0, -2 - CHOSEN + SCORES + 4] = 0.5
    solve_vectors(s.model, s.tables, s.people, slots_of(s.people), s.seed)
    m = np.diff(s.people.indptr)
    np.testing.assert_allclose(s.people.user[:, K], POPULARITY[4] * 5 / (5 + m), rtol=1e-5)
    s.tables.head[0, -2 - CHOSEN + SCORES] = 0.6  # no popularity is best for most, and people with few items
    solve_vectors(s.model, s.tables, s.people, slots_of(s.people), s.seed)
    np.testing.assert_allclose(s.people.user[:, K], (5 / (5 + m)) ** 2, rtol=1e-5)


def test_settings_stay_where_nobody_judges_and_where_the_recipe_fixes_them():
    held = split()
    for s in (network(held, pace=0), network(held, unobserved=0.3, patience=1)):
        s.advance(4)
        assert s.tables.head[0, -2 - CHOSEN] == 0
    alone = Simulation(
        ALS(factors=K, held=0.0),
        Federated(start="common"),
        held.train,
        1,
        merge=Simple(),
        peers=None,
        rounds=9,
    )
    alone.advance(6)
    assert not alone.tables.head[0, -2 - CHOSEN : -2].any()
    assert popularity(alone.tables.head[0, -2 - CHOSEN : -2]) == 1


@pytest.mark.parametrize(("gain", "expected"), [(1.0, 0.5), (-1.0, -0.5), (0.005, 0.25)])
def test_a_step_is_in_proportion_to_what_it_gains_and_bounded(gain, expected):
    chosen, total = np.zeros(CHOSEN, np.float32), np.zeros(CHOSEN)
    total[3], total[SCORES:] = 2 * gain, 1.0  # of two people
    move(chosen, total, 2.0, 0.5, 1)
    assert chosen[1] == pytest.approx(expected)
    total[:2] = 2 * WIDEST
    move(chosen, total, 2.0, 0.5, 1)
    assert chosen[1] <= WIDEST


def test_what_was_measured_stays_when_nobody_measures_any_more():
    chosen, total = np.arange(CHOSEN, dtype=np.float32), np.zeros(CHOSEN)
    total[:2] = 2 * 0.5, 2 * 0.25  # of two people
    move(chosen, total, 2.0, 0.5, 1)
    np.testing.assert_array_equal(chosen, [0.5, 0.25, 0, 0, *range(SCORES, CHOSEN)])


def test_alpha_waits_for_lambda():
    for ridge, expected in ((1.0, 0.0), (0.0, 0.5)):
        chosen, total = np.zeros(CHOSEN, np.float32), np.zeros(CHOSEN)
        total[2], total[3], total[SCORES] = 1.0, ridge, 1.0
        move(chosen, total, 1.0, 0.5, 1)
        assert chosen[0] == expected


def test_how_alike_people_of_an_item_are():
    """s is Σ (u·y)² / Σ y·M y over all interactions, with M of the sweep before."""
    held = split()
    s = network(held, pace=0)
    s.advance(2)
    size, at = triangle(K), -5 - CHOSEN
    assert s.tables.head[0, at] == 3
    y, other = s.tables.rows[:, :K].astype(float), np.zeros((K, K))
    other[np.tril_indices(K)] = s.tables.head[0, size : 2 * size]
    other += np.tril(other, -1).T
    s.advance(1)
    mean = np.diff(s.people.indptr).mean()
    u, _ = solved(s, y, 0.7 * np.sqrt(mean / ITEMS), 5 * (PEOPLE / ITEMS) ** 0.1)
    owner = np.repeat(np.arange(PEOPLE), np.diff(s.people.indptr))
    own = y[s.people.item]
    expected = ((u[owner] * own).sum(axis=1) ** 2).sum() / ((own @ other) * own).sum()
    assert s.tables.head[0, at] == pytest.approx(max(expected, 1), rel=1e-3)
