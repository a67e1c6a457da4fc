"""Canaries through real steps: clipping alone proves that nothing is hidden, noise hides them."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from sottovoce.evaluate.audit import canaries, protected
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.kernels import stream, uniform
from sottovoce.models.mf import MF
from sottovoce.state import width
from tests.evaluate.audit.test_canaries import DELTA, epsilon_of_gaussian
from tests.networks import simulate
from tests.simulate.test_observe import crowd

pytestmark = pytest.mark.usefixtures("uncompiled")


class Noise(NamedTuple):
    """Gaussian noise on every number, by Box and Muller."""

    deviation: float


@protect.rule(Noise)
def _noise(step, updates, place, people, person, run, round):
    key = stream(run, 12345, people.key[person], round)
    for n in range(updates.offset[place], updates.offset[place + 1]):
        for d in range(width(updates)):
            at = 2 * (n * width(updates) + d)
            one, other = uniform(key, at), uniform(key, at + 1)
            normal = math.sqrt(-2 * math.log(1 - one)) * math.cos(2 * math.pi * other)
            updates.rows[n, d] += np.float32(step.deviation * normal)


def bound(*steps, rounds=1, trials=600):
    people = simulate(MF(factors=3), crowd(20, 24)).people
    sign = np.where(np.arange(trials) % 2 == 0, 1, -1)
    scores = protected.scores(sequence(steps), people, 4, 0, sign, rounds, seed=7)
    return canaries.from_trials(scores[sign > 0], scores[sign < 0], DELTA).epsilon


def test_noise_keeps_its_promise_and_the_lack_of_it_does_not():
    deviation = 1.0  # the canary and its opposite are 2 apart after clipping to 1
    assert 0.3 < bound(Clip(1.0), Noise(deviation)) <= epsilon_of_gaussian(deviation / 2)
    assert bound(Clip(1.0)) > 3
    assert bound(Noise(deviation)) > 3, "noise without a bound hides nothing"


def test_several_disclosures_tell_more():
    once, often = (bound(Clip(1.0), Noise(4.0), rounds=rounds) for rounds in (1, 25))
    assert once < often <= epsilon_of_gaussian(4.0 / 2 / math.sqrt(25))
