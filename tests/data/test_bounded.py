"""Files are read and unpacked in pieces, and refused beyond a limit."""

import gzip
import io
import os

import pytest

from sottovoce.data import bounded
from sottovoce.errors import DataError


@pytest.fixture
def small(monkeypatch):
    """Little memory, and little pieces."""
    monkeypatch.setattr(bounded, "available_memory", lambda: 4000)
    monkeypatch.setattr(bounded, "_PIECE", 64)


def test_the_limit_is_a_quarter_of_free_memory_and_never_more_than_the_most(monkeypatch):
    monkeypatch.setattr(bounded, "available_memory", lambda: 4000)
    assert bounded.room() == 1000
    monkeypatch.setattr(bounded, "available_memory", lambda: 2**50)
    assert bounded.room() == bounded.MOST


def test_all_pieces_are_put_together(small, tmp_path):
    content = bytes(range(256)) * 3
    (tmp_path / "file").write_bytes(content)
    assert bounded.whole(tmp_path / "file") == content
    assert bounded.unpack(gzip.compress(content), "here") == content
    assert bounded.unpack(gzip.compress(gzip.compress(content)), "here") == content
    assert bounded.unpack(content, "here") == content
    assert bounded.pieces(io.BytesIO(b"").read, "here") == b""


def test_what_unpacks_to_too_much_is_not_unpacked_to_its_end(small):
    read = 0

    def endless(size):
        nonlocal read
        read += size
        return bytes(size)

    with pytest.raises(DataError, match="here holds more than"):
        bounded.pieces(endless, "here")
    assert read <= 1000 + 64
    with pytest.raises(DataError, match="bomb holds more than"):
        bounded.unpack(gzip.compress(bytes(100_000)), "bomb")
    with pytest.raises(DataError, match="here holds more than"):
        bounded.pieces(io.BytesIO(b"little").read, "here", declared=1001)


def test_damaged_and_nested_archives(small):
    raw = gzip.compress(b"content" * 20)
    with pytest.raises(DataError, match="not a complete gzip file"):
        bounded.unpack(raw[:-9], "here")
    for _ in range(3):
        raw = gzip.compress(raw)
    with pytest.raises(DataError, match="compressed more than 3 times"):
        bounded.unpack(raw, "here")


def test_what_is_no_file(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        bounded.whole(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="is a pipe or a device"):
        bounded.whole(tmp_path / "pipe")
