"""Steps that add a share of the noise: whole numbers that a secure sum adds exactly."""

import numpy as np
import pytest

from sottovoce.errors import RecipeError
from sottovoce.exchange.secure.fixed_point import fixed_point
from sottovoce.exchange.steps.discrete_gaussian import DiscreteGaussianShare
from sottovoce.exchange.steps.interface import on_device, protect
from sottovoce.exchange.steps.skellam import SkellamShare
from sottovoce.kernels import driver
from sottovoce.privacy.guarantee import calibrated, guarantee
from sottovoce.state import each_alone, gathered, new_people

ITEMS, PEOPLE = 50, 40


@driver
def _send(step, updates, people, run, sent):
    for n in range(len(sent)):
        updates.offset[1] = 1
        updates.ids[0], updates.rows[0, 0], updates.rows[0, 1] = 7, 0.25, -0.5
        updates.head[0, 0] = 0.125
        protect(step, updates, 0, people, n, run, 0)
        for j in range(ITEMS):
            sent[n, 2 * j], sent[n, 2 * j + 1] = updates.rows[j, 0], updates.rows[j, 1]
        sent[n, 2 * ITEMS] = updates.head[0, 0]


def sent_by(step, run=1):
    none = np.zeros(PEOPLE + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
    people, found = new_people(1, *none, each_alone(PEOPLE)), np.empty((PEOPLE, 2 * ITEMS + 1))
    _send(step, gathered([ITEMS, 0], 2, 1, ITEMS), people, run, found)
    return found


@pytest.mark.parametrize("kind", [SkellamShare, DiscreteGaussianShare])
def test_the_noise_of_the_survivors_together_is_what_was_asked_for(kind):
    step = calibrated(kind(length=1.0, noise=2.0, epsilon=50.0, survivors=PEOPLE, places=10))
    sums = np.stack([sent_by(step, run).sum(axis=0) for run in range(40)])
    quiet = np.delete(sums, [14, 15, 100], axis=1)
    assert quiet.std() == pytest.approx(2.0, rel=0.06)
    np.testing.assert_allclose(sums[:, [14, 15, 100]].mean(axis=0), np.array([10, -20, 5]), atol=1.6)


@pytest.mark.parametrize("kind", [SkellamShare, DiscreteGaussianShare])
def test_fixed_point_numbers_of_a_secure_sum_hold_shares_exactly(kind):
    step = calibrated(kind(length=1.0, noise=2.0, epsilon=50.0, survivors=PEOPLE, places=10))
    sent, form = sent_by(step), fixed_point(32, 12, PEOPLE)
    np.testing.assert_array_equal(form.decode(form.encode(sent)), sent)
    total = sum(form.integers(form.encode(one)) for one in sent)
    np.testing.assert_array_equal(total / 2.0**12, sent.sum(axis=0))


def test_a_device_draws_its_share_from_the_system():
    step = calibrated(SkellamShare(noise=2.0, epsilon=50.0, survivors=16, places=10))
    a, b = (on_device(step, 4000) for _ in range(2))
    assert (a.numbers != b.numbers).mean() > 0.9
    assert np.std(a.numbers * a.unit) == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize("kind", [SkellamShare, DiscreteGaussianShare])
def test_the_number_of_disclosures_gives_the_noise(kind):
    step = calibrated(kind(disclosures=10, epsilon=4.0, survivors=30))
    assert guarantee(step).spent(10) <= 4.0
    assert guarantee(step).spent(11) > 4.0


@pytest.mark.parametrize("kind", [SkellamShare, DiscreteGaussianShare])
def test_shares_without_survivors_or_places_are_refused(kind):
    with pytest.raises(RecipeError, match="is not told of how many people"):
        calibrated(kind(noise=2.0))
    with pytest.raises(RecipeError, match="binary places"):
        calibrated(kind(noise=2.0, survivors=100, places=0, epsilon=100.0))
