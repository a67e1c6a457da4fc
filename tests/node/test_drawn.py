"""Nodes draw their group; a server that throws draws away has few tries."""

import pytest

from sottovoce.errors import MessageError, RunError
from sottovoce.exchange.secure.draw import Drawn, DrawServer
from sottovoce.exchange.secure.server import Failed, Send
from sottovoce.models.mf import MF
from sottovoce.node.community import Community
from sottovoce.node.drawn import PATIENCE, group_of, lottery
from sottovoce.node.group import GroupAdder
from sottovoce.node.node import Node
from sottovoce.node.secure import SecureServer
from tests.exchange.secure.parties import identities

pytestmark = pytest.mark.usefixtures("uncompiled")
ITEMS = [f"item {n}" for n in range(8)]
NAMES = identities(9)
SUM = {"name": "secure", "threshold": 0.6, "fewest": 2}
SECURE = Community(ITEMS, MF(factors=3), sum=SUM, aggregate="mf-fedavg")
PEERS = Community(ITEMS, MF(factors=3), consensus={"name": "consensus", "group": 5, "fewest": 2, "spare": 1})


def nodes(community):
    return [Node(community, ITEMS[n % 4 : n % 4 + 4], bytes([n]) * 32) for n in range(len(NAMES))]


def asked(label=b"round 1", size=5):
    return lottery([one.public for one in NAMES], size, label)


def carry(draws, silent=()):
    """Pass the messages of a draw on; what its server has to say in the end. Some people reveal nothing."""
    server, letters, end = DrawServer(draws[0]._drawer.lottery), [draw.start() for draw in draws], None
    while end is None:
        events = [event for data in letters for event in server.receive(data)] or server.timeout()
        end = next((event for event in events if isinstance(event, Drawn | Failed)), None)
        answers = {e.to: draws[e.to].receive(e.data) for e in events if isinstance(e, Send)}
        letters = [data for who, data in answers.items() if who not in silent]
    return end


def play(server, parts):
    """A masked round in which nobody drops out."""
    letters = {who: part.start() for who, part in parts.items()}
    while letters:
        sent = [letter for data in letters.values() if data for letter in server.receive(data)]
        letters = {letter.to: parts[letter.to].receive(letter.data) for letter in sent}


@pytest.mark.parametrize("community", [SECURE, PEERS], ids=["server", "peers"])
def test_the_group_that_was_drawn_sums(community):
    people = nodes(community)
    draws = [node.draw(asked(), name) for node, name in zip(people, NAMES, strict=True)]
    assert {draw.group for draw in draws} == {None}
    drawn = carry(draws)
    together = group_of(community, drawn.group, b"round 1")
    assert {draw.group for draw in draws} == {together}
    assert [node.rounds.draws for node in people] == [1] * len(people)
    there = [n for n, name in enumerate(NAMES) if name.public in drawn.group]
    if community is SECURE:
        server = SecureServer(community)
        before = server.model()
        server.begin(together)
        parts = [people[n].secure_update(before, draws[n].group, NAMES[n]) for n in there]
    else:
        server = GroupAdder(community, together)
        parts = [people[n].group_update(draws[n].group, NAMES[n]) for n in there]
    play(server, {together.number(NAMES[n].public): part for n, part in zip(there, parts, strict=True)})
    assert server.failed is None
    assert not server.busy
    assert [node.rounds.draws for node in people] == [int(n not in there) for n in range(len(people))]


def test_a_server_that_throws_draws_away_has_few_tries(tmp_path):
    node, *_ = people = nodes(SECURE)
    most = 2 * PATIENCE  # 5 of 9 are drawn: every second time
    for number in range(most):
        label = b"try %d" % number
        draws = [each.draw(asked(label), name) for each, name in zip(people, NAMES, strict=True)]
        assert isinstance(carry(draws, silent=[number % 9]), Failed)
    for one in (node, loaded(node, tmp_path)):
        with pytest.raises(MessageError, match="took part in 16 draws of groups and was in no sum since"):
            one.draw(asked(b"once more"), NAMES[0])
    node.rounds.draws = most - 1
    two = [node.draw(asked(label), NAMES[0]) for label in (b"a", b"b")]
    two[0].start()
    with pytest.raises(MessageError, match="draws of groups"):
        two[1].start()
    with pytest.raises(MessageError, match="started once"):
        two[0].start()


def loaded(node, folder):
    node.save(folder / "node.npz")
    return Node.load(folder / "node.npz", node.community)


def test_draws_of_groups_that_could_not_sum_are_refused():
    plain = Node(Community(ITEMS, MF(factors=3)), ITEMS[:3])
    with pytest.raises(RunError, match="sums in no groups"):
        plain.draw(asked(), NAMES[0])
    with pytest.raises(MessageError, match="too small"):
        Node(PEERS, ITEMS[:3]).draw(asked(size=4), NAMES[0])
    with pytest.raises(MessageError, match="identity is not among the candidates"):
        Node(SECURE, ITEMS[:3]).draw(lottery([one.public for one in NAMES[1:]], 5, b""), NAMES[0])
