"""Nodes that exchange bytes end as the simulator does, bit for bit; strangers' bytes are refused."""

import io
import stat
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sottovoce
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.dataset_size import DatasetSize
from sottovoce.combine.decentralized_reptile import DecentralizedReptile
from sottovoce.combine.linear import Linear
from sottovoce.combine.model_age import ModelAge
from sottovoce.combine.performance import Performance
from sottovoce.data import sampling
from sottovoce.data.split import WEIGHTING
from sottovoce.errors import DataError, MessageError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.compression.delta import Delta
from sottovoce.exchange.compression.interface import Whole, chain
from sottovoce.exchange.compression.quantize import Quantize
from sottovoce.exchange.compression.subsample import Subsample
from sottovoce.exchange.message import UPDATE, emit, received
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.interface import protect
from sottovoce.models.gmf import GMF
from sottovoce.models.ials import IALS
from sottovoce.models.mf import MF
from sottovoce.models.prme import PRME
from sottovoce.node import Community, Key, Met, Node
from sottovoce.peers.k_out import KOut
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols import aggregate
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from tests.networks import communities, ratings, simulate
from tests.walks import walks

MODELS = [MF(factors=3), IALS(factors=3), GMF(factors=2, negatives=1)]
MERGES = [Linear(), ModelAge(), DatasetSize(), DecentralizedReptile()]
CHAINS = [(), (Quantize(bits=8),), (Subsample(share=0.5), Quantize(bits=16)), (Quantize(bits=8), Delta())]


def nodes_of(simulation: Any, data: Any, compress: Any = (), **more: Any) -> list[Node]:
    """A node for each person of a simulation, in a community with the same settings."""
    options = {"seed": simulation.seed, "scale": data.scale, "compress": compress} | more
    items = data.catalog.ids.tolist()
    community = Community(items, simulation.model, simulation.merge, **options)
    return [
        Node(community, history(data, person), Key.simulated(simulation.seed, person))
        for person in range(data.people)
    ]


def history(data: Any, person: int) -> dict[str, float]:
    own = slice(data.indptr[person], data.indptr[person + 1])
    return dict(zip(data.catalog.ids[data.item[own]].tolist(), data.value[own].tolist(), strict=True))


def assert_same(simulation: Any, nodes: list[Node]) -> None:
    count = simulation.items
    for slot, node in enumerate(nodes):
        held, rows = node._state(), slice(count * slot, count * (slot + 1))
        for name, expected in (
            ("rows", simulation.tables.rows[rows]),
            ("age", simulation.tables.age[rows]),
            ("head", simulation.tables.head[slot : slot + 1]),
            ("clock", simulation.tables.clock[slot : slot + 1]),
            ("user", simulation.people.user[slot : slot + 1]),
            ("steps", simulation.people.steps[slot : slot + 1]),
        ):
            np.testing.assert_array_equal(held[name], expected, err_msg=f"{name} of {slot}")


@pytest.mark.usefixtures("uncompiled")
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    communities(people=(2, 5)),
    st.sampled_from(MODELS),
    st.sampled_from(MERGES),
    st.sampled_from(CHAINS),
    st.sampled_from([(Uniform(), 0), (KOut(k=1), 2)]),
    st.integers(1, 2),
    st.integers(0, 99),
)
def test_nodes_that_gossip_end_as_the_simulator_does(data, model, merge, compress, peers, pushes, seed):
    sampler, relay = peers
    protocol = Gossip(pushes=min(pushes, data.people - 1), relay=relay)
    parts = {"merge": merge, "peers": sampler, "protocol": protocol, "chain": chain(compress), "seed": seed}
    fast, sender = (simulate(model, data, **parts) for _ in range(2))
    nodes = nodes_of(fast, data, compress)
    fast.advance(3)
    for round in range(3):
        sent, _ = sender.driver.send(round)
        order = sorted(range(len(sent.sender)), key=lambda n: (sent.sender[n], sent.number[n]))
        letters = {}
        for n in order:  # everybody sends when a round begins, each its messages in order
            who = int(sent.sender[n])
            nodes[who].sent = int(sent.number[n])  # where too few peers are found, numbers are left out
            relayed = len(sender.receivers.relayed) > 0 and bool(sender.receivers.relayed[who])
            letters[n] = nodes[who].emit(relay=relayed)
        for n in np.argsort(sent.end, kind="stable"):
            nodes[sent.receiver[n]].absorb(letters[n])
    assert_same(fast, nodes)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("model", MODELS[::2])
