"""What a node lets others see where only sums of groups may leave a device."""

import numpy as np
import pytest

from sottovoce.combine.sums.secure import Secure
from sottovoce.errors import MessageError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.message import UPDATE
from sottovoce.models.als import ALS
from sottovoce.models.mf import MF
from sottovoce.node import Community, Node
from sottovoce.node.secure import SecureServer
from sottovoce.protocols.consensus import Consensus
from tests.node import test_group as peers
from tests.node import test_secure as served
from tests.node.simulated import ITEMS

pytestmark = pytest.mark.usefixtures("uncompiled")
SUM = Secure(threshold=0.6, fewest=1)
GROUPS = Consensus(group=7, fewest=1, spare=1)
MASKED = [{"sum": SUM}, {"consensus": GROUPS}]


def read(node: Node):
    return codec.decode(node.emit(), node.community.expect)


@pytest.mark.parametrize("settings", MASKED)
def test_a_model_that_one_person_trained_is_not_sent(settings, tmp_path):
    """Its rows are those of the person's items, moved by the person's ratings."""
    community = Community(ITEMS, MF(factors=3), **settings)
    node, peer = Node(community, ITEMS[:3]), Node(community, ITEMS[3:6])
    fresh = read(node)
    node.train()
    assert (node._tables.rows != fresh.rows).any()
    node.save(tmp_path / "node")
    for one in (node, Node.load(tmp_path / "node", community)):
        for relay in (False, True):
            with pytest.raises(RunError, match=r"was trained here alone.*only sums of groups"):
                one.emit(relay)
        assert one.sent == 1
        assert len(one.recommend(2)) == 2
    other = Node(community, ITEMS[3:6])
    other.absorb(peer.emit())  # merged and trained
    with pytest.raises(RunError, match="was trained here alone"):
        other.emit()
    other.absorb(peer.emit(relay=True))  # replaced by what everybody knows
    np.testing.assert_array_equal(read(other).rows, fresh.rows)


def test_a_model_that_came_from_the_group_is_sent():
    community = Community(ITEMS, MF(factors=3), consensus=GROUPS)
    nodes = [Node(community, ITEMS[n : n + 4]) for n in range(7)]
    peers.play(nodes)
    np.testing.assert_array_equal(read(nodes[0]).rows, read(nodes[6]).rows)
    nodes[0].train()
    with pytest.raises(RunError, match="was trained here alone"):
        nodes[0].emit()


def test_a_model_that_is_solved_from_sums_is_everybodys():
    """Training solves the person's vector, which does not leave."""
    community = Community(ITEMS, ALS(factors=3), sum=SUM, people=7)
    node = Node(community, ITEMS[:3])
    before = read(node)
    node.train()
    np.testing.assert_array_equal(read(node).rows, before.rows)


@pytest.mark.parametrize("settings", [*MASKED, {"model": ALS(factors=3), "people": 9}])
def test_how_much_a_person_has_is_not_sent(settings):
    community = Community(ITEMS, **({"model": MF(factors=3)} | settings))
    node = Node(community, ITEMS[:2])
    assert read(node).size == 0
    node.learn(ITEMS[4:9])
    assert read(node).size == 0
    assert read(Node(Community(ITEMS, MF(factors=3)), ITEMS[:2])).size == 2, "gossip weighs by it"


def test_a_choice_of_ones_own_rows_does_not_leave_beside_groups():
    with pytest.raises(RunError, match="one's own items first"):
        Community(ITEMS, MF(factors=3), consensus=GROUPS, compress=["subsample"])


def test_a_node_takes_part_in_a_round_once(tmp_path):
    """Two sums of one round differ by what one person learned in between."""
    community = Community(ITEMS, MF(factors=3), sum=SUM)
    node, model, who = Node(community, ITEMS[:3]), SecureServer(community).model(), served.names()
    together = served.group_of(who)
    first, second = (node.secure_update(model, together, who[0]) for _ in range(2))
    first.start()
    node.learn([ITEMS[7]])
    node.save(tmp_path / "node")
    with pytest.raises(MessageError, match="took part in this round before"):
        second.start()
    for one in (node, Node.load(tmp_path / "node", community)):
        with pytest.raises(MessageError, match=r"took part in this round before.*another label"):
            one.secure_update(model, together, who[0])
        one.secure_update(model, served.group_of(who, label=b"again"), who[0]).start()


