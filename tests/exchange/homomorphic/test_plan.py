"""What participants encrypt, and how sums become a model, without any encryption."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.ckks import CKKS
from sottovoce.exchange.homomorphic.plan import Change, Model, Plan
from tests.exchange.homomorphic.groups import PACKED, change, mf_fedavg, start

PLAN = Plan(6, 2, 3, 5)


@given(st.integers(0, 2**32), st.integers(2, 5))
def test_the_average_is_mf_fedavg(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    model, changes = start(rng, PLAN), [change(rng, PLAN) for _ in range(size)]
    sums = [sum(column) for column in zip(*map(PLAN.vectors, changes), strict=True)]
    found, expected = PLAN.average(model, tuple(sums), PACKED), mf_fedavg(model, changes)
    np.testing.assert_allclose(found.rows, expected.rows, atol=2.0**-25 + 1e-12)
    np.testing.assert_allclose(found.head, expected.head, atol=2.0**-25 + 1e-12)


def test_one_change_by_hand() -> None:
    one = Change(np.array([1, 4]), np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.5, 0.0, -1.0]), 10)
    rows, counts, head, totals = PLAN.vectors(one)
    assert rows.tolist() == [0, 0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0]
    assert counts.tolist() == [0, 1, 0, 0, 1, 0]
    assert head.tolist() == [5, 0, -10]
    assert totals.tolist() == [10, 1]


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (Change(np.array([1, 1]), np.zeros((2, 2)), np.zeros(3), 1), "do not ascend"),
        (Change(np.array([6]), np.zeros((1, 2)), np.zeros(3), 1), "not in the catalogue"),
        (Change(np.array([-1]), np.zeros((1, 2)), np.zeros(3), 1), "not in the catalogue"),
        (Change(np.array([1]), np.zeros((1, 3)), np.zeros(3), 1), "does not fit"),
        (Change(np.array([1]), np.zeros((1, 2)), np.zeros(2), 1), "does not fit"),
        (Change(np.array([1]), np.zeros((1, 2)), np.zeros(3), -1), "out of range"),
        (Change(np.array([1]), np.zeros((1, 2)), np.zeros(3), 2**14 + 1), "16384 is the most"),
    ],
)
def test_changes_that_do_not_fit_are_refused(bad: Change, problem: str) -> None:
    with pytest.raises(MessageError, match=problem):
        PLAN.vectors(bad)


@pytest.mark.parametrize(
    ("part", "at", "value", "problem"),
    [
        (3, 1, 6, "claims 6 contributors, and 2 to 5"),
        (3, 1, 1, "claims 1 contributors"),
        (3, 0, -1, "more of them"),
        (3, 0, 2**20, "more of them"),
        (1, 0, 3, "more of them"),
        (1, 0, -1, "more of them"),
        (0, 10, 0.5, "nobody says to have changed"),
        (3, 0, 0, "nobody says to have changed"),
    ],
)
def test_sums_that_cannot_be_are_refused(part: int, at: int, value: float, problem: str) -> None:
    one = Change(np.array([1, 4]), np.ones((2, 2)), np.ones(3), 10)
    sums = tuple(2 * vector for vector in PLAN.vectors(one))
    base = Model(np.zeros((6, 2)), np.zeros(3))
    PLAN.average(base, sums, PACKED)
    sums[part][at] = value
    with pytest.raises(MessageError, match=problem):
        PLAN.average(base, sums, PACKED)


def test_plans_that_cannot_be_are_refused() -> None:
    PLAN.check(PACKED)
    for bad in (PLAN._replace(fewest=6), PLAN._replace(fewest=0), PLAN._replace(items=-1)):
        with pytest.raises(MessageError, match="not possible"):
            bad.check(PACKED)
    with pytest.raises(MessageError, match="62 is the most"):
        PLAN._replace(fraction=50, change=1e6).check(PACKED)
    with pytest.raises(MessageError, match="cannot count 1000 participants"):
        PLAN._replace(clients=1000, instances=2**28).check(CKKS())
    with pytest.raises(MessageError, match="at most 32767"):
        PLAN._replace(clients=2**15).check(PACKED)


def test_default_limits_give_exact_sums_with_ckks() -> None:
    for clients in (20, 100):
        assert not any(CKKS().error(part.fixed) for part in PLAN._replace(clients=clients).sums)


def test_what_nobody_changed_keeps_its_value_where_sums_are_approximate() -> None:
    """With 34 bits after the point CKKS may be off by some steps, also where everybody sent zeros."""
    fine, scheme = PLAN._replace(fraction=34), CKKS()
    off = scheme.error(fine.sums[0].fixed) * 2.0**-34
    assert off > 0
    base = Model(np.full((6, 2), 0.5), np.full(3, 0.5))
    idle = Change(np.array([2]), np.zeros((1, 2)), np.zeros(3), 0)
    rows, counts, head, totals = (2 * vector for vector in fine.vectors(idle))
    rows[0], rows[11] = off, -off
    found = fine.average(base, (rows, counts, head, totals), scheme)
    np.testing.assert_array_equal(found.rows, base.rows)
    np.testing.assert_array_equal(found.head, base.head)
    rows[0] += 2.0**-34
    with pytest.raises(MessageError, match="nobody says to have changed"):
        fine.average(base, (rows, counts, head, totals), scheme)
