"""One message decides nothing for good: what a liar's weights, ages and clocks do to a node."""

import numpy as np
import pytest

from sottovoce.errors import MessageError
from sottovoce.exchange import codec
from sottovoce.models.als import ALS
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.node import Community, Node
from sottovoce.node.bounds import AGES, SWEEPS
from sottovoce.node.unharmed import LEAST, REACH
from tests.node.simulated import ITEMS, pair, snapshot, unchanged, whole_model

pytestmark = pytest.mark.usefixtures("uncompiled")
OLDEST = 2**30 - 1


def lie(node: Node, **changes) -> bytes:
    """A message of a stranger with these parts."""
    message = codec.decode(whole_model(node.community, node._tables), node.community.expect)
    return codec.encode(message._replace(sender=99, number=lie.number, **changes))


lie.number = 0


@pytest.fixture(autouse=True)
def numbers():
    lie.number = 0


def ratings(first: int) -> dict[str, float]:
    return {item: float(1 + n % 5) for n, item in enumerate(ITEMS[first : first + 6])}


def rated() -> list[Node]:
    community = Community(ITEMS, MF(factors=3), scale=(1.0, 5.0))
    return [Node(community, ratings(n), bytes([n]) * 16) for n in (0, 4)]


@pytest.mark.parametrize("value", [3.0, 7.0, 8.0, 10.0, 20.0, 50.0, 300.0, 1000.0, 1e6])
@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=3, negatives=1)])
def test_a_node_is_useful_after_rows_that_are_too_large(value, model):
    """Refused or not: the next honest messages are taken, and scores stay in reach of ratings."""
    community = Community(ITEMS, model, scale=(1.0, 5.0))
    mine, peer = (Node(community, ratings(n), bytes([n]) * 16) for n in (0, 4))
    for _ in range(10):
        mine.absorb(peer.emit())
        peer.absorb(mine.emit())
    shape = mine._tables.rows.shape
    signs = np.where(np.random.default_rng(1).random(shape) < 0.5, -1, 1)
    rows = (value * signs).astype(np.float32)
    before = snapshot(mine)
    with np.errstate(all="ignore"):
        try:
            mine.absorb(lie(mine, rows=rows, age=np.full(len(rows), OLDEST, np.int32), clock=OLDEST))
        except MessageError:
            unchanged(mine, before)
        taken = 0
        for _ in range(40):
            try:
                mine.absorb(peer.emit())
                taken += 1
            except MessageError:
                mine.train()
    assert taken > 20
    own = [abs(float(one.score)) for one in Node.recommend(mine, 12)]
    assert np.isfinite(own).all()
    assert np.abs(mine._people.user).max() < 100


def test_a_message_below_the_bound_that_breaks_a_node_slowly_is_not_for_ever():
    """Training alone diverges then: the model begins anew, with the next honest message."""
    mine, peer = rated()
    mine.absorb(peer.emit())
    mine._tables.rows[:, :-1], mine._people.user[0] = 9.0, 1.0
    mine._tables.age[:] = 1000
    with np.errstate(all="ignore"):
        for _ in range(3):
            mine.absorb(peer.emit())
    assert np.abs(mine._tables.rows).max() < 9
    assert all(abs(one.score) < REACH * max(LEAST, 5) for one in mine.recommend(12))
    before = snapshot(mine)
    with np.errstate(all="ignore"), pytest.raises(MessageError, match="would diverge"):
        mine.absorb(lie(mine, rows=np.full_like(mine._tables.rows, 100), age=np.full(12, 5, np.int32)))
    unchanged(mine, before)


def test_ages_count_up_to_a_bound_and_later_models_still_count():
    mine, peer = rated()
    mine.absorb(peer.emit())
    mine.absorb(lie(mine, age=np.full(12, OLDEST, np.int32), clock=OLDEST))
    most = AGES * mine.community.trainings
    assert mine._tables.age.max() <= most + 1
    before = mine._tables.rows[11].copy()
    peer._tables.rows[11] = before + 1
    peer._tables.age[11] = 100
    mine.absorb(peer.emit())
    moved = float((mine._tables.rows[11] - before).max())
    assert moved > 0.05


def test_a_late_sweep_is_taken_and_does_not_freeze_the_model():
    community = Community(ITEMS, ALS(factors=3), people=9)
    peer = Node(community, ITEMS[:4])

    def sweep(clock, value):
        lie.number += 1
        rows = np.full_like(peer._tables.rows, value)
        return lie(peer, rows=rows, clock=clock)

    newcomer = Node(community, ITEMS[:3])
    newcomer.absorb(sweep(500, 0.5))  # it takes what there is
    assert (newcomer._tables.rows == 0.5).all()
    newcomer.absorb(sweep(OLDEST, 0.125))
    assert newcomer.sweep == 2 * SWEEPS
    newcomer.absorb(sweep(501, 0.25))
    assert (newcomer._tables.rows == 0.25).all()
    established = Node(community, ITEMS[:3])
    for clock in range(1, 11):
        established.absorb(sweep(clock, 0.5))
    assert established.sweep == 10
    established.absorb(sweep(OLDEST, 0.125))
    established.absorb(sweep(10 + SWEEPS, 0.25))
    assert (established._tables.rows == 0.125).all(), "older, for so many sweeps"
    established.absorb(sweep(11 + SWEEPS, 0.25))
    assert (established._tables.rows == 0.25).all()


def test_peers_do_not_send_weights_that_no_model_has():
    mine, _ = pair()
    before = snapshot(mine)
    for value in (1025.0, -1025.0, 1e6):
        rows = mine._tables.rows.copy()
        rows[11, 0] = value
        with pytest.raises(MessageError, match="1024 is the limit"):
            mine.absorb(lie(mine, rows=rows))
    unchanged(mine, before)