def test_a_node_takes_part_in_a_sweep_once():
    community = Community(ITEMS, MF(factors=3), consensus=GROUPS)
    node, who = Node(community, ITEMS[:3]), peers.names()
    node.group_update(peers.group_of(who, 1), who[0]).start()
    with pytest.raises(MessageError, match="took part in this round before"):
        node.group_update(peers.group_of(who, 1), who[0])
    node._tables.clock[0] += 1
    node.group_update(peers.group_of(who, 1), who[0]).start()


def test_whose_budget_is_spent_does_not_begin_a_round():
    """Otherwise the others count on a node that falls silent when it should send its vector."""
    share = {"name": "skellam", "length": 1.0, "noise": 2.0, "epsilon": 50.0, "survivors": 5}
    sum = Secure(threshold=0.6, fewest=1, smallest=5)
    community = Community(ITEMS, MF(factors=3), steps=[share], sum=sum, aggregate="simple")
    node, who = Node(community, ITEMS[:3]), served.names()
    node._people.disclosed[0] = community.promise.disclosures
    with pytest.raises(RunError, match="budget is spent"):
        node.secure_update(SecureServer(community).model(), served.group_of(who, sum), who[0])


SHARE = {"name": "skellam", "length": 1.0, "noise": 2.0, "epsilon": 50.0, "survivors": 3}
CLIP = {"name": "clip", "length": 1.0}


@pytest.mark.parametrize(
    "one",
    [
        {"steps": [SHARE]},
        {"steps": [SHARE | {"noise": 3.0}]},
        {"steps": [SHARE | {"length": 0.5}]},
        {"steps": [CLIP]},
        {"steps": [CLIP | {"length": 2.0}]},
        {"sum": SUM._replace(bits=64)},
        {"sum": SUM._replace(threshold=0.7)},
        {"sum": SUM._replace(fewest=2)},
        {"sum": SUM._replace(smallest=4)},
        {"sum": SUM._replace(row_places=19)},
        {"sum": SUM._replace(head_places=11)},
        {"aggregate": "fedavg"},
        {"consensus": GROUPS._replace(group=8)},
        {"consensus": GROUPS._replace(fewest=2)},
        {"consensus": GROUPS._replace(spare=2)},
        {"consensus": GROUPS._replace(modulus=64)},
        {"consensus": GROUPS, "steps": [SHARE]},
        {"consensus": GROUPS, "steps": [CLIP]},
    ],
)
def test_whoever_protects_people_otherwise_is_of_another_community(one):
    """What hides a person in a sum is what the others do: all of it must be alike."""
    usual = {"sum": SUM._replace(smallest=3), "aggregate": "simple"}
    if "consensus" in one:
        usual = {"consensus": GROUPS, "aggregate": "simple"}
    options = usual | one
    mine, theirs = (Community(ITEMS, MF(factors=3), **settings) for settings in (usual, options))
    assert mine.expect.catalogue == theirs.expect.catalogue
    with pytest.raises(MessageError, match="other settings"):
        Node(mine, ITEMS[:3]).absorb(SecureServer(theirs).model())
    again = Community(ITEMS, MF(factors=3), **options)
    assert again.expect == theirs.expect


def test_a_file_is_of_a_community_with_the_same_steps(tmp_path):
    """What was disclosed with little noise would count as disclosed with much."""
    step = {"name": "gaussian", "length": 0.5, "epsilon": 8.0, "disclosures": 2}
    one, other = (Community(ITEMS, MF(factors=3), steps=[step | more]) for more in ({}, {"epsilon": 4.0}))
    Node(one, ITEMS[:3]).save(tmp_path / "node")
    Node.load(tmp_path / "node", one)
    with pytest.raises(RunError, match="other steps"):
        Node.load(tmp_path / "node", other)


def test_one_persons_statistics_leave_only_by_agreement():
    model = {"name": "als", "factors": 2}
    refusing, agreed = (Community(ITEMS, model, people=9, disclose=names) for names in ((), ("statistics",)))
    with pytest.raises(RunError, match="which items the person has"):
        Node(refusing, ITEMS[:3]).local_update(Node(refusing, ITEMS[3:5]).emit())
    update = codec.decode(
        Node(agreed, ITEMS[:3]).local_update(Node(agreed, ITEMS[3:5]).emit()), agreed.expect, UPDATE
    )
    assert len(update.ids) >= 2, "a person of three items holds at most one back, to judge by"
    assert set(update.ids.tolist()) <= {0, 1, 2}, "that is what it tells"
