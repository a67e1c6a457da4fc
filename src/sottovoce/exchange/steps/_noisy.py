"""What steps with noise for differential privacy share: a bound, whole numbers, and noise on all of them.

The update is clipped to the step's `length` and expressed in steps of a grid, rounded towards zero, which
makes no update longer. Whole noise is added to every number: of touched rows, of all other rows, and of the
head. Rows stand in the order of the catalogue, and the number of instances is 1, whatever the data is. An
update that is not finite becomes zero first.

A person whose disclosures are used up sends nothing: no rows, a head of zeros, no instances.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sottovoce.exchange.noise.interface import Hashed
from sottovoce.exchange.steps.bound import clipping_factor, shorten
from sottovoce.exchange.steps.interface import disclosed_age, protect, protect_quietly
from sottovoce.kernels import NOISE, helper, operation, stream
from sottovoce.state import Longs, width


class FromSystem(NamedTuple):
    """A step with noise on a device: the operating system's generator gave the noise, for one use."""

    length: float
    unit: float
    disclosures: int
    numbers: Longs  # [items · w + h], whole numbers


@operation
def unit_of(step):
    """The step of the grid, a power of two."""


@operation(default=lambda step, key: Hashed(key, np.zeros(1, np.int64)))
def noise_source(step, key):
    """What `noise_at` draws from, for one update."""


@operation
def noise_at(step, source, n):
    """Noise number `n` of an update, a whole number. Each is asked for once, in order."""


@unit_of.rule(FromSystem)
def _unit(step):
    return step.unit


@noise_source.rule(FromSystem)
def _no_source(step, key):
    return key


@noise_at.rule(FromSystem)
def _given(step, source, n):
    return step.numbers[n]


@helper
def _whole(value, factor, unit):
    """A number of a clipped update in steps of the grid; 0 where clipping leaves nothing."""
    return math.trunc(np.float64(value) * factor / unit) if factor > 0 else 0


@helper
def _withhold(updates, place):
    updates.offset[place + 1], updates.size[place] = updates.offset[place], 0
    for d in range(updates.head.shape[1]):
        updates.head[place, d] = 0


@helper
def _touched(updates, place, factor, unit):
    """The touched rows of a clipped update in the order of the catalogue, whole numbers [items, w]."""
    found = np.zeros((updates.where.shape[1], width(updates)), np.int64)
    for n in range(updates.offset[place], updates.offset[place + 1]):
        for d in range(width(updates)):
            found[updates.ids[n], d] = _whole(updates.rows[n, d], factor, unit)
    return found


def _protect(step, updates, place, people, person, run, round):
    if people.disclosed[person] >= step.disclosures:
        _withhold(updates, place)
        return
    unit, w, items = unit_of(step), width(updates), updates.where.shape[1]
    factor = clipping_factor(updates, place, step.length)
    source = noise_source(step, stream(run, NOISE, people.key[person], people.disclosed[person]))
    begin, ids, rows = updates.offset[place], updates.ids, updates.rows
    whole = _touched(updates, place, factor, unit)
    for j in range(items):
        ids[begin + j] = j
        for d in range(w):
            rows[begin + j, d] = (whole[j, d] + noise_at(step, source, j * w + d)) * unit
    for d in range(updates.head.shape[1]):
        number = _whole(updates.head[place, d], factor, unit)
        updates.head[place, d] = (number + noise_at(step, source, items * w + d)) * unit
    updates.offset[place + 1], updates.size[place] = begin + items, 1
    people.disclosed[person] += 1


def _quietly(step, updates, place, people, person, run, round):
    if people.disclosed[person] >= step.disclosures:
        _withhold(updates, place)
    else:
        shorten(updates, place, step.length)


def _alike(step, trained):
    return np.int32(1)


def noisy(step: Any) -> Any:
    """Make a step one that adds noise. It implements `unit_of` and `noise_at` besides."""
    step.noisy = True
    protect.rule(step)(_protect)
    protect_quietly.rule(step)(_quietly)
    disclosed_age.rule(step)(_alike)
    return step


noisy(FromSystem)
