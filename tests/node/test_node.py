"""A node: what it recommends, what it refuses to learn from, and what its messages give away."""

from typing import NamedTuple

import numpy as np
import pytest

import sottovoce
from sottovoce.errors import DataError, MessageError, RunError
from sottovoce.exchange import codec
from sottovoce.exchange.compression.quantize import Quantize
from sottovoce.exchange.compression.subsample import Subsample
from sottovoce.exchange.message import UPDATE
from sottovoce.exchange.steps.interface import protect
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import score
from sottovoce.models.mf import MF
from sottovoce.node import Community, Node
from tests.node.simulated import ITEMS, opened, pair, whole_model


@pytest.mark.usefixtures("uncompiled")
def test_the_best_items_that_are_not_in_the_history():
    """Neither training items nor weighting items, and not what was learnt since."""
    community = Community(ITEMS, MF(factors=3))
    mine = Node(community, ITEMS[:3], b"k" * 16, weighting=["film 5"], candidates=4)
    mine.train()
    mine.learn(["film 9"])
    left = [n for n in range(12) if n not in (0, 1, 2, 5, 9)]
    by_score = {n: float(score(community.model, mine._tables, 0, mine._people, 0, n)) for n in left}
    expected = sorted(left, key=lambda n: (-by_score[n], n))
    assert len(set(by_score.values())) > 1
    assert [one.item for one in mine.recommend(12)] == [ITEMS[n] for n in expected]
    assert [one.score for one in mine.recommend(3)] == pytest.approx([by_score[n] for n in expected[:3]])
    with pytest.raises(RunError, match="0 recommendations"):
        mine.recommend(0)
    with pytest.raises(DataError, match="'film 99' is not in"):
        mine.recommend(2, here="film 99")
    assert sottovoce.Node is Node


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
    mine.absorb(Node(mine.community, ITEMS[3:8], b"c" * 16).emit())
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


@pytest.mark.parametrize("candidates", [-1, 13])
def test_candidates_come_from_the_catalogue(candidates):
    with pytest.raises(DataError, match=f"{candidates} candidates"):
        Node(Community(ITEMS, MF(factors=3)), candidates=candidates)


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
    updates = []
    for compress in ((), (Quantize(bits=8),)):
        settings = {"compress": compress, "steps": [NoRows()]}
        node = Node(Community(ITEMS, GMF(factors=2, negatives=1), **settings), ITEMS[:4], b"k" * 16)
        sent = node.local_update(whole_model(node.community, node._tables))
        message = codec.decode(sent, node.community.expect, UPDATE)
        assert len(message.rows) == 0
        updates.append(opened(message).head[0])
    assert np.abs(updates[0]).max() > 0
    np.testing.assert_allclose(updates[1], updates[0], atol=np.ptp(updates[0]) / 200)


class NoRows(NamedTuple):
    """Withholds every row."""


@protect.rule(NoRows)
def _no_rows(step, updates, place, people, person, run, round):
    updates.offset[place + 1] = updates.offset[place]
