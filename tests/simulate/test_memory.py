"""Memory is foreseen: tables, snapshots, what people keep, and no more than is used."""

from types import SimpleNamespace

import numpy as np
import pytest

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import optimizer_size
from sottovoce.models.mf import MF
from sottovoce.peers.k_out import KOut
from sottovoce.protocols.central import Central
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.memory import memory_needed
from tests.networks import ratings, simulate
from tests.simulate.test_virtual_time import network


def crowd(people=60, items=50):
    rng = np.random.default_rng(5)
    return ratings((rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < 0.3)).tolist())


DATA = SimpleNamespace(people=1000, items=500)
TABLE = 500 * (6 * 4 + 4) + 2 * 4
"""Bytes of a model of MF(factors=5): rows of six numbers with their ages, clock and size."""


@pytest.mark.parametrize("protocol", [Central(), Federated()])
def test_one_model_and_everybodys_vectors(protocol):
    assert memory_needed(MF(factors=5), protocol, DATA) == TABLE + 1000 * 6 * 4


def test_everybodys_model_and_one_snapshot_in_twenty():
    assert memory_needed(MF(factors=5), Gossip(), DATA) == 1000 * (TABLE + TABLE / 20 + 6 * 4)
    with_three = TABLE * (1 + 2 / 5 + 1 / 20)
    assert memory_needed(MF(factors=5), Gossip(pushes=3), DATA) == 1000 * (with_three + 6 * 4)


def test_a_compressed_message_is_written_down_for_everybody():
    one = 50 * (6 * 4 + 4 + 4)
    plain = memory_needed(MF(factors=5), Central(), DATA) - TABLE
    chain = Chain(share=0.1)
    assert memory_needed(MF(factors=5), Gossip(), DATA, chain=chain) == plain + 1000 * (TABLE + one)
    assert memory_needed(MF(factors=5), Gossip(2), DATA, chain=chain) == plain + 1000 * (TABLE + 2 * one)


def test_steps_among_peers_need_remainders_and_copies():
    free = memory_needed(MF(factors=5), Gossip(), DATA)
    steps = memory_needed(MF(factors=5), Gossip(), DATA, steps=True)
    assert steps - free == 1000 * 2 * 500 * (6 + 1) * 4
    served = (memory_needed(MF(factors=5), Federated(), DATA, steps=some) for some in (False, True))
    assert len(set(served)) == 1, "a server's clients keep nothing"


def test_optimizers_that_people_keep():
    fresh, kept = GMF(factors=2), GMF(factors=2, optimizer_state="kept")
    numbers = optimizer_size(kept, 500)
    assert numbers > 500
    for protocol, most in ((Gossip(), numbers), (Federated(), numbers), (Central(), 0)):
        more = memory_needed(kept, protocol, DATA) - memory_needed(fresh, protocol, DATA)
        assert more == 1000 * most * 4


@pytest.mark.parametrize(("group", "numbers"), [(1, 6 + 1), (128, 6 + 2)])
def test_consensus_has_sums_beside_everybodys_model_and_no_snapshots(group, numbers):
    """MF has no head, and its sums have three numbers that count."""
    protocol, sums = Consensus(group=group), (500 * numbers + 3) * 4
    assert memory_needed(MF(factors=5), protocol, DATA) == 1000 * (TABLE + 6 * 4 + sums)
    exact = protocol._replace(exact=True)
    places = 1 + (16 if group == 1 else 1000 // 128)
    assert memory_needed(MF(factors=5), exact, DATA) == TABLE + 1000 * 6 * 4 + places * sums


@pytest.mark.parametrize("exact", [False, True])
def test_memory_of_sums_is_what_was_foreseen(exact):
    s = simulate(MF(factors=3), crowd(), protocol=Consensus(group=20, exact=exact), merge=MFFedAvg())
    held = s.tables.rows, s.tables.age, s.tables.clock, s.tables.size, s.people.user, *s.driver.sums
    groups = 60 // 20 * sum(a[..., :1, :].nbytes for a in s.driver.sums) if exact else 0
    foreseen = memory_needed(s.model, s.protocol, crowd())
    assert sum(a.nbytes for a in held) + groups == foreseen


def test_memory_is_half():
    parts = MF(factors=5), Gossip(), SimpleNamespace(people=1000, items=500)
    exact, coarse = memory_needed(*parts), memory_needed(*parts, storage="bfloat16")
    assert coarse == pytest.approx(exact / 2, rel=0.01)
    assert memory_needed(*parts, timed=True) == pytest.approx(exact * 1.682 / 1.05, rel=0.01)
    tables = simulate(MF(factors=3), crowd(), storage="bfloat16").tables
    held = tables.rows.nbytes + tables.age.nbytes
    assert held == 60 * 50 * (4 + 1) * 2


@pytest.mark.parametrize(("pushes", "most"), [(1, 0.1), (3, 0.4)])
def test_few_snapshots_are_in_use(pushes, most):
    """Room for more is reserved and takes no memory. How many depends on who sends to whom alone."""
    s = simulate(MF(factors=3), crowd(943, 5), peers=KOut(20), protocol=Gossip(pushes))
    s.advance(10)
    assert 0 < s.driver.places <= most * 943
    assert s.driver.places < s.driver.snapshots.slots
    table, person = 5 * (4 * 4 + 4) + 2 * 4, 4 * 4
    assert (943 + s.driver.places) * table + 943 * person <= memory_needed(s.model, s.protocol, crowd(943, 5))


@pytest.mark.parametrize("chain", [Whole(), Chain(share=0.3)], ids=["whole", "subsampled"])
def test_memory_is_what_was_foreseen(chain):
    s = simulate(MF(factors=3), crowd(), chain=chain, timing=network(60, np.random.default_rng(4)))
    s.advance(12)
    held = s.tables, s.driver.snapshots
    parts = [getattr(part, name) for part in held for name in ("rows", "age", "ids")]
    whole, snapshots = sum(a.nbytes for a in parts[:3]), sum(a.nbytes for a in parts[3:])
    used = whole + snapshots * s.driver.places / s.driver.snapshots.slots
    foreseen = memory_needed(s.model, s.protocol, crowd(), chain=chain, timed=True)
    assert 0.75 * foreseen < used < foreseen
