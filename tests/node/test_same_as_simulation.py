"""Nodes that exchange bytes end as the simulator does, bit for bit.

Kernels run as the plain Python that they are, so that any combination of components can be drawn.
`tests/models/test_battery.py` and `tests/network` compare compiled nodes with compiled simulations.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.dataset_size import DatasetSize
from sottovoce.combine.decentralized_reptile import DecentralizedReptile
from sottovoce.combine.linear import Linear
from sottovoce.combine.model_age import ModelAge
from sottovoce.combine.performance import Performance
from sottovoce.data import sampling
from sottovoce.data.split import WEIGHTING
from sottovoce.evaluate.newcomers import asked_slots, message_bytes, served
from sottovoce.exchange import codec
from sottovoce.exchange.compression.delta import Delta
from sottovoce.exchange.compression.interface import chain
from sottovoce.exchange.compression.quantize import Quantize
from sottovoce.exchange.compression.subsample import Subsample
from sottovoce.exchange.message import UPDATE
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.interface import hides_items
from sottovoce.exchange.steps.positive_feedback import PositiveFeedback
from sottovoce.models.als import ALS
from sottovoce.models.bpr import BPR
from sottovoce.models.gmf import GMF
from sottovoce.models.ials import IALS
from sottovoce.models.interface import score_all
from sottovoce.models.mf import MF
from sottovoce.models.prme import PRME
from sottovoce.models.rating_als import RatingALS
from sottovoce.node import Community, Key, Node
from sottovoce.peers.k_out import KOut
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols import aggregate
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from tests.networks import communities, ratings, simulate
from tests.node.simulated import assert_same, gossip, history, met, nodes_of, opened, whole_model
from tests.walks import walks

pytestmark = pytest.mark.usefixtures("uncompiled")

KEPT = GMF(factors=2, negatives=1, optimizer_state="kept")
MODELS = [MF(factors=3), IALS(factors=3), GMF(factors=2, negatives=1), KEPT, BPR(factors=3)]
MERGES = [Linear(), ModelAge(), DatasetSize(), DecentralizedReptile()]
CHAINS = [(), (Quantize(bits=8),), (Subsample(share=0.5), Quantize(bits=16)), (Quantize(bits=8), Delta())]
BY_ROW = PositiveFeedback(0.3, drawn="message")
BY_ITEM = PositiveFeedback(0.2, highest=0.9, silent=0.2, drawn="item")
STEPS = [
    (),
    (Clip(length=0.05),),
    (Clip(length=0.05), Clip(length=0.01)),
    (BY_ROW,),
    (BY_ITEM, Clip(length=0.1)),
]
BY_TRIPLE = (PositiveFeedback(0.5),)
CROWD = ratings([[5, 0, 3, 1, 0], [1, 4, 0, 2, 0], [2, 2, 5, 0, 0]])
few = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@settings(few, max_examples=50)
@example(CROWD, MODELS[0], MERGES[0], CHAINS[0], (Uniform(), 0), 1, STEPS[2], 1)
@example(CROWD, KEPT, MERGES[0], CHAINS[3], (KOut(k=1), 2), 2, STEPS[1], 1)
@example(CROWD, MODELS[4], MERGES[3], CHAINS[0], (Uniform(), 0), 1, BY_TRIPLE, 1)
@given(
    communities(people=(2, 5)),
    st.sampled_from(MODELS),
    st.sampled_from(MERGES),
    st.sampled_from(CHAINS),
    st.sampled_from([(Uniform(), 0), (KOut(k=1), 2)]),
    st.integers(1, 2),
    st.sampled_from(STEPS),
    st.integers(0, 99),
)
def test_nodes_that_gossip(data, model, merge, compress, peers, pushes, steps, seed):
    sampler, relay = peers
    made = chain(compress)
    if made.share < 1:
        steps = ()  # a choice of rows undoes what steps withhold, and is refused
    if any(map(hides_items, steps)) and isinstance(merge, DatasetSize):
        merge = Linear()  # the number of interactions stays on the device
    protocol = Gossip(pushes=min(pushes, data.people - 1), relay=relay)
    parts = {"merge": merge, "peers": sampler, "protocol": protocol, "chain": made}
    fast, sender = (simulate(model, data, steps=steps, seed=seed, **parts) for _ in range(2))
    nodes = nodes_of(fast, data, merge=merge, compress=compress)
    fast.advance(3)
    gossip(sender, nodes, 3)
    assert_same(fast, nodes)


@settings(few, max_examples=30)
@example(CROWD, KEPT, MFFedAvg(), CHAINS[2], STEPS[2], Federated(), 1)
@example(CROWD, MODELS[4], MFFedAvg(), CHAINS[0], BY_TRIPLE, Federated(aggregations=2.5), 1)
@given(
    communities(people=(2, 7)),
    st.sampled_from(MODELS),
    st.sampled_from([MFFedAvg(), FedAvg()]),
    st.sampled_from(CHAINS[:3]),
    st.sampled_from(STEPS),
    st.sampled_from([Federated(), Federated(participants=2, selection="in-turn"), Federated(dropout=0.3)]),
    st.integers(0, 99),
)
def test_clients_that_send_bytes_move_the_server(data, model, rule, compress, steps, protocol, seed):
    if any(map(hides_items, steps)):
        rule = MFFedAvg()  # the number of instances stays on the device
    parts = {"merge": rule, "protocol": protocol, "chain": chain(compress), "steps": steps, "seed": seed}
    plain, served = (simulate(model, data, **parts) for _ in range(2))
    plain.advance(2)
    nodes = nodes_of(served, data, compress=compress, start="independent")
    community = nodes[0].community

    def over_the_wire(model, steps, tables, slot, updates, place, people, person, run, round):
        sent = nodes[person].local_update(whole_model(community, tables, slot))
        message = codec.decode(sent, community.expect, UPDATE)
        found = opened(message)
        begin, count = updates.offset[place], len(message.ids)
        updates.offset[place + 1] = begin + count
        updates.ids[begin : begin + count], updates.rows[begin : begin + count] = message.ids, found.rows
        updates.head[place], updates.size[place] = found.head[0], message.size

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(aggregate, "trained_update", over_the_wire)
        patched.setattr(aggregate, "protect", lambda *arguments: None)
        served.advance(2)
    np.testing.assert_array_equal(served.tables.rows, plain.tables.rows)
    np.testing.assert_array_equal(served.tables.head, plain.tables.head)
    np.testing.assert_array_equal(served.tables.age, plain.tables.age)
    for person, node in enumerate(nodes):
        held = node._state()
        np.testing.assert_array_equal(held["user"][0], plain.people.user[person])
        np.testing.assert_array_equal(held["steps"][0], plain.people.steps[person])
        np.testing.assert_array_equal(held["optimizer"][0], plain.people.optimizer[person])


@pytest.mark.parametrize(
    "model", [MF(factors=3), IALS(factors=3), PRME(factors=2)], ids=["mf", "ials", "prme"]
)
def test_nodes_with_weighting_sets_and_places(model):
    """Merging by quality, and a model that looks at where people are."""
    data = walks(people=4, items=9, length=8, seed=2)
    if not isinstance(model, PRME):  # other models know an item once
        order = np.random.default_rng(5)
        data = replace(
            data, item=np.concatenate([order.permutation(9)[:8] for _ in range(4)]).astype(np.int32)
        )
    aside = np.zeros(len(data), np.bool_)
    for person in range(data.people):  # two items of everybody's, with all visits to them
        own = np.arange(8 * person, 8 * person + 8)
        aside[own[np.isin(data.item[own], data.item[own[[1, 4]]])]] = True
    train, weighting = data.take(~aside), data.take(aside)
    both = sampling.seen(data.indptr, data.item)
    drawn = sampling.sample(both, weighting, 5, 7, WEIGHTING)
    rule = Performance(k=2)
    parts = {"merge": rule, "weighting": weighting, "candidates": drawn, "seed": 7, "peers": Uniform()}
    fast, sender = (simulate(model, train, **parts) for _ in range(2))
    points = data.catalog.coordinates.tolist()
    options = {"seed": 7, "scale": data.scale, "coordinates": points}
    community = Community(data.catalog.ids.tolist(), fast.model, rule, **options)
    nodes = [
        Node(community, met(train, p), Key.simulated(7, p), weighting=met(weighting, p), candidates=5)
        for p in range(data.people)
    ]
    fast.advance(4)
    gossip(sender, nodes, 4)
    assert_same(fast, nodes)
    if isinstance(model, PRME):
        first, second = (nodes[0].recommend(3, here=str(place)) for place in (0, 5))
        assert first != second


@settings(few, max_examples=15)
@given(
    st.tuples(st.integers(2, 7), st.integers(2, 9)),
    st.sampled_from([ALS(factors=3), RatingALS(factors=3)]),
    st.lists(st.integers(0, 1), max_size=2, unique=True),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_a_newcomer_scores_as_in_the_simulator(shape, model, items, sweeps, seed):
    """A node that takes a peer's model in bytes has the scores of a newcomer of the simulation."""
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, shape) * (rng.random(shape) < 0.5)
    table[:, 0] = 3  # everybody has something
    data = ratings(table.tolist())
    protocol = Consensus(group=1, pushes=2)
    network = simulate(model, data, protocol=protocol, merge=MFFedAvg(), seed=seed)
    network.advance(sweeps)
    own = ratings([[4.0 if item in items else 0 for item in range(data.items)]])
    resolved, tables, people = served(network, own)
    options = {"seed": seed, "scale": data.scale}
    community = Community(data.catalog.ids.tolist(), network.model, **options)
    asked = asked_slots(network, 1)[0]
    peer = whole_model(community, network.tables, asked)
    assert len(peer) == message_bytes(network)
    newcomer = Node(community, history(own, 0), b"n" * 16)
    newcomer.absorb(peer)
    found = {one.item: one.score for one in newcomer.recommend(data.items)}
    expected = np.empty(data.items, np.float32)
    score_all(resolved, tables, 0, people, 0, expected)
    assert {item: float(expected[int(item)]) for item in found} == found
    assert len(found) == data.items - len(items)
    taken = codec.decode(newcomer.emit(), community.expect)
    for name in ("rows", "age", "head", "clock"):
        np.testing.assert_array_equal(
            getattr(taken, name), getattr(codec.decode(peer, community.expect), name)
        )


def test_what_a_node_learns_counts_at_once_and_an_older_model_changes_nothing():
    network = simulate(ALS(factors=3), CROWD, protocol=Consensus(group=1, pushes=2), merge=MFFedAvg())
    community = Community(CROWD.catalog.ids.tolist(), network.model, seed=1, scale=CROWD.scale)
    letters = []
    for _ in range(2):
        network.advance(1)
        letters.append(whole_model(community, network.tables))
    node, other = Node(community, ["0"], b"n" * 16), Node(community, ["0", "3"], b"m" * 16)
    for one in (node, other):
        one.absorb(letters[1])
        one.absorb(letters[0])
    assert node._state()["clock"] == 2
    np.testing.assert_array_equal(node._tables.rows, network.tables.rows[: CROWD.items])
    before = node.recommend(4)
    node.learn(["3"])
    assert node.recommend(3) == other.recommend(3) != [one for one in before if one.item != "3"]
    node.train()
    assert node.recommend(3) == other.recommend(3)
    assert node._state()["clock"] == 2, "a solved vector is no sweep"
