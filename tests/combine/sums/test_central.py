"""A trusted server that adds noise: everybody's share is bounded, and every row gets noise."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.sums.central import Central
from sottovoce.exchange.steps.clip import Clip
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.privacy.guarantee import calibrated, guarantee
from sottovoce.protocols.federated import Federated
from sottovoce.testing.networks import uncompiled
from tests.networks import ratings, simulate

DATA = ratings([[5, 0, 3, 0, 0, 1, 0, 0], [0, 4, 0, 0, 2, 0, 0, 0], [1, 1, 0, 0, 0, 5, 0, 0]])
WEAK = Central(length=0.05, noise=1e-3, epsilon=1e9, delta=1e-3)


def moved(model, rounds=1, seed=1, **parts):
    with uncompiled():
        s = simulate(model, DATA, protocol=Federated(), merge=Simple(), seed=seed, **parts)
        rows, head = s.tables.rows.copy(), s.tables.head.copy()
        s.advance(rounds)
    return s, s.tables.rows - rows, s.tables.head - head


@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=2, negatives=1)])
def test_with_little_noise_it_is_the_mean_of_clipped_updates(model):
    _, rows, head = moved(model, sum=WEAK)
    _, expected, of_head = moved(model, steps=[Clip(length=0.05)])
    np.testing.assert_allclose(rows, expected, atol=2e-4)
    np.testing.assert_allclose(head, of_head, atol=2e-4)
    assert np.abs(rows).max() > 5e-4


def test_noise_reaches_every_row_and_the_head_and_is_divided_by_the_participants():
    loud = Central(length=1e-6, noise=3e6, epsilon=1e-3, delta=1e-3)
    s, rows, head = moved(GMF(factors=2, negatives=1), sum=loud)
    found = np.concatenate([rows.ravel(), head.ravel()])
    assert (found != 0).all()
    assert found.std() == pytest.approx(1.0, rel=0.5)  # 3 / 3 participants
    assert (s.tables.age == 1).all()
    assert (s.tables.size == 0).all()
    wide = Central(length=1e-6, noise=3e6, epsilon=1e-3, delta=1e-3)
    many = np.concatenate([moved(MF(factors=3), sum=wide, seed=seed)[1].ravel() for seed in range(60)])
    assert many.std() == pytest.approx(1.0, rel=5 / np.sqrt(2 * len(many)))


def test_nobody_takes_part_more_often_than_the_budget_allows():
    sum = calibrated(Central(epsilon=8.0, delta=1e-3, disclosures=2))
    s, rows, _ = moved(MF(factors=3), rounds=2, sum=sum)
    again, same, _ = moved(MF(factors=3), rounds=5, sum=sum)
    np.testing.assert_array_equal(rows, same)
    assert again.people.disclosed.tolist() == s.people.disclosed.tolist() == [2, 2, 2]
    assert again.messages == s.messages
    assert guarantee(sum).trust == "central"
    assert guarantee(sum).spent(2) <= 8


def test_an_update_that_is_not_finite_counts_as_zero():
    _, rows, _ = moved(MF(factors=3, step=1e30), sum=WEAK)
    assert np.isfinite(rows).all()


def test_runs_repeat_and_rounds_differ():
    (_, a, _), (_, b, _) = (moved(MF(factors=3), sum=WEAK) for _ in range(2))
    np.testing.assert_array_equal(a, b)
    assert (moved(MF(factors=3), rounds=2, sum=WEAK)[1] != 2 * a).any()
