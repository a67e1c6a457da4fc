"""Nodes that send masked bytes end at the model of the simulator's secure sums, bit by bit."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.sums.secure import Secure, plan, threshold
from sottovoce.errors import MessageError, RecipeError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.message import LARGEST_WEIGHT, Message
from sottovoce.exchange.secure import messages
from sottovoce.exchange.secure.contribution import plain_sums
from sottovoce.exchange.secure.group import Group, group
from sottovoce.exchange.secure.primitives import Identity, digest
from sottovoce.exchange.steps.clip import Clip
from sottovoce.models.als import ALS
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.node import Community, Node
from sottovoce.node.secure import SecureServer
from sottovoce.protocols.federated import Federated
from tests.combine.sums.federations import aggregate, everybody
from tests.networks import ratings, simulate
from tests.node.simulated import ITEMS, nodes_of

pytestmark = pytest.mark.usefixtures("uncompiled")
PEOPLE = 7
FEDERATED = Federated()
SUM = Secure(threshold=0.6, fewest=1)
KEYS, SHARES, VECTOR, SIGNED, UNMASKED, SECOND = range(6)
"""Stages of a round at which somebody can drop out; the second vector is followed by two more."""


def crowd(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, (PEOPLE, 9)) * (rng.random((PEOPLE, 9)) < 0.6)
    table[0] = 0
    return ratings(table.tolist())


def names(count: int = PEOPLE) -> list[Identity]:
    """Identities in the order in which a group has them, so that places are numbers of nodes."""
    return sorted((Identity(digest(bytes([n]))) for n in range(count)), key=lambda one: one.public)


def group_of(who: list[Identity], sum: Any = SUM, label: bytes = b"round") -> Group:
    return group([one.public for one in who], label, threshold(sum, len(who)), sums=2)


def play(
    server: SecureServer,
    nodes: list[Node],
    leaves: Mapping[int, int] = {},
    guards: Any = (),
    who: list[Identity] | None = None,
) -> None:
    """A round of these nodes; whoever leaves at a stage sends no message of it, nor a later one."""
    identities = names(len(nodes)) if who is None else who
    together, model = group_of(identities, server.community.sum), server.model()
    parts = [
        node.secure_update(model, together, one, guards) for node, one in zip(nodes, identities, strict=True)
    ]
    server.begin(together)
    letters, stage = {n: part.start() for n, part in enumerate(parts)}, 0
    while server.busy:
        sent = []
        for n, letter in letters.items():
            if leaves.get(n, 99) > stage:
                sent += server.receive(letter)
        sent = sent or (server.timeout() if server.busy else [])
        letters, stage = {one.to: parts[one.to].receive(one.data) for one in sent}, stage + 1


def same(server: SecureServer, simulation: Any) -> None:
    for name in ("rows", "age", "head", "clock"):
        found, expected = getattr(server._tables, name), getattr(simulation.tables, name)
        np.testing.assert_array_equal(found, expected, err_msg=name)


@settings(max_examples=25)
@given(
    st.sampled_from([GMF(factors=3, negatives=1), MF(factors=3), ALS(factors=3)]),
    st.sampled_from([MFFedAvg(), FedAvg()]),
    st.sampled_from([(), (Clip(0.5),)]),
    st.lists(
        st.dictionaries(st.integers(0, PEOPLE - 1), st.sampled_from([VECTOR, 7]), max_size=2), max_size=3
    ),
    st.integers(0, 99),
)
def test_the_model_is_that_of_the_simulator(model, rule, steps, rounds, seed):
    """Whoever drops out before the first vector is not in the sums; who does so after the last one is."""
    if isinstance(model, ALS):
        rule = FedAvg()
    data = crowd(seed)
    simulated = simulate(model, data, merge=rule, sum=SUM, steps=steps, seed=seed, protocol=FEDERATED)
    nodes = nodes_of(simulated, data, sum=SUM, aggregate=rule, start="independent")
    server = SecureServer(nodes[0].community)
    same(server, simulated)
    for leaves in rounds:
        unheard = tuple(who for who, stage in leaves.items() if stage == VECTOR)
        aggregate(simulated, everybody(simulated, unheard))
        play(server, nodes, leaves)
        assert server.failed is None
        same(server, simulated)
    for person, node in enumerate(nodes):
        np.testing.assert_array_equal(node._people.user[0], simulated.people.user[person])


def test_too_few_leave_the_model_as_it_was():
    data, simulated = (
        crowd(1),
        simulate(MF(factors=3), crowd(1), sum=SUM, protocol=FEDERATED, merge=MFFedAvg()),
    )
    nodes = nodes_of(simulated, data, sum=SUM, start="independent")
    server = SecureServer(nodes[0].community)
    before = server.model()
    play(server, nodes, {1: VECTOR, 2: VECTOR, 3: VECTOR})
    assert server.failed is not None
    assert "Only 4 participants" in server.failed.reason
    assert server.model() == before
    with pytest.raises(MessageError, match="No round is under way"):
        server.timeout()


def test_who_leaves_between_the_sums_is_counted_and_adds_nothing():
    """Compared with sums of integers, and MF-FedAvg by hand."""
    data, simulated = (
        crowd(3),
        simulate(MF(factors=3), crowd(3), sum=SUM, protocol=FEDERATED, merge=MFFedAvg()),
    )
    nodes, twins = (nodes_of(simulated, data, sum=SUM, start="independent") for _ in range(2))
    server = SecureServer(nodes[0].community)
    agreed = plan(SUM, server.community.task)
    parts = [twin.contribution(server.model(), agreed) for twin in twins]
    stay = [n for n in range(PEOPLE) if n != 2]
    expected = plain_sums(agreed, parts, threshold(SUM, PEOPLE), range(PEOPLE), stay)
    before = server._tables.rows.copy()
    play(server, nodes, {2: SECOND})
    share = np.float32(1) / expected.contributors.astype(np.float32)
    moved = before[expected.items] + expected.rows.astype(np.float32) * share[:, None]
    np.testing.assert_array_equal(server._tables.rows[expected.items], moved)
    assert len(expected.items) > 3
    assert len(np.intersect1d(parts[2].items, expected.items)), "whoever left is among the contributors"


@pytest.mark.parametrize("lying", [False, True])
def test_a_server_that_gives_out_different_models_gets_noise(monkeypatch, lying):
    """Otherwise people whose model teaches nothing would leave one person's update alone in the sum."""
    community = Community(ITEMS, MF(factors=3), sum=SUM)
    nodes, server = [Node(community, ITEMS[n : n + 4]) for n in range(PEOPLE)], SecureServer(community)
    other = SecureServer(community)
    other._tables.rows[:] = 0
    together, model = group_of(names()), server.model()
    parts = [
        node.secure_update(other.model() if n else model, together, names()[n])
        for n, node in enumerate(nodes)
    ]
    server.begin(together)
    if lying:  # it takes vectors of any sum
        any_sum = messages.unpack_masked
        session = server._session.session
        monkeypatch.setattr(
            "sottovoce.exchange.secure.server.unpack_masked",
            lambda *given: any_sum(*given)._replace(number=session.number, bound=session._bound),
        )
    letters = [part.start() for part in parts]
    for _ in range(2):
        sent = [one for letter in letters for one in server.receive(letter)]
        letters = [parts[one.to].receive(one.data) for one in sent]
    if not lying:
        server.receive(letters[0])
        with pytest.raises(MessageError, match="is about something else"):
            server.receive(letters[1])
        return
    (*_, last) = (server.receive(letter) for letter in letters)
    signed = [parts[one.to].receive(one.data) for one in last]
    with pytest.raises(MessageError, match="signed another list of survivors"):
        [server.receive(letter) for letter in signed]


