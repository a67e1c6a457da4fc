"""What a client draws for one session: keys for a channel, keys for masks, seeds; and what it publishes.

Every sum of a session has a mask key and a seed of its own. Were they shared between two sums, a client
that is in the first and drops out of the second would be stripped: the first sum reveals its seed, the
second its mask key, and both masks of its first vector would be known. (Bonawitz et al., CCS 2017: never
both for one client.) The key of the channel is shared, because only shares pass through it, once.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.envelope import Kind, signed_text
from sottovoce.exchange.secure.group import Group
from sottovoce.exchange.secure.masks import commitment
from sottovoce.exchange.secure.messages import HASH, keys_size, roster_entry, unpack_list
from sottovoce.exchange.secure.primitives import KEY, AgreementKey, RandomBytes, derive, digest, is_signed


class PublicKeys(NamedTuple):
    """What a client publishes for a session, and its own signature under it."""

    channel: bytes
    masks: tuple[bytes, ...]  # of each sum
    commitments: tuple[bytes, ...]  # a hash of the seed of each sum
    body: bytes
    signature: bytes


class SecretKeys:
    """What a client draws for a session. Nothing of it is used in another."""

    def __init__(self, who: int, sums: int, random_bytes: RandomBytes) -> None:
        self.channel = AgreementKey(random_bytes(KEY))
        self.masks = [AgreementKey(random_bytes(KEY)) for _ in range(sums)]
        self.seeds = [random_bytes(KEY) for _ in range(sums)]
        hashes = [commitment(seed, who, number) for number, seed in enumerate(self.seeds)]
        self.body = b"".join([self.channel.public, *(key.public for key in self.masks), *hashes])

    @property
    def secrets(self) -> list[bytes]:
        """What is shared: of each sum the private mask key, then the seed."""
        pairs = zip(self.masks, self.seeds, strict=True)
        return [secret for key, seed in pairs for secret in (key.private, seed)]


def public_keys(body: bytes, signature: bytes, sums: int) -> PublicKeys:
    """The keys in the body of a message of kind KEYS."""
    if len(body) != keys_size(sums):
        raise MessageError(f"Keys for {sums} sums have {keys_size(sums)} bytes, and here are {len(body)}.")
    parts = tuple(body[start : start + KEY] for start in range(0, len(body), KEY))
    return PublicKeys(parts[0], parts[1 : sums + 1], parts[sums + 1 :], body, signature)


def read_roster(body: bytes, group: Group) -> dict[int, PublicKeys]:
    """The keys that the server says others published, if they did, and each key is there once."""
    entries = unpack_list(body, roster_entry(group.sums), len(group))
    roster = {}
    for entry in entries:
        who, keys, signature = int(entry["who"]), entry["keys"].tobytes(), entry["signature"].tobytes()
        if not is_signed(group.identities[who], signature, signed_text(Kind.KEYS, who, group.context, keys)):
            raise MessageError(
                f"The keys of participant {who} are not signed by it, or it sees another group.",
                "Begin the round again, with the same group for everybody.",
            )
        roster[who] = public_keys(keys, signature, group.sums)
    refuse_repeated(roster.values())
    return roster


def refuse_repeated(published: Iterable[PublicKeys]) -> None:
    """Refuse keys of which two are equal: somebody repeats a key of another, or uses one for two things."""
    every = [key for keys in published for key in (keys.channel, *keys.masks)]
    if len(set(every)) < len(every):
        raise MessageError("Two public keys of a round are equal.", "Their owners have to draw others.")


def session_hash(group: Group, roster: bytes) -> bytes:
    """What names a session: the group and everybody's fresh keys. It never comes again."""
    return digest(b"sottovoce session", group.context, roster)


def box_key(agreed: bytes, session: bytes, sender: int, receiver: int) -> bytes:
    """The key of the one box that a sender encrypts for a receiver in a session."""
    return derive(agreed, session, b"sottovoce box" + struct.pack("<HH", sender, receiver))


def share_hashes(shares: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Hashes [people, secrets, 16] by which the server recognises shares [people, secrets, 32]."""
    hashes = [digest(b"share", share.tobytes())[:HASH] for share in shares.reshape(-1, KEY)]
    return np.frombuffer(b"".join(hashes), np.uint8).reshape(*shares.shape[:2], HASH)


def survivors_hash(session: bytes, bound: bytes, survivors: Sequence[int]) -> bytes:
    """What clients sign in the consistency check: the session, what is summed, whose vectors are in it."""
    return digest(b"survivors", session, bound, struct.pack(f"<{len(survivors)}H", *survivors))
