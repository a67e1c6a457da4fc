"""Steps change an update before it is summed, in the order in which a recipe names them."""

from typing import NamedTuple

import numpy as np
import pytest

from sottovoce.combine.aggregate.interface import head_weight, row_weight
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.exchange.compression.interface import Chain
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.interface import protect
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.protocols import aggregate
from sottovoce.protocols.federated import Federated
from sottovoce.registry import component
from sottovoce.state import gathered
from tests.networks import ratings, simulate


class Add(NamedTuple):
    """Adds to every number."""

    amount: float


class Times(NamedTuple):
    """Multiplies every number."""

    factor: float


class Own(NamedTuple):
    """Sends the rows of one's own items only."""


@protect.rule(Add)
def _add(step, updates, place, people, person, run, round):
    for n in range(updates.offset[place], updates.offset[place + 1]):
        updates.rows[n, 0] += step.amount


@protect.rule(Times)
def _times(step, updates, place, people, person, run, round):
    for n in range(updates.offset[place], updates.offset[place + 1]):
        updates.rows[n, 0] *= step.factor


@protect.rule(Own)
def _own(step, updates, place, people, person, run, round):
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    begin = end = updates.offset[place]
    for n in range(begin, updates.offset[place + 1]):
        if (own == updates.ids[n]).any():
            updates.ids[end], updates.rows[end] = updates.ids[n], updates.rows[n]
            end += 1
    updates.offset[place + 1] = end


def update(rows, head=()):
    made = gathered([len(rows), 0], len(rows[0]), len(head), 9)
    made.rows[:], made.ids[:], made.head[0] = rows, np.arange(len(rows)), head
    return made


def test_steps_follow_each_other():
    made = update([[1.0, 1.0], [2.0, 2.0]])
    protect(sequence([Add(1.0), Times(3.0), Add(0.5)]), made, 0, None, 0, 1, 0)
    assert made.rows.tolist() == [[6.5, 1.0], [9.5, 2.0]]
    assert sequence([Add(1.0)]) == Add(1.0)


@pytest.mark.parametrize(("length", "part"), [(2.5, 0.5), (10.0, 1.0)])
def test_clip_bounds_rows_and_head_together(length, part):
    made = update([[3.0, 0.0], [0.0, 0.0]], head=[0.0, 4.0])
    protect(Clip(length=length), made, 0, None, 0, 1, 0)
    np.testing.assert_allclose(made.rows, [[3 * part, 0], [0, 0]])
    np.testing.assert_allclose(made.head[0], [0, 4 * part])


def test_an_update_that_is_not_finite_is_not_made_to_look_so():
    made = update([[np.inf, 0.0]])
    with np.errstate(invalid="ignore"):
        protect(Clip(length=1.0), made, 0, None, 0, 1, 0)
    assert not np.isfinite(made.rows).all()


DATA = ratings([[5, 0, 3, 0, 0, 1, 0, 0], [0, 4, 0, 0, 2, 0, 0, 0], [1, 1, 0, 0, 0, 5, 0, 0]])


def test_a_federation_of_clipped_updates_moves_no_further_than_their_length():
    """In compiled code; the mean of updates that are each at most so long."""
    s = simulate(MF(factors=3), DATA, protocol=Federated(), merge=Simple(), steps=[Clip(length=1e-3)])
    free = simulate(MF(factors=3), DATA, protocol=Federated(), merge=Simple())
    for one in (s, free):
        before = one.tables.rows.copy()
        one.advance(1)
        moved = np.linalg.norm(one.tables.rows - before)
        assert (moved <= 1e-3 * 1.001) == (one is s)


def test_a_step_can_tell_ones_own_items_from_sampled_ones(monkeypatch):
    plain = aggregate._aggregate.plain
    monkeypatch.setattr(aggregate, "_aggregate", lambda *a, batch: plain(*a))
    model, own = GMF(factors=2, negatives=2), set(DATA.item.tolist())
    for steps in ([], [Own()]):
        s = simulate(model, DATA, protocol=Federated(), merge=Simple(), steps=steps, chain=Chain(share=0.9))
        before = s.tables.rows.copy()
        s.advance(1)
        moved = set(np.flatnonzero((s.tables.rows != before).any(axis=1)).tolist())
        assert moved
        assert (moved <= own) == bool(steps)


@component("aggregate", "plain-sum", over="nobody")
class PlainSum(NamedTuple):
    """Changes are added up, and divided by nothing."""


@row_weight.rule(PlainSum)
def _row_weight(rule, instances):
    return 1.0


@head_weight.rule(PlainSum)
def _head_weight(rule, instances):
    return 1.0


def test_a_rule_can_ask_for_the_plain_sum(monkeypatch):
    plain = aggregate._aggregate.plain
    monkeypatch.setattr(aggregate, "_aggregate", lambda *a, batch: plain(*a))
    mean, total = (
        simulate(MF(factors=3), DATA, protocol=Federated(), merge=rule) for rule in (Simple(), PlainSum())
    )
    start = mean.tables.rows.copy()
    for one in (mean, total):
        one.advance(1)
    np.testing.assert_allclose(
        total.tables.rows - start, 3 * (mean.tables.rows - start), rtol=1e-4, atol=1e-6
    )
