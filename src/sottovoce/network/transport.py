"""Frames over a stream socket: four bytes of length (u32, little-endian), then that many bytes.

The socket's own timeout, if it has one, bounds a whole frame, so a peer that sends a byte now and
then cannot hold a node up. After any error the stream is out of step: close it.
"""

import contextlib
import socket
import struct
import time

from sottovoce.errors import MessageError

_LENGTH = struct.Struct("<I")


def send_frame(sock: socket.socket, data: bytes) -> None:
    """Send `data` as one frame."""
    if len(data) >= 2**32:
        raise MessageError(f"A frame of {len(data)} bytes is too long to send.")
    try:
        sock.sendall(_LENGTH.pack(len(data)) + data)
    except TimeoutError:
        raise MessageError(f"The peer did not take {len(data)} bytes in time.") from None
    except OSError as error:
        raise MessageError(f"The connection broke while sending: {error}.") from None


def receive_frame(sock: socket.socket, limit: int) -> bytes:
    """The next frame, of at most `limit` bytes."""
    timeout = sock.gettimeout()
    deadline = None if timeout is None else time.monotonic() + timeout
    try:
        (length,) = _LENGTH.unpack(_receive(sock, _LENGTH.size, deadline))
        if length > limit:
            raise MessageError(f"The peer announces {length} bytes, and at most {limit} are accepted.")
        return _receive(sock, length, deadline)
    except TimeoutError:
        raise MessageError(f"The peer sent no whole frame within {timeout:g} seconds.") from None
    except OSError as error:
        raise MessageError(f"The connection broke while receiving: {error}.") from None
    finally:
        with contextlib.suppress(OSError):  # of a socket that is closed by now
            sock.settimeout(timeout)


def _receive(sock: socket.socket, count: int, deadline: float | None) -> bytes:
    """Exactly `count` bytes."""
    data = bytearray(count)
    rest = memoryview(data)
    while rest:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            sock.settimeout(left)
        got = sock.recv_into(rest)
        if got == 0:
            raise MessageError(f"The peer closed the connection, {len(rest)} bytes before the end.")
        rest = rest[got:]
    return bytes(data)
