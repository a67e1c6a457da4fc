"""Tables of 16 bits: the same network, a little rounded; ages that stay at their highest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.combine.linear import Linear
from sottovoce.combine.none import Replace
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.message import check, emit
from sottovoce.models.mf import MF
from sottovoce.protocols.central import Central
from sottovoce.protocols.gossip import Gossip
from sottovoce.state import OLDEST, STORAGES, opened
from tests.networks import advance_slowly, assert_same, communities, ratings, simulate
from tests.simulate.test_virtual_time import network


def short(data, **parts):
    return simulate(parts.pop("model", MF(factors=3)), data, storage="bfloat16", **parts)


def rows(simulation):
    """All rows, as float32."""
    slots = range(simulation.tables.slots)
    return np.concatenate([opened(simulation.tables, slot).rows for slot in slots])


@settings(max_examples=40)
@given(
    communities(people=(2, 7)),  # few enough for one thread, and so for one compilation less
    st.booleans(),
    st.integers(1, 2),
    st.sampled_from([Whole(), Chain(share=0.3)]),
    st.integers(0, 2**31),
)
def test_equals_one_event_after_the_other(data, sum_ages, pushes, chain, seed):
    timing = network(data.people, np.random.default_rng(seed), unequal=True, churn=True)
    parts = {"merge": Linear(sum_ages), "protocol": Gossip(pushes), "chain": chain}
    parts |= {"seed": seed, "timing": timing}
    fast, slow = short(data, **parts), short(data, **parts)
    assert fast.tables.rows.dtype == fast.tables.age.dtype == np.uint16
    for _ in range(4):
        fast.advance(1)
    advance_slowly(slow, 4)
    assert_same(fast, slow)


def crowd(people=60, items=50):
    rng = np.random.default_rng(5)
    return ratings((rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < 0.3)).tolist())


def test_a_round_is_that_of_32_bits_up_to_rounding():
    """Begun with the same numbers, each changes by at most two roundings, and in the mean by none."""
    coarse, exact = short(crowd()), simulate(MF(factors=3), crowd())
    exact.tables.rows[:] = rows(coarse)
    coarse.advance(1), exact.advance(1)
    errors, unit = rows(coarse) - exact.tables.rows, np.maximum(np.abs(exact.tables.rows), 0.5) * 2.0**-7
    assert (errors != 0).any()
    assert (np.abs(errors) <= 2.1 * unit).all()
    moved = errors != 0
    assert abs((errors / unit)[moved].mean()) < 5 * 0.6 / np.sqrt(moved.sum())
    np.testing.assert_array_equal(coarse.tables.age, exact.tables.age)
    np.testing.assert_allclose(coarse.people.user, exact.people.user, atol=0.02)


def test_threads_do_not_change_the_result():
    results = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            if kernels.threads() < threads:
                pytest.skip("this machine has one core")
            results.append(short(crowd()))
            results[-1].advance(8)
    assert_same(*results)


def test_everybody_rounds_alike_at_a_common_start_and_apart_later():
    simulation = short(crowd())
    tables = simulation.tables.rows.reshape(60, -1)
    assert (tables == tables[0]).all()
    lone = short(crowd(), protocol=Gossip(start="independent"))
    assert (lone.tables.rows.reshape(60, -1)[1:] != lone.tables.rows.reshape(60, -1)[0]).any(axis=1).all()


def test_restored_state_continues_to_the_same_result():
    timing = network(60, np.random.default_rng(1), unequal=True)
    straight, first, second = (short(crowd(), timing=timing) for _ in range(3))
    straight.advance(6)
    first.advance(3)
    assert len(first.driver.underway.sender) > 0
    second.restore({name: values.copy() for name, values in first.state().items()})
    second.advance(3)
    assert_same(straight, second)


def test_ages_stay_at_their_highest():
    simulation = short(crowd(), merge=Linear(sum_ages=True))
    simulation.tables.age[:] = 60_000
    simulation.advance(1)
    ages = simulation.tables.age.reshape(60, 50)
    heard = simulation.people.steps > 0
    assert (ages[heard] == 65_535).all()
    assert (ages[~heard] == 60_000).all()
    trained = short(crowd(4), protocol=Central())
    trained.tables.age[:] = 65_535
    trained.advance(1)
    assert (trained.tables.age == 65_535).all()


def test_ages_that_are_added_do_not_overflow():
    """Sums of ages grow without limit; beyond the highest number there is the lowest."""
    simulation = simulate(MF(factors=3), crowd(), merge=Linear(sum_ages=True), rounds=60)
    simulation.advance(60)
    for ages in (simulation.tables.age, simulation.tables.clock):
        assert ages.min() >= 0
        assert ages.max() >= OLDEST
    assert np.isfinite(simulation.tables.rows).all()
    check(emit(simulation.tables, 3))


def test_what_is_taken_over_from_messages_of_32_bits_is_rounded_at_random():
    """Cut off instead, rows that nobody trains would lose a bit with every hop."""
    unrated = ratings(np.pad(np.ones((60, 1)), ((0, 0), (0, 49))).tolist())
    simulation = short(unrated, merge=Replace(), chain=Chain(bits=16))
    before = rows(simulation).reshape(60, 50, 4)[:, 1:].mean()
    for _ in range(30):
        simulation.advance(1)
    assert rows(simulation).reshape(60, 50, 4)[:, 1:].mean() == pytest.approx(before, rel=0.003)


def test_messages_hold_32_bits_whatever_is_stored():
    """Storage is a matter of the machine: what is sent, and counted, is the same."""
    coarse, exact = short(crowd()), simulate(MF(factors=3), crowd())
    coarse.advance(2), exact.advance(2)
    assert coarse.bytes == exact.bytes
    message = emit(coarse.tables, 3)
    check(message)
    assert message.rows.dtype == np.float32
    assert message.age.dtype == np.int32
    np.testing.assert_array_equal(message.rows, rows(coarse)[150:200])


def test_movielens_is_learnt_as_well(data_dir):
    from sottovoce.data.load import load
    from sottovoce.data.splits.rating import Rating
    from sottovoce.evaluate.evaluation import evaluate

    split = Rating().split(load("ml-100k", data_dir=data_dir), seed=1)
    rmse = []
    for storage in STORAGES:
        simulation = simulate(MF(), split.train, storage=storage, rounds=40)
        simulation.advance(40)
        state = simulation.model, simulation.tables, simulation.people
        rmse.append(evaluate(*state, split).metrics["rmse"])
    assert rmse[0] < 1.1
    assert rmse[1] == pytest.approx(rmse[0], abs=0.001)
