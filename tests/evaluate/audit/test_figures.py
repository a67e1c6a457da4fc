"""Intervals, and weights of equal scores."""

import numpy as np
import pytest

from sottovoce.evaluate.audit.figures import interval, over_people, strongest, wilson


def test_wilson_as_published():
    """81 of 263: 0.2553 to 0.3662 (Newcombe, Statistics in Medicine 17, 1998, Table I)."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=5e-5)
    assert wilson(20, 20)[1] == 1
    assert interval(np.full(20, 1 - 1e-16)) == wilson(20, 20)


def test_a_person_counts_once():
    values, guess = np.array([0.0, 0.5, 0.9, np.nan]), np.array([0.1, 0.1, 0.3, 0.3])
    found = over_people(values, guess, np.array([7, 7, 8, 9]))
    assert found.value == pytest.approx((0.25 + 0.9) / 2)
    assert found.guessing == pytest.approx(0.2)
    assert found.people == 2
    assert found.low <= found.value <= found.high
    nobody = over_people(np.array([np.nan]), np.array([0.5]), np.array([0]))
    assert np.isnan(nobody.value)
    assert nobody.people == 0


def test_the_interval_covers_the_mean():
    """Of 200 samples, about 190 intervals hold the true mean."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        found = over_people(rng.beta(2, 5, 50), np.zeros(50), np.arange(50))
        held += found.low <= 2 / 7 <= found.high
    assert 175 <= held <= 198


def test_equal_scores_share_places():
    scores = np.array([[3.0, 2, 2, 2, 0], [1.0, 1, 1, 1, 1]])
    found = strongest(scores, np.array([2, 2]))
    np.testing.assert_allclose(found, [[1, 1 / 3, 1 / 3, 1 / 3, 0], [0.4] * 5])


def test_what_is_found_of_somebody_else():
    """What everybody has is found of everybody; it says nothing about a person."""
    from sottovoce.evaluate.audit import changed_rows, membership

    own = np.zeros((6, 12), bool)
    own[:, :2] = True  # everybody's
    own[np.arange(6), 2 + np.arange(6)] = True
    person, popular = np.arange(6), np.tile(np.r_[1.0, 1.0, np.zeros(10)], (6, 1))
    told = membership.attack(popular, own, person)
    assert told.auc.value == told.auc.another > 0.8
    exact = changed_rows.attack("changed", own.astype(float), own.sum(axis=1), own, person)
    assert exact.recall.value == 1
    assert exact.recall.another == pytest.approx(2 / 3)