def test_a_node_refuses_groups_that_would_tell_it_apart(tmp_path):
    """Its own guards remember whom it was summed with, also in its file."""
    community = Community(ITEMS, MF(factors=3), sum=Secure(threshold=0.5, fewest=3))
    nodes = [Node(community, ITEMS[n : n + 4]) for n in range(8)]
    server = SecureServer(community)
    play(server, nodes, guards=None)
    play(server, nodes, guards=None)
    nodes[0].save(tmp_path / "node")
    again = Node.load(tmp_path / "node", community)
    assert again.guards == nodes[0].guards
    assert [len(guard.earlier) for guard in again.guards] == [1, 1]
    fewer = group_of(names(8)[:7], community.sum)
    with pytest.raises(MessageError, match="differs from an earlier one by 1 person"):
        again.secure_update(server.model(), fewer, names(8)[0])


@pytest.mark.parametrize("name", ["summed people", "summed sets"])
def test_a_file_that_forgets_whom_it_was_summed_with_is_refused(tmp_path, name):
    community = Community(ITEMS, MF(factors=3), sum=Secure(threshold=0.5, fewest=3))
    nodes = [Node(community, ITEMS[n : n + 4]) for n in range(8)]
    play(SecureServer(community), nodes, guards=None)
    nodes[0].save(tmp_path / "node.npz")
    arrays = dict(np.load(tmp_path / "node.npz", allow_pickle=False))
    for wrong in (arrays[name][:-1], arrays[name].astype(np.int32), arrays[name] + 7):
        if name == "summed people" and wrong.shape == arrays[name].shape and wrong.dtype == np.uint8:
            continue  # other people are people too
        np.savez(tmp_path / "wrong.npz", **(arrays | {name: wrong}))
        with pytest.raises(RunError, match=r"damaged|cannot be read"):
            Node.load(tmp_path / "wrong.npz", community)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda who: group([one.public for one in who], b"", 7, sums=2), "5 must stay"),
        (lambda who: group([one.public for one in who], b"", 5, sums=1), "2 sums"),
        (lambda who: group_of(who[:2]), "wants 3"),
    ],
)
def test_groups_that_are_not_the_communitys(made, problem):
    community = Community(ITEMS, MF(factors=3), sum=Secure(threshold=0.6, fewest=3))
    node, server = Node(community, ITEMS[:3]), SecureServer(community)
    wrong = made(names())
    with pytest.raises(MessageError, match=problem):
        node.secure_update(server.model(), wrong, names()[0])
    with pytest.raises(MessageError, match=problem):
        server.begin(wrong)


