"""Differential privacy, added by each person: a bound on the whole update, and noise on every number of it.

    Δ ← Δ · min(1, c / |Δ|),   then   Δ ← Δ + N(0, (z·c)²) on every item's row and the head

with |Δ| the length of the whole update, rows and head together, c the `length` and z the `noise` (Abadi et
al. 2016, for all of a person's data at once: McMahan et al. 2018). Rows that the training did not touch get
noise too; noise on touched rows alone would tell which those are. Nothing else of an update depends on the
data either: rows stand in the order of the catalogue, all grow older alike, and the number of instances is
always 1, so that no rule weighs people by how much data they have.

The guarantee is local: it holds against everybody, the server and peers included. Neighbours are any two data
sets of a person (`replace`), between which a clipped update can move by 2c, twice the bound. This step clips
by itself, and must be the last one. A step before it can change anything; `clip` there is superfluous.

Numbers are whole multiples of a power of two, between 1/512 and 1/1024 of the noise. On a device the noise is
a discrete Gaussian, drawn exactly from the operating system's random bits (`exchange.noise`), so that
rounding errors of floating-point noise cannot leak anything (Mironov 2012). In a simulation it is a rounded
normal number of the counter hash, so that runs repeat.

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
from sottovoce.exchange.steps._noisy import FromSystem, noise_at, noise_source, noisy, unit_of
from sottovoce.exchange.steps.interface import on_device
from sottovoce.kernels import helper, normal
from sottovoce.privacy.guarantee import REPLACE, Guarantee, calibrate, calibrated, guarantee
from sottovoce.registry import component

SENSITIVITY = 2.0
"""How far replacing a person's data moves a clipped update, in units of its bound."""
FINE = 512
"""The noise is at least this many steps of the grid, and less than twice as many, rounded up."""


@component("step", "gaussian")
@noisy
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


@helper
def _grid(deviation):
    """The step of the grid for noise with this standard deviation."""
    return 2.0 ** math.floor(math.log2(deviation / FINE))


@unit_of.rule(Gaussian)
def _unit(step):
    return _grid(step.noise * step.length)


@noise_source.rule(Gaussian)
def _source(step, key):
    return key


@helper
def scale_of(step):
    """The standard deviation of the noise in steps of the grid, a whole number."""
    return math.ceil(step.noise * step.length / _grid(step.noise * step.length))


@noise_at.rule(Gaussian)
def _noise_at(step, source, n):
    return np.int64(np.rint(scale_of(step) * normal(source, n)))


@on_device.rule(Gaussian)
def _on_device(step: Gaussian, count: int) -> FromSystem:
    numbers = drawn_from_system(DiscreteGaussian(scale_of(step)), count)
    return FromSystem(step.length, _unit(step), step.disclosures, numbers)


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