@pytest.mark.parametrize("compress", CHAINS[:3])
@pytest.mark.parametrize("steps", [(), (Clip(length=0.05),)])
def test_clients_that_send_bytes_move_the_server_as_the_simulator_does(monkeypatch, model, compress, steps):
    rng = np.random.default_rng(4)
    data = ratings((rng.integers(1, 6, (7, 12)) * (rng.random((7, 12)) < 0.4)).tolist())
    parts = {"merge": MFFedAvg(), "protocol": Federated(), "chain": chain(compress), "steps": steps}
    plain, served = (simulate(model, data, **parts) for _ in range(2))
    plain.advance(3)
    options = {"sharing": data.people, "steps": steps, "start": "independent", "trainings": 10}
    community = Community(
        data.catalog.ids.tolist(), model, compress=compress, seed=served.seed, scale=data.scale, **options
    )
    nodes = [Node(community, history(data, p), Key.simulated(served.seed, p)) for p in range(data.people)]

    def over_the_wire(model, tables, slot, updates, place, people, person, run):
        whole = emit(tables, slot, Whole())
        hashes = {"catalogue": community.expect.catalogue, "settings": community.expect.settings}
        sent = nodes[person].local_update(codec.encode(whole._replace(**hashes)))
        message = codec.decode(sent, community.expect, UPDATE)
        opened = _opened(message)
        begin, count = updates.offset[place], len(message.ids)
        updates.offset[place + 1] = begin + count
        updates.ids[begin : begin + count], updates.rows[begin : begin + count] = message.ids, opened.rows
        updates.head[place], updates.size[place] = opened.head[0], message.size

    monkeypatch.setattr(aggregate, "local_update", over_the_wire)
    monkeypatch.setattr(aggregate, "protect", lambda *arguments: None)
    served.advance(3)
    np.testing.assert_array_equal(served.tables.rows, plain.tables.rows)
    np.testing.assert_array_equal(served.tables.head, plain.tables.head)
    for person, node in enumerate(nodes):
        np.testing.assert_array_equal(node._state()["user"][0], plain.people.user[person])


def _opened(message):
    """What codes of an update stand for; an update has no ages, which models have."""
    return received(message._replace(age=np.zeros(len(message.rows), np.int32)))


ITEMS = [f"film {n}" for n in range(12)]


def pair(**settings: Any) -> list[Node]:
    community = Community(ITEMS, MF(factors=3), **settings)
    return [Node(community, ITEMS[:4], b"a" * 16), Node(community, ITEMS[3:8], b"b" * 16)]


@pytest.mark.usefixtures("uncompiled")
def test_two_communities_of_equal_size_do_not_merge():
    mine, _ = pair()
    shuffled = Community(ITEMS[::-1], MF(factors=3))
    other = Community(ITEMS, MF(factors=3, step=0.001))
    before = {name: array.copy() for name, array in mine._state().items()}
    for community, said in ((shuffled, "another catalogue"), (other, "other settings")):
        with pytest.raises(MessageError, match=said):
            mine.absorb(Node(community, ITEMS[:2]).emit())
    for junk in (b"", b"GET / HTTP/1.1", mine.emit()[:-1], mine.local_update(mine.emit())):
        with pytest.raises(MessageError):
            mine.absorb(junk)
    for name, array in before.items():
        if name not in ("user", "steps", "counters"):
            np.testing.assert_array_equal(mine._state()[name], array)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("way", ["absorb", "local_update"])
def test_numbers_that_are_valid_and_do_harm_are_not_learnt_from(way):
    """Finite, so that no check of single numbers refuses them, but training on them overflows."""
    mine, peer = pair()
    mine.absorb(peer.emit())
    before = {name: array.copy() for name, array in mine._state().items()}
    peer._tables.rows[:], peer._tables.age[:] = np.finfo(np.float32).max, 9
    with np.errstate(all="ignore"), pytest.raises(MessageError, match=r"diverge|not finite"):
        getattr(mine, way)(peer.emit())
    for name, array in before.items():
        np.testing.assert_array_equal(mine._state()[name], array, err_msg=name)
    mine.absorb(pair()[1].emit())
    assert np.isfinite(mine._state()["rows"]).all()


@pytest.mark.usefixtures("uncompiled")
def test_a_neighbour_who_knows_the_seed_does_not_know_the_random_numbers():
    """Negatives are drawn from the secret: with another one, other rows change."""
    community = Community(ITEMS, GMF(factors=2, negatives=2))
    changed = set()
    for secret in (b"a" * 16, b"b" * 16, b"c" * 16):
        node = Node(community, ITEMS[:3], secret)
        node.train()
        changed.add(tuple(np.flatnonzero(node._tables.age).tolist()))
    assert len(changed) > 1
    with pytest.raises(RunError, match="can be guessed"):
        Node(community, ITEMS[:3], b"secret")


