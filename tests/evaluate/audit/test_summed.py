"""Canaries in real sums: shares of noise and a server's noise hide them, and the lack of noise does not."""

from typing import Any

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.sums.central import Central
from sottovoce.combine.sums.interface import Task
from sottovoce.combine.sums.secure import Secure
from sottovoce.evaluate.audit import canaries, summed
from sottovoce.exchange.compression.interface import Whole
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.discrete_gaussian import DiscreteGaussianShare
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.exchange.steps.skellam import SkellamShare
from sottovoce.models.mf import MF
from sottovoce.privacy.guarantee import calibrated, guarantee
from tests.evaluate.audit.test_canaries import DELTA, epsilon_of_gaussian
from tests.networks import simulate
from tests.simulate.test_observe import crowd

pytestmark = pytest.mark.usefixtures("uncompiled")
PEOPLE = 20


def scores(steps: Any, sum: Any, heard: int, canaries: int, sums: int = 1) -> tuple[Any, Any]:
    people = simulate(MF(factors=3), crowd(PEOPLE, 24)).people
    task = Task(Simple(), Whole(), 24, 4, 0, PEOPLE, PEOPLE, 0, False)
    present = summed.coins(canaries, 5)
    group = summed.Group(PEOPLE, heard, sums)
    return summed.scores(sequence(steps), sum, task, people, group, present, 7), present


def bound(steps: Any, sum: Any, heard: int = PEOPLE, canaries_: int = 400, sums: int = 1) -> float:
    return canaries.one_run(*scores(steps, sum, heard, canaries_, sums), DELTA).epsilon


def test_half_of_the_canaries_are_there_and_give_their_length_to_the_sum() -> None:
    """Without noise a canary that is clipped to length 2, with 4 numbers, has the product 4 · 1."""
    found, present = scores((Clip(2.0),), Central(length=2.0, noise=0.0, disclosures=1), PEOPLE, 40)
    assert 10 < present.sum() < 30
    np.testing.assert_allclose(found, np.where(present, 4.0, 0.0), rtol=1e-4)
    found, present = scores((Clip(2.0),), Secure(threshold=0.5, fewest=1), PEOPLE, 40)
    assert (found == 0).all(), "a row of one contributor is not summed"


def test_central_noise_keeps_its_promise_and_the_lack_of_it_does_not() -> None:
    noise = Central(noise=1.0, epsilon=50.0)
    assert 0.2 < bound((), noise) <= epsilon_of_gaussian(1.0)
    assert bound((), Central(noise=1e-9)) > 3.7, "as much as 400 canaries can prove"


@pytest.mark.parametrize("step", [SkellamShare, DiscreteGaussianShare])
def test_shares_of_noise_hide_in_the_sum(step: Any) -> None:
    sum, survivors = Secure(threshold=0.5, smallest=11), 11
    share = calibrated(step(noise=1.0, epsilon=50.0, survivors=survivors, places=8))
    assert guarantee(share) is not None
    assert 0.2 < bound((share,), sum, survivors, 220) <= epsilon_of_gaussian(1.0)


def test_too_small_shares_are_convicted() -> None:
    """Shares for 1,000 survivors, of whom 11 are there: a ninth of the noise or less."""
    share = calibrated(SkellamShare(noise=2.0, epsilon=50.0, survivors=1000, places=12))
    assert bound((share,), Secure(threshold=0.5, smallest=11), 11, 220) > epsilon_of_gaussian(2.0)


def test_several_sums_tell_more() -> None:
    once, often = (bound((), Central(noise=4.0, epsilon=50.0), sums=sums) for sums in (1, 30))
    assert once < often <= epsilon_of_gaussian(4.0 / np.sqrt(30))
