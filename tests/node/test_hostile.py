"""Hostile bytes: every refusal is a sentence, and nothing becomes of the node."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sottovoce.errors import DataError, MessageError, RunError, SottovoceError
from sottovoce.exchange import codec
from sottovoce.exchange.compression.quantize import Quantize
from sottovoce.exchange.compression.subsample import Subsample
from sottovoce.models.als import ALS
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.node import Community, Key, Met, Node
from tests.node.simulated import ITEMS, snapshot, unchanged

pytestmark = pytest.mark.usefixtures("uncompiled")
COMMUNITIES = [
    Community(ITEMS, GMF(factors=2, negatives=1)),
    Community(ITEMS, MF(factors=3), compress=[Subsample(share=0.5), Quantize(bits=8)]),
    Community(ITEMS, MF(factors=3), compress=["quantize", "delta"]),
    Community(ITEMS, MF(factors=3), steps=["clip"]),
    Community(ITEMS, ALS(factors=2), people=9),
]
HEADER = {
    "magic": (0, "<4s", [b"GET ", b"\0\0\0\0"]),
    "version": (4, "<B", [0, 1, 3, 255]),
    "kind": (5, "<B", [1, 2, 255]),
    "flags": (6, "<H", [1, 2, 4, 6, 8, 32, 2**16 - 1]),
    "width": (8, "<H", [0, 1, 2**16 - 1]),
    "rows": (10, "<I", [0, 1, 13, 2**31, 2**32 - 1]),
    "head": (14, "<I", [1, 2**31, 2**32 - 1]),
    "clock": (18, "<I", [2**30, 2**31, 2**32 - 1]),
    "size": (22, "<Q", [2**63, 2**64 - 1]),
    "catalogue": (46, "<8s", [bytes(8)]),
    "settings": (54, "<8s", [bytes(8)]),
}


def parts(community):
    mine, peer = (Node(community, ITEMS[n : n + 4], bytes([n]) * 16) for n in (0, 3))
    if not community.solved:
        peer.train()
    peer._tables.clock[0] += 1
    return mine, peer


def sealed(data: bytes) -> bytes:
    """Bytes with a right checksum: whoever means harm computes it."""
    return data + struct.pack("<I", zlib.crc32(data))


def refused(node, data, said=None):
    before = snapshot(node)
    with np.errstate(all="ignore"), pytest.raises(MessageError, match=said) as caught:
        node.absorb(data)
    assert str(caught.value).endswith(".")
    unchanged(node, before)


@pytest.mark.parametrize("community", COMMUNITIES)
@pytest.mark.parametrize("field", HEADER)
def test_a_header_that_lies(community, field):
    mine, peer = parts(community)
    letter = peer.emit()
    at, kind, values = HEADER[field]
    for value in values:
        data = bytearray(letter[:-4])
        before = bytes(data)
        struct.pack_into(kind, data, at, value)
        if bytes(data) != before:
            refused(mine, sealed(bytes(data)))
    mine.absorb(letter)


@pytest.mark.parametrize("community", COMMUNITIES)
@given(st.data())
def test_damaged_bytes_are_refused_or_learnt_from_and_never_half(community, data):
    """Flipped, cut and repeated bytes with a right checksum; whatever is taken leaves a sound node."""
    mine, peer = parts(community)
    letter = bytearray(peer.emit()[:-4])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(letter) - 1))
        how = data.draw(st.sampled_from(["set", "cut", "repeat"]))
        if how == "set":
            letter[at] = data.draw(st.integers(0, 255))
        elif how == "cut":
            del letter[at : at + 4]
        else:
            letter[at:at] = letter[at : at + 4]
        if not letter:
            break
    before = snapshot(mine)
    with np.errstate(all="ignore"):
        try:
            mine.absorb(sealed(bytes(letter)))
        except SottovoceError:
            unchanged(mine, before)
        assert all(np.isfinite(one.score) for one in mine.recommend(12))
        assert all(np.isfinite(a).all() for a in mine._state().values())


@given(st.binary(max_size=200))
@example(b"")
@example(b"SVOC\x02" + bytes(61))
def test_bytes_of_anybody(data):
    mine, _ = parts(COMMUNITIES[0])
    refused(mine, data)
    refused(mine, sealed(data))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rows": np.nan}, "not finite"),
        ({"rows": np.inf}, "not finite"),
        ({"rows": -np.inf}, "not finite"),
        ({"head": np.nan}, "not finite"),
        ({"age": -1}, "negative"),
        ({"age": 2**31 - 1}, "ages"),
    ],
)
def test_numbers_that_are_none(changes, said, monkeypatch):
    mine, peer = parts(COMMUNITIES[0])
    message = codec.decode(peer.emit(), mine.community.expect)
    for name, value in changes.items():
        array = getattr(message, name).copy()
        array.flat[-1] = value
        message = message._replace(**{name: array})
    with monkeypatch.context() as patched:
        patched.setattr(codec, "check", lambda *given: None)
        data = codec.encode(message)
    refused(mine, data, said)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ([0, 0, 1, 2, 3, 4], "do not ascend"),
        ([1, 0, 2, 3, 4, 5], "do not ascend"),
        ([-1, 0, 2, 3, 4, 5], "negative"),
        ([0, 1, 2, 3, 4, 12], "about item 12"),
        ([0, 1, 2, 3, 4, 2**31 - 1], "about item 2147483647"),
    ],
)
def test_items_that_are_none_or_come_twice(ids, said, monkeypatch):
    mine, peer = parts(COMMUNITIES[1])
    message = codec.decode(peer.emit(), mine.community.expect)
    assert len(message.ids) == 6
    with monkeypatch.context() as patched:
        patched.setattr(codec, "check", lambda *given: None)
        data = codec.encode(message._replace(ids=np.array(ids, np.int32)))
    refused(mine, data, said)


def test_codes_that_stand_for_too_much():
    mine, peer = parts(COMMUNITIES[2])
    message = codec.decode(peer.emit(), mine.community.expect)
    refused(mine, codec.encode(message._replace(scale=message.scale + 900)), "is the limit")


def test_a_model_without_rows_teaches_nothing_and_does_no_harm():
    mine, peer = parts(COMMUNITIES[0])
    message = codec.decode(peer.emit(), mine.community.expect)
    some = message._replace(rows=message.rows[:0], age=message.age[:0], ids=message.ids[:0])
    mine.absorb(codec.encode(some))
    mine.absorb(codec.encode(some._replace(relay=True, number=9)))
    assert np.isfinite(mine._tables.rows).all()


@pytest.mark.parametrize("what", [None, 5, "SVOC", [1, 2]])
def test_what_is_no_bytes(what):
    mine, _ = parts(COMMUNITIES[0])
    refused(mine, what, "bytes")
    with pytest.raises(MessageError, match="bytes"):
        mine.local_update(what)


@pytest.mark.parametrize(
    "history",
    [
        {"film 1": np.nan},
        {"film 1": np.inf},
        {"film 1": 1e39},
        {"film 1": "five"},
        {"film 1": None},
        [Met("film 1", 1.0, -1)],
        [Met("film 1", 1.0, 2**63)],
        [Met("film 1", 1.0, 1.5)],
        [Met("film 99")],
        [None],
    ],
)
def test_a_history_that_is_none(history):
    mine, _ = parts(COMMUNITIES[0])
    before, had = snapshot(mine), mine._train
    with np.errstate(all="ignore"), pytest.raises(DataError):
        mine.learn(history)
    unchanged(mine, before)
    assert mine._train is had


def test_questions_that_make_no_sense():
    mine, _ = parts(COMMUNITIES[0])
    for seconds in (-1, 2**31):
        with pytest.raises(DataError, match="seconds"):
            mine.recommend(2, here="film 1", seconds=seconds)
    for n in (0, -5, 1.5, "3"):
        with pytest.raises(RunError, match="recommendations"):
            mine.recommend(n)
    for key in (b"", b"a" * 15, "a" * 16, 7):
        with pytest.raises(RunError, match="key"):
            Node(mine.community, key=key)
    assert Key.simulated(1, 2).name == 2
