"""Central differential privacy: a trusted server adds noise to the sum of clipped updates.

    Σ ← Σ_c Δ_c · min(1, c / |Δ_c|) + N(0, (z·c)²) on every item's row and the head

with c the `length` and z the `noise` (McMahan et al. 2018). Everybody's update counts with the weight 1, and
the sum is divided by the number of participants, which is known: neither may depend on data. The server must
be trusted: it sees every update. The guarantee holds against everybody who sees its models.

Neighbours differ in all data of one person, against an update of zeros (`add or remove`): they move the sum
by at most c. Noise is the same however many take part, so that large groups are hurt least. The server's
choice of participants is not taken for secret, so nothing is gained from it.
"""

from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Lt

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.sums.interface import (
    accumulate,
    changed_item,
    clear,
    collect,
    head_total,
    new_sums,
    open_sums,
    row_total,
    weights_and_rows,
)
from sottovoce.combine.sums.plain import Plain
from sottovoce.disclosure import Disclosure, discloses
from sottovoce.exchange.steps.bound import shorten
from sottovoce.kernels import NOISE, normal, stream
from sottovoce.privacy.guarantee import ADD_OR_REMOVE, Guarantee, calibrate, calibrated, guarantee
from sottovoce.registry import component
from sottovoce.state import Floats


@component("sum", "central")
class Central(NamedTuple):
    """Central differential privacy: a trusted server adds noise to the sum of clipped updates."""

    length: Annotated[float, Gt(0)] = 1.0
    """c, the longest that an update may be; longer ones are shortened."""
    noise: Annotated[float, Ge(0)] = 0.0
    """z, the standard deviation of the noise divided by `length`; 0: as much as `disclosures` need."""
    epsilon: Annotated[float, Gt(0)] = 8.0
    """ε, the budget of each person over all aggregations."""
    delta: Annotated[float, Gt(0), Lt(1)] = 1e-5
    """δ, which must be below 1 / the number of people."""
    disclosures: Annotated[int, Ge(0)] = 0
    """In how many aggregations a person may take part; 0: in as many as the budget allows."""


class NoisySums(NamedTuple):
    """The arrays of `plain.Sums`, and what noise needs."""

    rows: Any  # [(blocks + 1) · items, w + 1]; the last block takes the sums of all others
    ids: Any
    where: Any
    head: Any
    total: Any
    length: Any
    first: Any
    next: Any
    changed: Any
    key: Any  # [1], of this aggregation's noise


@new_sums.rule(Central)
def _new_sums(sum: Central, blocks: int, items: int, row: int, head: int, lengths: Floats) -> NoisySums:
    plain = new_sums(Plain(), blocks, items, row, head, lengths)
    rows = np.empty(((blocks + 1) * items, row + 1), np.float32)
    return NoisySums(**plain._replace(rows=rows)._asdict(), key=np.zeros(1, np.uint64))


@open_sums.rule(Central)
def _open_sums(sum, sums, participants, heard, run, slot, round):
    sums.key[0] = stream(run, NOISE, -1 - slot, round)


@clear.rule(Central)
def _clear(sum, sums, block):
    clear(Plain(), sums, block)


@accumulate.rule(Central)
def _accumulate(sum, rule, updates, place, person, heard, sums, block):
    shorten(updates, place, sum.length)
    accumulate(Plain(), Simple(), updates, place, person, heard, sums, block)


@collect.rule(Central)
def _collect(sum, sums):
    """Every row gets noise, so every row changes."""
    collect(Plain(), sums)
    return len(sums.first)


@changed_item.rule(Central)
def _changed_item(sum, sums, n):
    return n


@row_total.rule(Central)
def _row_total(sum, sums, item):
    rows, following, n = sums.rows, sums.next, sums.first[item]
    at, w = len(sums.total) * len(sums.first) + item, sums.rows.shape[1] - 1
    for d in range(w):
        rows[at, d] = sum.noise * sum.length * normal(sums.key[0], item * w + d)
    rows[at, w] = 0
    while n >= 0:
        for d in range(w):
            rows[at, d] += rows[n, d]
        n = following[n]
    sums.first[item] = -1
    return at


@head_total.rule(Central)
def _head_total(sum, sums, d):
    place = len(sums.first) * (sums.rows.shape[1] - 1) + d
    noise = np.float32(sum.noise * sum.length * normal(sums.key[0], place))
    return head_total(Plain(), sums, d) + noise


@weights_and_rows.rule(Central)
def _weights_and_rows(sum, sums):
    return weights_and_rows(Plain(), sums)


@calibrated.rule(Central)
def _calibrated(component: Central) -> Any:
    return calibrate("central", component, 1.0)


@guarantee.rule(Central)
def _guarantee(component: Central) -> Guarantee:
    own = calibrated(component)
    return Guarantee("central", ADD_OR_REMOVE, own.noise, own.epsilon, own.delta, own.disclosures)


@discloses.rule(Central)
def _discloses(component: Central) -> tuple[Disclosure, ...]:
    told = (
        f"The server shortens every update to {component.length:g} and adds noise to the sum. All of its "
        "models together change nobody's belief about a person by more than a factor of "
        f"e^{component.epsilon:g}, but with a probability of {component.delta:g} (ε and δ). The server "
        "itself sees every update."
    )
    to_everybody = Disclosure("the server's model, with noise on every row and the head", "everybody", told)
    seen: tuple[Disclosure, ...] = discloses(Plain())
    return (*seen, to_everybody)