def test_updates_do_not_leave_as_they_are_where_sums_are_masked():
    community = Community(ITEMS, MF(factors=3), sum="secure")
    with pytest.raises(RunError, match="sums updates under masks"):
        Node(community, ITEMS[:3]).local_update(SecureServer(community).model())
    plain = Community(ITEMS, MF(factors=3))
    with pytest.raises(RunError, match="as they are"):
        SecureServer(plain).begin(group_of(names()))
    with pytest.raises(RunError, match="masked sums"):
        Community(ITEMS, MF(factors=3), sum="homomorphic")
    with pytest.raises(RecipeError, match="would save nothing"):
        Community(ITEMS, MF(factors=3), sum="secure", compress=[{"name": "quantize", "bits": 8}])


def test_a_model_of_another_community_is_refused_before_anything_is_sent():
    one, other = (Community(ITEMS, MF(factors=3), sum=SUM, seed=seed) for seed in (1, 2))
    with pytest.raises(MessageError, match="with other settings"):
        Node(one, ITEMS[:3]).secure_update(SecureServer(other).model(), group_of(names()), names()[0])


def test_shares_of_noise_leave_in_masked_sums_alone():
    """Noise of the operating system: the sum differs from the noiseless one, by about as much as promised."""
    sum = Secure(threshold=0.6, fewest=1, smallest=5)
    share = {"name": "skellam", "length": 1.0, "noise": 2.0, "epsilon": 50.0, "survivors": 5}
    community = Community(ITEMS, MF(factors=3), steps=[share], sum=sum, aggregate="simple")
    nodes, server = [Node(community, ITEMS[n : n + 3]) for n in range(PEOPLE)], SecureServer(community)
    for refused in (nodes[0].emit, nodes[0].train, lambda: nodes[0].absorb(server.model())):
        with pytest.raises(RunError, match="hides it in masked sums alone"):
            refused()
    before = server._tables.rows.copy()
    play(server, nodes)
    moved = PEOPLE * (server._tables.rows - before)
    assert 1.5 < moved.std() / np.sqrt(PEOPLE / 5) < 2.5
    assert {node.budget_left for node in nodes} == {community.promise.disclosures - 1}
    more = [share | {"survivors": 6}]
    strict = Community(ITEMS, MF(factors=3), steps=more, sum=sum, aggregate="simple")
    node, model = Node(strict, ITEMS[:3]), SecureServer(strict).model()
    with pytest.raises(MessageError, match="wants 6"):
        node.secure_update(model, group_of(names()), names()[0])


@pytest.mark.parametrize("big", [30.0, 3000.0, 1e6])
def test_everybody_answers_whatever_the_model_does_to_their_training(big):
    """A row that is too large makes training diverge for those who have its item, and for nobody else."""
    community = Community(ITEMS, MF(factors=3), sum=SUM)
    nodes, server = [Node(community, ITEMS[n : n + 3]) for n in range(PEOPLE)], SecureServer(community)
    server._tables.rows[2] = big
    together, model = group_of(names()), server.model()
    parts = [node.secure_update(model, together, one) for node, one in zip(nodes, names(), strict=True)]
    server.begin(together)
    letters = [part.start() for part in parts]
    while server.busy:
        sent = [one for letter in letters for one in server.receive(letter)]
        letters = [parts[one.to].receive(one.data) for one in sent]
        assert not server.busy or len({len(letter) for letter in letters}) == 1
        assert not server.busy or len(letters) == PEOPLE
    assert server.failed is None
    assert np.isfinite(server._tables.rows).all()
    assert any(part.changed for part in parts[:3]) is (big > 100)
    assert not any(part.changed for part in parts[3:])
    assert all(np.abs(node._people.user).max() <= LARGEST_WEIGHT for node in nodes)


def test_a_model_that_is_too_large_is_refused_by_everybody():
    """By its own numbers alone, before anything is sent: this tells nothing about who has what."""
    community = Community(ITEMS, MF(factors=3), sum=SUM)
    message = codec.decode(SecureServer(community).model(), community.expect)
    rows = message.rows.copy()
    rows[2] = -2 * LARGEST_WEIGHT
    model = unchecked(message._replace(rows=rows))
    for history in (ITEMS[:3], ITEMS[5:]):
        with pytest.raises(MessageError, match="1048576 is the limit"):
            Node(community, history).secure_update(model, group_of(names()), names()[0])


def unchecked(message: Message) -> bytes:
    """A message as somebody encodes it who checks nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(codec, "check", lambda *given: None)
        return codec.encode(message)
