"""Bound how far one person can move the model (Abadi et al. 2016).

    Δ ← Δ · min(1, c / |Δ|)

with |Δ| the length of the whole update, its rows and its head together, and c the `length`. No single person
then counts for more than c, whatever the data: what noise for differential privacy is measured against.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Gt

from sottovoce.disclosure import NOTHING, Disclosure, discloses
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.update import squared_length
from sottovoce.registry import component
from sottovoce.state import width


@component("step", "clip")
class Clip(NamedTuple):
    """Shortens updates that are longer than a bound."""

    length: Annotated[float, Gt(0)] = 1.0
    """c, the longest that an update may be."""


@protect.rule(Clip)
def _clip(step, updates, place, people, person, run, round):
    length = math.sqrt(squared_length(updates, place))
    if length > step.length:
        part = np.float32(step.length / length)
        for n in range(updates.offset[place], updates.offset[place + 1]):
            for d in range(width(updates)):
                updates.rows[n, d] *= part
        for d in range(updates.head.shape[1]):
            updates.head[place, d] *= part


@discloses.rule(Clip)
def _discloses(component: Clip) -> tuple[Disclosure, ...]:
    told = f"No update is longer than {component.length:g}, so that nobody can move the model further."
    return (Disclosure(NOTHING, "nobody", told),)
