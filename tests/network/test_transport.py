"""Frames between two ends of a real stream, and everything that can go wrong with one."""

import itertools
import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import ClassVar, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.network.transport import receive_frame, send_frame


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    with one, other:
        one.settimeout(5)
        other.settimeout(5)
        yield one, other


@given(st.lists(st.binary(max_size=300), max_size=5))
def test_frames_arrive_whole_and_in_order(frames: list[bytes]) -> None:
    one, other = socket.socketpair()
    with one, other:
        for frame in frames:
            send_frame(one, frame)
        assert [receive_frame(other, limit=300) for _ in frames] == frames


def test_a_long_frame_over_tcp() -> None:
    """Far more than a socket's buffers hold, so both sides see partial reads and writes."""
    data = bytes(range(256)) * 40_000
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname(), timeout=10)
        sender = threading.Thread(target=send_frame, args=(client, data))
        connection, _ = server.accept()
        with client, connection:
            connection.settimeout(10)
            sender.start()
            assert receive_frame(connection, limit=len(data)) == data
            sender.join()


def test_a_frame_in_single_bytes(ends: tuple[socket.socket, socket.socket]) -> None:
    def drip() -> None:
        for byte in struct.pack("<I", 5) + b"hello":
            ends[0].sendall(bytes([byte]))
            time.sleep(0.002)

    sender = threading.Thread(target=drip)
    sender.start()
    assert receive_frame(ends[1], limit=5) == b"hello"
    sender.join()
    assert ends[1].gettimeout() == 5


def test_a_frame_beyond_the_limit_is_not_read(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[0].sendall(struct.pack("<I", 2**32 - 1))
    with pytest.raises(MessageError, match="announces 4294967295 bytes, and at most 100"):
        receive_frame(ends[1], limit=100)


@pytest.mark.parametrize(("sent", "missing"), [(b"", 4), (b"\5\0", 2), (b"\5\0\0\0he", 3)])
def test_a_peer_that_closes(ends: tuple[socket.socket, socket.socket], sent: bytes, missing: int) -> None:
    ends[0].sendall(sent)
    ends[0].close()
    with pytest.raises(MessageError, match=f"closed the connection, {missing} bytes"):
        receive_frame(ends[1], limit=100)


@pytest.mark.parametrize("sent", [b"", b"\5\0\0\0he"])
def test_a_peer_that_stops(ends: tuple[socket.socket, socket.socket], sent: bytes) -> None:
    ends[0].sendall(sent)
    ends[1].settimeout(0.05)
    with pytest.raises(MessageError, match=r"no whole frame within 0\.05 seconds"):
        receive_frame(ends[1], limit=100)
    assert ends[1].gettimeout() == 0.05


def test_a_peer_that_drips_cannot_stretch_the_timeout(ends: tuple[socket.socket, socket.socket]) -> None:
    stop = threading.Event()

    def drip() -> None:
        ends[0].sendall(struct.pack("<I", 1000))
        while not stop.wait(0.02):
            ends[0].sendall(b"x")

    sender = threading.Thread(target=drip)
    sender.start()
    ends[1].settimeout(0.3)
    began = time.monotonic()
    with pytest.raises(MessageError, match="no whole frame"):
        receive_frame(ends[1], limit=1000)
    stop.set()
    sender.join()
    assert time.monotonic() - began < 10


def test_each_read_may_only_take_what_is_left_of_the_timeout(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    class Slow:
        """A socket that gives one byte at a time and remembers how long it was allowed to wait."""

        allowed: ClassVar[list[float]] = []
        settimeout = allowed.append

        def gettimeout(self) -> float:
            return 5.0

        def recv_into(self, buffer: memoryview) -> int:
            time.sleep(0.001)
            return ends[1].recv_into(buffer[:1])

    send_frame(ends[0], b"hello")
    assert receive_frame(cast(socket.socket, Slow()), limit=5) == b"hello"
    *during, after = Slow.allowed
    assert len(during) == 9
    assert all(5 >= one > next for one, next in itertools.pairwise(during))
    assert after == 5


def test_a_peer_that_does_not_read(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[0].settimeout(0.05)
    with pytest.raises(MessageError, match="did not take"):
        send_frame(ends[0], bytes(50_000_000))


def test_a_peer_that_is_gone(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].close()
    with pytest.raises(MessageError, match="broke while sending"):
        send_frame(ends[0], bytes(50_000_000))


def test_a_socket_that_was_closed_here(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].close()
    with pytest.raises(MessageError, match="broke while receiving"):
        receive_frame(ends[1], limit=10)
