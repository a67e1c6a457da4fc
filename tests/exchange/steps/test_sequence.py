"""Several steps are one flat tuple, which compiled and parallel code takes."""

import sys
from typing import NamedTuple

import numpy as np
import pytest

from sottovoce import kernel_cache
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.interface import Nothing, protect
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.kernels import set_threads
from sottovoce.models.mf import MF
from sottovoce.protocols.federated import Federated
from sottovoce.state import gathered
from tests.networks import ratings, simulate


class Add(NamedTuple):
    """Adds to every number."""

    amount: float


class Negate(NamedTuple):
    """Has no settings."""


@protect.rule(Add)
def _add(step, updates, place, people, person, run, round):
    for n in range(updates.offset[place], updates.offset[place + 1]):
        updates.rows[n, 0] += step.amount


@protect.rule(Negate)
def _negate(step, updates, place, people, person, run, round):
    for n in range(updates.offset[place], updates.offset[place + 1]):
        updates.rows[n, 0] *= -1


def test_steps_follow_each_other():
    made = gathered([2, 0], 2, 0, 9)
    made.rows[:], made.ids[:] = [[1.0, 1.0], [2.0, 2.0]], [0, 1]
    protect(sequence([Add(1.0), Negate(), Add(0.5)]), made, 0, None, 0, 1, 0)
    assert made.rows.tolist() == [[-1.5, 1.0], [-2.5, 2.0]]


def test_one_step_stays_itself_and_whole_messages_need_none():
    assert sequence([Add(1.0)]) == Add(1.0)
    assert sequence([]) == sequence([Whole()]) == Nothing()
    assert sequence([Add(1.0), Whole()]) == Add(1.0)


def test_the_same_steps_have_the_same_type_which_is_found_by_name():
    """Numba's cache on disk refers to types so."""
    one, other = sequence([Clip(2.0), Chain(0.5)]), sequence([Clip(3.0), Chain(0.25, 8)])
    assert type(one) is type(other)
    assert not any(isinstance(value, tuple) for value in one)
    kind = type(one)
    assert getattr(sys.modules[kind.__module__], kind.__qualname__) is kind
    assert kind.__name__.isidentifier()


def test_a_step_from_outside_is_noticed_among_others():
    assert kernel_cache.involves_outside(sequence([Clip(2.0), Add(1.0)]))
    assert not kernel_cache.involves_outside(sequence([Clip(2.0), Chain(0.5)]))


@pytest.mark.parametrize("steps", [[Clip(1e-3)], [Add(0.5), Negate()]])
def test_steps_before_compression_give_the_same_on_one_thread_and_on_several(steps):
    rng = np.random.default_rng(1)
    data = ratings((rng.integers(1, 6, (12, 8)) * (rng.random((12, 8)) < 0.5)).tolist())
    found = []
    for threads in (1, 2):
        with set_threads(threads):
            s = simulate(
                MF(factors=3), data, protocol=Federated(), merge=Simple(), steps=steps, chain=Chain(bits=8)
            )
            s.prepare()
            before = s.tables.rows.copy()
            s.advance(1)
            found.append(s.tables.rows - before)
    np.testing.assert_array_equal(*found)
    if steps == [Clip(1e-3)]:
        assert 0 < np.linalg.norm(found[0]) <= 1e-3 * 1.01
