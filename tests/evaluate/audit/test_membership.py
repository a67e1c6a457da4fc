"""Areas under curves beside a slow count of pairs, thresholds beside a slow search."""

import numpy as np
import pytest

from sottovoce.evaluate.audit.membership import attack, auc, recall_at, threshold
from tests.evaluate.audit.crowd import owned


def slow_auc(scores, own):
    wins = [(a > b) + (a == b) / 2 for a in scores[own] for b in scores[~own]]
    return np.mean(wins) if wins else np.nan


def test_auc_is_the_share_of_pairs_in_order():
    rng = np.random.default_rng(1)
    own, scores = rng.random((9, 25)) < 0.3, rng.integers(0, 5, (9, 25)).astype(float)
    own[0], own[1] = True, False
    expected = [slow_auc(s, o) for s, o in zip(scores, own, strict=True)]
    np.testing.assert_allclose(auc(scores, own), expected)


def slow_threshold(scores):
    def spread(cut):
        low, high = scores[scores <= cut], scores[scores > cut]
        return len(low) * len(high) * (low.mean() - high.mean()) ** 2

    return max(np.unique(scores)[:-1], key=spread)


def test_the_threshold_divides_where_the_groups_differ_most():
    rng = np.random.default_rng(2)
    scores = np.concatenate([rng.normal(0, 1, (6, 30)), rng.normal(8, 1, (6, 7))], axis=1)
    scores[3] = rng.integers(0, 4, 37)
    found = threshold(scores)
    assert found.tolist() == [slow_threshold(row) for row in scores]
    assert ((scores[:3] > found[:3, None]).sum(axis=1) == 7).all()


def test_a_perfect_score_and_one_that_is_noise():
    own, person = owned(people=150), np.arange(150)
    rng = np.random.default_rng(3)
    perfect = attack(own + rng.random(own.shape) / 2, own, person)
    assert perfect.auc.value == 1
    assert perfect.at_few_alarms == 1
    assert perfect.recall.value > 0.99
    assert perfect.precision.value > 0.9
    noise = attack(rng.random(own.shape), own, person)
    assert noise.auc.low <= 0.5 <= noise.auc.high
    assert noise.at_few_alarms == pytest.approx(0.01, abs=0.01)
    assert noise.precision.low <= noise.precision.guessing <= noise.precision.high
    same = attack(np.zeros(own.shape), own, person)
    assert same.auc.value == 0.5
    assert same.at_few_alarms == 0


def test_recall_at_some_alarms():
    scores = np.array([[9.0, 5, 1, 8, 7, 0, 0, 0, 0, 0]])
    own = np.array([[True, True, True] + [False] * 7])
    assert recall_at(scores, own, 0.0) == pytest.approx(1 / 3)
    assert recall_at(scores, own, 0.3) == 1
    assert np.isnan(recall_at(scores, np.zeros_like(own), 0.1))
