"""Each message counts once, in any order, and a node's own never."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError, RunError
from sottovoce.exchange import codec
from sottovoce.models.mf import MF
from sottovoce.node import Community, Node, senders
from sottovoce.node.senders import MOST, WINDOW, Senders
from tests.node.simulated import ITEMS, pair, snapshot, unchanged


@pytest.mark.usefixtures("uncompiled")
def test_replays_and_ones_own_messages_are_refused_and_change_nothing(tmp_path):
    mine, peer = pair()
    letters = [peer.emit() for _ in range(4)]
    mine.absorb(letters[2])
    mine.absorb(letters[0])  # overtaken on its way
    own = mine.emit()
    mine.save(tmp_path / "node")
    for node in (mine, Node.load(tmp_path / "node", mine.community)):
        before = snapshot(node)
        for again in (letters[0], letters[2]):
            with pytest.raises(MessageError, match="was taken before"):
                node.absorb(again)
        with pytest.raises(MessageError, match="node's own"):
            node.absorb(own)
        unchanged(node, before)
        node.absorb(letters[1])
        assert node.received == 3


@pytest.mark.usefixtures("uncompiled")
def test_a_model_that_is_passed_on_is_a_message_of_whoever_passes_it_on():
    mine, peer = pair()
    third = Node(mine.community, ITEMS[6:9], b"c" * 16)
    third.absorb(peer.emit(relay=True))
    mine.absorb(peer.emit())
    mine.absorb(third.emit(relay=True))  # the same model over another way
    np.testing.assert_array_equal(mine._tables.rows, peer._tables.rows)
    assert mine.received == 2


@pytest.mark.usefixtures("uncompiled")
def test_a_message_that_was_refused_was_not_taken():
    mine, peer = pair()
    letter = peer.emit()
    message = codec.decode(letter, mine.community.expect)
    with pytest.raises(MessageError, match="is the limit"):
        mine.absorb(codec.encode(message._replace(rows=message.rows + 5000)))
    mine.absorb(letter)


@given(st.lists(st.integers(0, 200), max_size=60))
def test_a_message_is_taken_unless_it_was_before_or_is_too_old(numbers):
    """Compared with a set of all that was taken."""
    known, taken = Senders(own=9), set()
    for number in numbers:
        fresh = number not in taken and number > max(taken, default=-1) - WINDOW
        if fresh:
            known.check(1, number)
            known.note(1, number)
            taken.add(number)
        else:
            with pytest.raises(MessageError, match=r"taken before|older than number"):
                known.check(1, number)
        known.check(2, number)


def test_many_senders_do_not_fill_the_memory():
    known = Senders(own=0)
    for sender in range(2, MOST + 4):
        known.note(sender, 2**64 - 1)
        known.note(1, sender)
    array = known.packed()[senders.NAME]
    assert array.shape == (MOST, 3)
    assert 1 in array[:, 0]
    assert 2 not in array[:, 0], "silent for longest"
    again = Senders(own=0)
    assert again.put_back(known.packed())
    assert again.packed()[senders.NAME].tolist() == array.tolist()


@pytest.mark.parametrize("name", ["senders", "rounds"])
def test_a_file_that_forgets_what_was_taken_is_refused(name, tmp_path):
    community = Community(ITEMS, MF(factors=3))
    node = Node(community, ITEMS[:3])
    node.senders.note(5, 7)
    node.rounds.begin(bytes(32))
    node.save(tmp_path / "node.npz")
    arrays = dict(np.load(tmp_path / "node.npz", allow_pickle=False))
    many = np.zeros((MOST + 1, arrays[name].shape[1]), arrays[name].dtype)
    twice = np.concatenate([arrays[name], arrays[name]])
    for wrong in (arrays[name].astype(np.int64), arrays[name][:, 1:], arrays[name][0], many, twice):
        np.savez(tmp_path / "wrong.npz", **(arrays | {name: wrong}))
        with pytest.raises(RunError, match=r"damaged|cannot be read"):
            Node.load(tmp_path / "wrong.npz", community)
    del arrays[name]
    np.savez(tmp_path / "wrong.npz", **arrays)
    with pytest.raises(RunError, match="cannot be read"):
        Node.load(tmp_path / "wrong.npz", community)
