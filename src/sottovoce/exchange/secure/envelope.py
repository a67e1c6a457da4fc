"""What all messages of a secure sum have in common: a header, and the signature of a client.

Little-endian, without padding.

| bytes | type | what                                                                         |
|-------|------|------------------------------------------------------------------------------|
| 4     |      | magic, "SVSA"                                                                |
| 1     | u8   | version of the format, 1                                                     |
| 1     | u8   | kind, see `Kind`                                                             |
| 2     | u16  | the sender's number in the group, 65,535 for the server                      |
| 32    |      | before the session exists a hash of the group, then a hash of the session    |
| 4     | u32  | length of the body                                                           |
|       |      | the body, see `messages`                                                     |
| 64    |      | an Ed25519 signature of kind, sender, hash and body, in clients' messages    |

The server does not sign: a client believes nothing that it says alone. Lists of keys and of survivors
carry signatures of clients, shares are encrypted between clients.
"""

import hashlib
import struct
from enum import IntEnum
from typing import NamedTuple

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.primitives import SIGNATURE, Identity, is_signed

MAGIC = b"SVSA"
VERSION = 1
SERVER = 2**16 - 1
"""What stands in place of a number in messages of the server."""
HEADER = struct.Struct("<4sBBH32sI")


class Kind(IntEnum):
    """What a message is."""

    KEYS = 1
    ROSTER = 2
    SHARES = 3
    INBOX = 4
    MASKED = 5
    SURVIVORS = 6
    CONSISTENCY = 7
    CONFIRMATIONS = 8
    UNMASKING = 9
    ANNOUNCEMENT = 10
    COMMITMENT = 11
    COMMITMENTS = 12
    REVEAL = 13
    REVEALS = 14
    SUMS = 15


FROM_CLIENT = {
    Kind.KEYS,
    Kind.SHARES,
    Kind.MASKED,
    Kind.CONSISTENCY,
    Kind.UNMASKING,
    Kind.COMMITMENT,
    Kind.REVEAL,
}


class Envelope(NamedTuple):
    """A message whose form is right. What it says is not checked yet."""

    kind: Kind
    sender: int
    about: bytes  # the hash of the group or of the session
    body: bytes
    signature: bytes  # empty in a message of the server

    def is_signed_by(self, identity: bytes) -> bool:
        return is_signed(identity, self.signature, signed_text(*self[:4]))


def signed_text(kind: Kind, sender: int, about: bytes, body: bytes) -> bytes:
    """What a client signs. The body is hashed first, because Ed25519 reads its text twice."""
    return (
        b"sottovoce secure sum"
        + struct.pack("<BBH", VERSION, kind, sender)
        + about
        + hashlib.sha256(body).digest()
    )


def from_client(kind: Kind, sender: int, about: bytes, body: bytes, identity: Identity) -> bytes:
    """A client's message as bytes."""
    signature = identity.sign(signed_text(kind, sender, about, body))
    return b"".join((HEADER.pack(MAGIC, VERSION, kind, sender, about, len(body)), body, signature))


def from_server(kind: Kind, about: bytes, body: bytes) -> bytes:
    """A message of the server as bytes."""
    return HEADER.pack(MAGIC, VERSION, kind, SERVER, about, len(body)) + body


def opened(data: bytes) -> Envelope:
    """The message in some bytes, if they have the form of one."""
    if len(data) < HEADER.size:
        raise MessageError(f"{len(data)} bytes are too few for a message of a secure sum.")
    magic, version, kind, sender, about, length = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise MessageError("This is no message of a secure sum: it begins with other bytes.")
    if version != VERSION:
        raise MessageError(
            f"The message is in version {version} of the format, this node understands {VERSION}.",
            "Bring both nodes to the same version of Sottovoce.",
        )
    if kind not in set(Kind):
        raise MessageError(f"The message is of kind {kind}, which version {VERSION} does not define.")
    signature = SIGNATURE if kind in FROM_CLIENT else 0
    if len(data) != HEADER.size + length + signature:
        announced = HEADER.size + length + signature
        raise MessageError(f"The message has {len(data)} bytes, and its header announces {announced}.")
    if (sender == SERVER) == (kind in FROM_CLIENT):
        raise MessageError(f"A message of kind {Kind(kind).name} cannot come from sender {sender}.")
    end = HEADER.size + length
    return Envelope(Kind(kind), sender, about, bytes(data[HEADER.size : end]), bytes(data[end:]))


def size(body: int, signed: bool) -> int:
    """The length in bytes of a message with a body of this length."""
    return HEADER.size + body + SIGNATURE * signed
