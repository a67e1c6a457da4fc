"""The engine equals the slow network, for any number of threads, and continues from a checkpoint."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.combine.linear import Linear
from sottovoce.combine.none import Replace
from sottovoce.exchange.codec import encode
from sottovoce.exchange.message import emit
from sottovoce.models.ials import IALS
from sottovoce.models.mf import MF
from sottovoce.models.popularity import Popularity
from sottovoce.peers.complete import Complete
from sottovoce.peers.k_out import KOut
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from tests.networks import advance_slowly, assert_same, communities, ratings, simulate

models = st.sampled_from([MF(factors=3), MF(factors=3, epochs=2), IALS(factors=3, spread=1.0), Popularity()])
rules = st.sampled_from([Linear(), Linear(sum_ages=True), Replace()])
views = st.sampled_from([Uniform(), Uniform(refresh=3), KOut(2), Complete()])
protocols = st.builds(Gossip, st.integers(1, 3), st.sampled_from(["common", "independent"]))


few = communities(people=(2, 7))  # few enough for one thread, and so for half the compilations


@settings(max_examples=60)
@given(few, models, rules, views, protocols, st.integers(0, 2**31))
def test_equals_the_slow_network(data, model, merge, peers, protocol, seed):
    parts = {"merge": merge, "peers": peers, "protocol": protocol, "seed": seed}
    fast, slow = simulate(model, data, **parts), simulate(model, data, **parts)
    fast.advance(4)
    advance_slowly(slow, 4)
    if isinstance(model, IALS):
        np.testing.assert_allclose(fast.tables.rows, slow.tables.rows, rtol=1e-3, atol=1e-5)
    else:
        assert_same(fast, slow)
    assert (fast.messages, fast.arrived) == (slow.messages, slow.arrived)


def crowd(people=60, items=50):
    rng = np.random.default_rng(5)
    return ratings((rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < 0.3)).tolist())


@pytest.mark.parametrize(
    ("model", "merge"),
    [(MF(factors=3), Linear()), (MF(factors=3), Replace()), (IALS(factors=3), Linear())],
    ids=["mf-linear", "mf-none", "ials-linear"],
)
@pytest.mark.parametrize("pushes", [1, 3])
def test_threads_do_not_change_the_result(model, merge, pushes):
    results = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            if kernels.threads() < threads:
                pytest.skip("this machine has one core")
            simulation = simulate(model, crowd(), merge=merge, protocol=Gossip(pushes))
            simulation.advance(10)
            results.append(simulation)
    assert_same(*results)


@pytest.mark.parametrize("model", [MF(factors=3), IALS(factors=3)], ids=["mf", "ials"])
def test_restored_state_continues_to_the_same_result(model):
    straight, first = (simulate(model, crowd(), peers=KOut(5)) for _ in range(2))
    straight.advance(9)
    first.advance(4)
    saved = {name: values.copy() for name, values in first.state().items()}
    second = simulate(model, crowd(), peers=KOut(5))
    second.restore(saved)
    assert (second.round, second.messages) == (4, 240)
    second.advance(5)
    assert_same(straight, second)
    assert second.messages == straight.messages


def test_what_a_protocol_keeps_may_be_called_like_what_the_engine_holds():
    first, second = (simulate(MF(factors=3), crowd()) for _ in range(2))
    first.kept, second.kept = {"rows": np.arange(3)}, {"rows": np.zeros(3, int)}
    state = first.state()
    assert state["rows"] is first.tables.rows
    second.restore({name: values.copy() for name, values in state.items()})
    assert second.kept["rows"].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(second.tables.rows, first.tables.rows)


def test_checkpoints_of_earlier_versions_are_read():
    """They named what a protocol keeps without a prefix."""
    simulation = simulate(MF(factors=3), crowd())
    simulation.kept = {"useful": np.zeros(3, np.float32)}
    earlier = {name.removeprefix("kept "): values.copy() for name, values in simulation.state().items()}
    simulation.restore(earlier | {"useful": np.arange(3, dtype=np.float32)})
    assert simulation.kept["useful"].tolist() == [0, 1, 2]


def test_seeds_differ():
    a, b = (simulate(MF(factors=3), crowd(), seed=seed) for seed in (1, 2))
    a.advance(2), b.advance(2)
    assert (a.tables.rows != b.tables.rows).any()


def test_gossip_spreads_what_one_person_knows():
    """A row that one person alone updates reaches everybody."""
    board = np.zeros((30, 4))
    board[:, 0] = 3
    board[7, 3] = 5
    simulation = simulate(MF(factors=3), ratings(board.tolist()))
    simulation.advance(40)
    ages = simulation.tables.age.reshape(30, 4)
    assert (ages[:, 3] > 0).all()
    assert (ages[:, 1] == 0).all()


def test_bytes_are_those_of_the_codec():
    from sottovoce.exchange import codec
    from sottovoce.exchange.message import Message

    simulation = simulate(MF(factors=3), crowd())
    simulation.advance(2)
    tables = simulation.tables
    message = Message(tables.rows[:50], tables.age[:50], tables.ids, tables.head[0], int(tables.clock[0]), 1)
    assert simulation.bytes == 120 * len(codec.encode(message))


def test_bytes_are_those_of_all_messages():
    s = simulate(MF(factors=3), crowd(), protocol=Gossip(pushes=3))
    s.advance(4)
    assert s.messages == 60 * 3 * 4
    message = emit(s.tables, 7)
    assert s.bytes == s.messages * len(encode(message))


def test_people_who_start_on_their_own_have_vectors_of_their_own():
    """Also where the network has a common start to send differences to."""
    for protocol in (Gossip(start="independent"), Central(), Federated()):
        s = simulate(MF(factors=3), crowd(9, 5), protocol=protocol)
        assert len(np.unique(s.people.user, axis=0)) == 9
    assert len(np.unique(simulate(MF(factors=3), crowd(9, 5)).people.user, axis=0)) == 1
