"""Virtual time is exact: the engine equals one event after the other, whatever the network is like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.combine.linear import Linear
from sottovoce.combine.none import Replace
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.models.mf import MF
from sottovoce.peers.complete import Complete
from sottovoce.peers.k_out import KOut
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.gossip import Gossip
from sottovoce.timing import Timing
from tests.networks import advance_slowly, assert_same, communities, ratings, simulate


def network(nodes, rng, *, unequal=False, churn=False, latency=0.0, loss=0.0, round=10.0):
    """A clock: links of equal or unequal speed, nodes that come and go or stay."""
    first, since, until = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if churn:
        changes = [np.sort(rng.random(2 * rng.integers(0, 6)) * 6 * round) for _ in range(nodes)]
        first = np.cumsum([0] + [len(c) // 2 for c in changes])
        since, until = (np.concatenate([c[side::2] for c in changes]) for side in (0, 1))
    upload, download = np.exp(rng.normal(0, 0.8, (2, nodes))) if unequal else np.ones((2, nodes))
    return Timing(first, since, until, upload / round, download / round, latency, loss, round, timed=True)


@settings(max_examples=60)
@given(
    communities(people=(2, 7)),  # few enough for one thread, and so for half the compilations
    st.sampled_from([Linear(), Replace()]),
    st.sampled_from([Uniform(), Uniform(refresh=3), KOut(2), Complete()]),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 25.0]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([Whole(), Chain(share=0.3), Chain(bits=8, delta=True), Chain(share=0.7, bits=16)]),
    st.integers(0, 2**31),
)
def test_equals_one_event_after_the_other(
    data, merge, peers, pushes, unequal, churn, latency, loss, chain, seed
):
    rng = np.random.default_rng(seed)
    timing = network(data.people, rng, unequal=unequal, churn=churn, latency=latency, loss=loss)
    parts = {"merge": merge, "peers": peers, "protocol": Gossip(pushes), "chain": chain}
    parts |= {"seed": seed, "timing": timing}
    fast, slow = simulate(MF(factors=3), data, **parts), simulate(MF(factors=3), data, **parts)
    for rounds in (1, 3, 1):
        fast.advance(rounds)
    advance_slowly(slow, 5)
    assert_same(fast, slow)
    assert (fast.messages, fast.arrived) == (slow.messages, slow.arrived)


def crowd(people=60, items=50):
    rng = np.random.default_rng(5)
    return ratings((rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < 0.3)).tolist())


@pytest.mark.parametrize("chain", [Whole(), Chain(share=0.3)], ids=["whole", "subsampled"])
def test_threads_do_not_change_the_result(chain):
    results = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            if kernels.threads() < threads:
                pytest.skip("this machine has one core")
            timing = network(60, np.random.default_rng(1), unequal=True, churn=True)
            simulation = simulate(MF(factors=3), crowd(), timing=timing, chain=chain)
            simulation.advance(6)
            results.append(simulation)
    assert results[0].arrived > 0
    assert_same(*results)


def test_a_checkpoint_keeps_messages_that_are_on_their_way():
    timing = network(60, np.random.default_rng(1), unequal=True)
    straight, first = (simulate(MF(factors=3), crowd(), timing=timing) for _ in range(2))
    straight.advance(7)
    first.advance(3)
    assert len(first.driver.underway.sender) > 30
    assert (first.driver.underway.place >= 0).any()
    saved = {name: values.copy() for name, values in first.state().items()}
    second = simulate(MF(factors=3), crowd(), timing=timing)
    second.restore(saved)
    second.advance(4)
    assert_same(straight, second)
    assert (second.messages, second.arrived) == (straight.messages, straight.arrived)


def test_a_cycle_is_a_transfer_and_messages_fill_it():
    """With equal links everybody sends once a round, at its own moment, and all of it arrives."""
    simulation = simulate(MF(factors=3), crowd(), timing=network(60, np.random.default_rng(1)))
    simulation.advance(10)
    assert simulation.messages == 600
    assert simulation.arrived == 600 - len(simulation.driver.underway.sender)
    assert 0 < len(simulation.driver.underway.sender) <= 60


def test_only_messages_between_nodes_that_stay_arrive():
    always = network(2, np.random.default_rng(1))
    away = always._replace(first=np.array([0, 1, 2]), since=np.zeros(2), until=np.array([1e9, 25.0]))
    simulation = simulate(MF(factors=3), crowd(2), timing=away)
    simulation.advance(10)
    steps = simulation.people.steps
    assert 0 < steps[1] <= 2
    assert steps[0] <= 2
    assert simulation.present().tolist() == [True, False]


def test_lost_messages_are_counted_as_sent():
    timing = network(60, np.random.default_rng(1), loss=0.25)
    simulation = simulate(MF(factors=3), crowd(), timing=timing)
    simulation.advance(30)
    assert simulation.messages == 1800
    assert simulation.arrived == pytest.approx(0.75 * 1770, rel=0.05)