@pytest.mark.usefixtures("uncompiled")
def test_a_node_that_was_saved_goes_on_as_if_it_had_not_stopped(tmp_path: Path):
    mine, peer = pair(compress=["quantize"])
    mine.absorb(peer.emit())
    mine.save(tmp_path / "me.node")
    again = Node.load(tmp_path / "me.node", mine.community)
    for node in (mine, again):
        node.learn({"film 9": 2.0, "film 0": 1.0})
        node.absorb(peer.emit())
        peer.sent -= 1
    assert mine.emit() == again.emit()
    assert mine.recommend(12) == again.recommend(12)
    had = {f"film {n}" for n in (0, 1, 2, 3, 9)}
    assert not had & {one.item for one in mine.recommend(12)}
    assert len(mine.recommend(12)) == 7


@pytest.mark.usefixtures("uncompiled")
def test_a_file_that_is_not_a_nodes_is_refused(tmp_path: Path):
    mine, _ = pair()
    path = tmp_path / "me.node"
    mine.save(path)
    saved = path.read_bytes()
    other = Community(ITEMS[1:], MF(factors=3))
    with pytest.raises(RunError, match="another catalogue"):
        Node.load(path, other)
    for damaged in (b"", b"PK", saved[: len(saved) // 2], saved.replace(b"about", b"abort")):
        path.write_bytes(damaged)
        with pytest.raises(RunError, match="cannot be read"):
            Node.load(path, mine.community)
    with pytest.raises(RunError, match="No such file"):
        Node.load(tmp_path / "nobody.node", mine.community)


def test_what_a_node_cannot_be_made_of():
    community = Community(ITEMS, MF(factors=3))
    with pytest.raises(DataError, match="'film 99' is not in the community's catalogue"):
        Node(community, ["film 99"])
    with pytest.raises(DataError, match="finite"):
        Node(community, {"film 1": float("nan")})
    with pytest.raises(DataError, match="id of its own"):
        Community(["a", "a "], MF(factors=3))
    with pytest.raises(RunError, match="common start"):
        Community(ITEMS, MF(factors=3), compress=["delta"], start="independent")
    with pytest.raises(DataError, match="gives no coordinates"):
        Community(ITEMS, PRME(factors=2))
    with pytest.raises(DataError, match="3 coordinates for 12 items"):
        Community(ITEMS, MF(factors=3), coordinates=[(1, 1)] * 3)
    with pytest.raises(DataError, match="'film 99' is not in"):
        Node(community, ITEMS[:3], weighting=["film 99"])
    with pytest.raises(DataError, match="'film 99' is not in"):
        Node(community, ITEMS[:3]).recommend(2, here="film 99")
    assert sottovoce.Node is Node
    assert sottovoce.Community is Community


def met(data: Any, person: int) -> list[Met]:
    """A person's interactions, with their times."""
    own = slice(data.indptr[person], data.indptr[person + 1])
    columns = data.catalog.ids[data.item[own]], data.value[own], data.time[own]
    return [Met(*one) for one in zip(*(column.tolist() for column in columns), strict=True)]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    "model", [MF(factors=3), IALS(factors=3), PRME(factors=2)], ids=["mf", "ials", "prme"]
)
def test_nodes_with_weighting_sets_and_places_end_as_the_simulator_does(model):
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
    for round in range(4):
        sent, _ = sender.driver.send(round)
        letters = [nodes[who].emit() for who in sent.sender]
        for n in np.argsort(sent.end, kind="stable"):
            nodes[sent.receiver[n]].absorb(letters[n])
    assert_same(fast, nodes)
    if isinstance(model, PRME):
        first, second = (nodes[0].recommend(3, here=str(place)) for place in (0, 5))
        assert first != second


def test_a_node_keeps_its_weighting_set_and_times(tmp_path: Path):
    community = Community(ITEMS, MF(factors=3))
    history = [Met("film 2", 4.0, 30), Met("film 1", 5.0, 10)]
    node = Node(community, history, b"k" * 16, weighting=["film 5", "film 6"], candidates=4)
    assert node._train.time.tolist() == [10, 30], "in order of time"
    node.save(tmp_path / "one.node")
    again = Node.load(tmp_path / "one.node", community)
    for name in ("item", "value", "time"):
        np.testing.assert_array_equal(getattr(again._train, name), getattr(node._train, name))
        np.testing.assert_array_equal(getattr(again._weighting, name), getattr(node._weighting, name))
    np.testing.assert_array_equal(again._people.weighting_candidates, node._people.weighting_candidates)
    assert again._people.weighting_candidates.shape == (2, 4)
    met_before = set(again._people.weighting_candidates.ravel().tolist()) & {1, 2, 5, 6}
    assert not met_before, "candidates are items that the person has not met"
    again.learn(["film 5"])
    assert again._weighting.item.tolist() == [6], "what is trained on is no longer judged by"


def test_histories_are_tidied():
    community = Community(ITEMS, MF(factors=3))
    node = Node(community, ["film 1", "film 2", "film 1", "film 3"], weighting=["film 3"], candidates=4)
    assert node._train.item.tolist() == [2, 1], "the last of repeats, without weighting items"
    assert not {"film 1", "film 2", "film 3"} & {found.item for found in node.recommend(12)}
    node.learn(["film 4", "film 4"])
    assert node._train.item.tolist() == [2, 1, 4]
    with pytest.raises(DataError, match="-1 candidates"):
        Node(community, candidates=-1)
    with pytest.raises(DataError, match="whole number of seconds"):
        Node(community, [Met("film 1", 1.0, -5)])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"start": "comon"}, "neither 'common' nor 'independent'"),
        ({"sharing": 0}, "must both be positive"),
        ({"merge": "performance", "compress": ["subsample"]}, "judges whole models"),
    ],
)
def test_communities_that_make_no_sense(settings, said):
    with pytest.raises(RunError, match=said):
        Community(ITEMS, MF(factors=3), **settings)


