"""Differential privacy, added by each person: a bound on the whole update, and noise on every number of it.

    Δ ← Δ · min(1, c / |Δ|),   then   Δ ← Δ + N(0, (z·c)²) on every item's row and the head

with |Δ| the length of the whole update, rows and head together, c the `length` and z the `noise` (Abadi et
al. 2016, for all of a person's data at once: McMahan et al. 2018). Rows that the training did not touch get
noise too; noise on touched rows alone would tell which those are. Nothing else of an update depends on the
data either: rows stand in the order of the catalogue, all grow older alike, and the number of instances is
always 1, so that no rule weighs people by how much data they have.

The guarantee is local: it holds against everybody, the server and peers included. Neighbours are any two data
sets of a person (`replace`), between which a clipped update can move by 2c, twice the bound. This step clips
by itself, and must be the last one. A step before it can change anything, `clip` is superfluous.

Numbers are whole multiples of a power of two, about 1/700 of the noise: the clipped update is rounded towards
zero, which makes no update longer, and the noise is whole. On a device it is a discrete Gaussian, drawn
exactly from the operating system's random bits (`exchange.noise`), and floating point cannot leak anything.
In a simulation it is a rounded normal number of the counter hash, so that runs repeat.

When a person's `disclosures` are used up, the budget ε is spent. Under gossip the person's training then
stays private, and among the participants of a server the person is missing. An update that is not finite
becomes zero before noise is added.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.disclosure import NOTHING, Disclosure, discloses
from sottovoce.exchange.noise.discrete_gaussian import DiscreteGaussian
from sottovoce.exchange.noise.system import drawn_from_system
from sottovoce.exchange.steps.bound import clipping_factor
from sottovoce.exchange.steps.interface import disclosed_age, on_device, protect
from sottovoce.kernels import NOISE, helper, normal, operation, stream
from sottovoce.privacy.guarantee import REPLACE, Guarantee, calibrate, calibrated, guarantee
from sottovoce.registry import component
from sottovoce.state import Longs, width

SENSITIVITY = 2.0
"""How far replacing a person's data moves a clipped update, in units of its bound."""
FINE = 512
"""The noise is at least this many steps of the grid, and less than twice as many, rounded up."""


@component("step", "gaussian")
class Gaussian(NamedTuple):
    """Local differential privacy: clips the whole update, and adds noise to every row and the head."""

    length: Annotated[float, Gt(0)] = 1.0
    """c, the longest that an update may be before noise is added."""
    noise: Annotated[float, Ge(0)] = 0.0
    """z, the standard deviation of the noise divided by `length`; 0: as much as `disclosures` need."""
    epsilon: Annotated[float, Gt(0)] = 8.0
    """ε, the budget of each person over all disclosures."""
    delta: Annotated[float, Gt(0), Lt(1)] = 1e-5
    """δ, which must be below 1 / the number of people."""
    disclosures: Annotated[int, Ge(0)] = 0
    """How often a person may send an update, or train under gossip; 0: as often as the budget allows."""


class FromSystem(NamedTuple):
    """The same on a device: noise that the operating system's generator gave."""

    length: float
    noise: float
    disclosures: int
    numbers: Longs  # [items · w + h], whole numbers, for one use


@operation
def noise_at(step, scale, key, n):
    """Noise number `n` of an update, a whole number; its standard deviation is `scale`."""


@noise_at.rule(Gaussian)
def _hashed(step, scale, key, n):
    return np.rint(scale * normal(key, n))


@noise_at.rule(FromSystem)
def _given(step, scale, key, n):
    return np.float64(step.numbers[n])


@helper
def grid(deviation):
    """The step of the grid for noise with this standard deviation: a power of two."""
    return 2.0 ** math.floor(math.log2(deviation / FINE))


@helper
def _on_grid(value, factor, step):
    """A number of a clipped update in steps of the grid, rounded towards zero; 0 if nothing is left of it."""
    return math.trunc(np.float64(value) * factor / step) if factor > 0 else 0


@helper
def _withhold(updates, place):
    updates.offset[place + 1], updates.size[place] = updates.offset[place], 0
    for d in range(updates.head.shape[1]):
        updates.head[place, d] = 0


@protect.rule(FromSystem)
@protect.rule(Gaussian)
def _gaussian(step, updates, place, people, person, run, round):
    if people.disclosed[person] >= step.disclosures:
        _withhold(updates, place)
        return
    deviation, w, items = step.noise * step.length, width(updates), updates.where.shape[1]
    unit = grid(deviation)
    scale = math.ceil(deviation / unit)
    factor = clipping_factor(updates, place, step.length)
    key = stream(run, NOISE, people.key[person], people.disclosed[person])
    begin, ids, rows = updates.offset[place], updates.ids, updates.rows
    exact = np.zeros((items, w), np.float64)
    for n in range(begin, updates.offset[place + 1]):
        for d in range(w):
            exact[ids[n], d] = _on_grid(rows[n, d], factor, unit)
    for j in range(items):
        ids[begin + j] = j
        for d in range(w):
            rows[begin + j, d] = (exact[j, d] + noise_at(step, scale, key, j * w + d)) * unit
    for d in range(updates.head.shape[1]):
        whole = _on_grid(updates.head[place, d], factor, unit)
        updates.head[place, d] = (whole + noise_at(step, scale, key, items * w + d)) * unit
    updates.offset[place + 1], updates.size[place] = begin + items, 1
    people.disclosed[person] += 1


@disclosed_age.rule(FromSystem)
@disclosed_age.rule(Gaussian)
def _alike(step, trained):
    return np.int32(1)


@on_device.rule(Gaussian)
def _on_device(step: Gaussian, count: int) -> FromSystem:
    deviation = step.noise * step.length
    scale = math.ceil(deviation / grid(deviation))
    numbers = drawn_from_system(DiscreteGaussian(scale), count)
    return FromSystem(step.length, step.noise, step.disclosures, numbers)


@calibrated.rule(Gaussian)
def _calibrated(component: Gaussian) -> Any:
    return calibrate("gaussian", component, SENSITIVITY)


@guarantee.rule(Gaussian)
def _guarantee(component: Gaussian) -> Guarantee:
    step = calibrated(component)
    given = step.epsilon, step.delta, step.disclosures
    return Guarantee("local", REPLACE, step.noise / SENSITIVITY, *given)


@discloses.rule(Gaussian)
def _discloses(component: Gaussian) -> tuple[Disclosure, ...]:
    told = (
        f"Every update is clipped to a length of {component.length:g}, and every row and the head get noise. "
        "Which rows changed, and the number of instances, stay on the device. Whatever data a person has, "
        f"all of the person's updates together change nobody's belief about it by more than a factor of "
        f"e^{component.epsilon:g}, but with a probability of {component.delta:g} (ε and δ)."
    )
    return (Disclosure(NOTHING, "nobody", told),)
