"""The file of a node: a node that was loaded goes on as before, and hostile files are refused."""

import io
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from sottovoce.errors import RunError
from sottovoce.models.mf import MF
from sottovoce.node import Community, Met, Node
from tests.node.simulated import ITEMS, pair


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


def test_a_file_keeps_the_weighting_set_and_times(tmp_path: Path):
    community = Community(ITEMS, MF(factors=3))
    history = [Met("film 2", 4.0, 30), Met("film 1", 5.0, 10)]
    node = Node(community, history, b"k" * 16, weighting=["film 5", "film 6"], candidates=4)
    node.save(tmp_path / "one.node")
    again = Node.load(tmp_path / "one.node", community)
    assert again.key == node.key
    for name in ("item", "value", "time"):
        np.testing.assert_array_equal(getattr(again._train, name), getattr(node._train, name))
        np.testing.assert_array_equal(getattr(again._weighting, name), getattr(node._weighting, name))
    np.testing.assert_array_equal(again._people.weighting_candidates, node._people.weighting_candidates)
    assert again._people.weighting_candidates.shape == (2, 4)


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


def test_a_file_is_for_its_owner_and_hostile_ones_are_refused(tmp_path: Path):
    community = Community(ITEMS, MF(factors=3))
    path = tmp_path / "one.node"
    Node(community, ITEMS[:3]).save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
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
    for name, wrong in (
        ("rows", np.full((12, 4), 1e30, np.float32)),
        ("user", np.full((1, 4), 1e30, np.float32)),
    ):
        refused("does not fit", **{f"{name}.npy": array(wrong)})
    refused("does not fit", **{"clock.npy": array(np.array([2**30], np.int32))})
    refused("does not fit", **{"counters.npy": array(np.array([2**62, 0, 0]))})
    refused("does not fit", **{"counters.npy": array(np.array([0, 0]))})
    refused("an item twice", **{"train item.npy": array(np.array([1, 1, 2], np.int32))})
    refused("order of time", **{"train time.npy": array(np.array([3, 2, 1], np.int64))})
    refused("order of time", **{"train time.npy": array(np.array([-1, 2, 3], np.int64))})
    refused("not whole", **{"train value.npy": array(np.zeros(2, np.float32))})