def test_a_choice_of_rows_does_not_undo_what_steps_withhold():
    node = Node(Community(ITEMS, MF(factors=3), steps=["clip"], compress=["subsample"]), ITEMS[:3])
    with pytest.raises(RunError, match="undoes what steps withhold"):
        node.emit()


@pytest.mark.usefixtures("uncompiled")
def test_whole_models_are_judged_and_nothing_less():
    """A message with few rows would be read beyond its end."""
    some = Community(ITEMS, MF(factors=3), compress=[Subsample(share=0.3)])
    judge = Node(Community(ITEMS, MF(factors=3), "performance"), ITEMS[:3], weighting=ITEMS[5:8])
    before = judge._tables.rows.copy()
    with pytest.raises(MessageError, match="some rows only"):
        judge.absorb(Node(some, ITEMS[3:8]).emit())
    np.testing.assert_array_equal(judge._tables.rows, before)


@pytest.mark.usefixtures("uncompiled")
def test_an_update_without_rows_keeps_its_head():
    """In 8 bits too; a step may withhold every row."""
    model = GMF(factors=2, negatives=1)
    updates = []
    for compress in ((), (Quantize(bits=8),)):
        community = Community(ITEMS, model, compress=compress, steps=[NoRows()])
        node = Node(community, ITEMS[:4], b"k" * 16)
        message = codec.decode(
            node.local_update(node.emit() if not compress else _whole(node)), community.expect, UPDATE
        )
        assert len(message.rows) == 0
        updates.append(_opened(message).head[0])
    assert np.abs(updates[0]).max() > 0
    np.testing.assert_allclose(updates[1], updates[0], atol=np.ptp(updates[0]) / 200)


def _whole(node):
    """A node's model without compression, as a server sends it."""
    hashes = {"catalogue": node.community.expect.catalogue, "settings": node.community.expect.settings}
    return codec.encode(emit(node._tables, 0, Whole())._replace(**hashes))


class NoRows(NamedTuple):
    """Withholds every row."""


@protect.rule(NoRows)
def _no_rows(step, updates, place, people, person, run, round):
    updates.offset[place + 1] = updates.offset[place]


def test_a_file_is_for_its_owner_and_hostile_ones_are_refused(tmp_path: Path):
    community = Community(ITEMS, MF(factors=3))
    path = tmp_path / "one.node"
    Node(community, ITEMS[:3]).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    members = {}
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}

    def refused(said, **changes):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in {**members, **changes}.items():
                archive.writestr(name, content)
        with pytest.raises(RunError, match=said):
            Node.load(path, community)

    def array(values):
        content = io.BytesIO()
        np.save(content, values)
        return content.getvalue()

    lies = "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,), }".ljust(117) + "\n"
    refused("cannot be read", **{"rows.npy": array(np.zeros(2**20))})
    refused("cannot be read", **{"rows.npy": b"\x93NUMPY\x01\x00v\x00" + lies.encode()})
    refused("cannot be read", **{"rows.npy": array(np.zeros(3))[:40]})
    for about in (b"[1, 2]", b'{"format": 1e400, "key": []}'):
        refused("cannot be read", **{"about.npy": array(np.frombuffer(about, np.uint8))})
    refused("does not fit", **{"age.npy": array(np.full(12, -1, np.int32))})
    refused("does not fit", **{"rows.npy": array(np.full((12, 4), np.nan, np.float32))})
    refused("not in the catalogue", **{"train item.npy": array(np.array([1, 2, 99], np.int32))})
    refused("not whole", **{"train value.npy": array(np.zeros(2, np.float32))})
