"""How a secret key gets from one participant to the others (Appendix C.1), unseen by the server between them.

Each participant has a key pair of X25519 for a long time, its identity. The secret key is encrypted with
ChaCha20-Poly1305 to one participant at a time, under a key that HKDF-SHA256 derives from two agreements: of a
fresh pair with the recipient's identity, and of both identities. The second tells the recipient who sent it.

All rests on the roster, everybody's public identity keys. A server that hands out a roster with a key of its
own in it receives the secret key like a participant. So the roster has to come from elsewhere, or
participants compare its `fingerprint` outside of the server's reach.
"""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sottovoce.errors import MessageError

_KEY = 32
OVERHEAD = _KEY + 16
"""How many bytes longer a wrapped key is than what is in it: a fresh public key, and a tag."""


class Identity(NamedTuple):
    """A participant's key pair."""

    secret: bytes
    public: bytes


def identity() -> Identity:
    """A new key pair from the operating system's generator."""
    key = X25519PrivateKey.generate()
    return Identity(key.private_bytes_raw(), key.public_key().public_bytes_raw())


def fingerprint(roster: Mapping[int, bytes]) -> str:
    """A hash of who takes part, for people to compare."""
    digest = hashlib.sha256(b"sottovoce roster")
    for number in sorted(roster):
        digest.update(number.to_bytes(4, "little") + roster[number])
    return digest.hexdigest()


def maker(roster: Mapping[int, bytes]) -> int:
    """The participant that makes the keys: one drawn by a hash of the roster, which all can repeat.

    Who may choose the roster can choose the maker. That gains nothing: every participant holds the same key.
    """
    seed = bytes.fromhex(fingerprint(roster))
    return min(roster, key=lambda number: hashlib.sha256(seed + number.to_bytes(4, "little")).digest())


def _agree(secret: bytes, public: bytes) -> bytes:
    try:
        theirs = X25519PublicKey.from_public_bytes(public)
        return X25519PrivateKey.from_private_bytes(secret).exchange(theirs)
    except ValueError:
        raise MessageError(
            "A public key of X25519 is not valid.", "Compare the roster with the other participants."
        ) from None


def _cipher(agreed: bytes, context: bytes) -> ChaCha20Poly1305:
    derived = HKDF(SHA256(), _KEY, salt=None, info=b"sottovoce homomorphic key" + context)
    return ChaCha20Poly1305(derived.derive(agreed))


def _context(sender: int, to: int, roster: Mapping[int, bytes], fresh: bytes) -> bytes:
    if sender not in roster or to not in roster:
        raise MessageError(
            f"Participant {to if sender in roster else sender} is not in the roster.",
            "Compare the roster with the other participants.",
        )
    numbers = sender.to_bytes(4, "little") + to.to_bytes(4, "little")
    return numbers + roster[sender] + roster[to] + fresh


def wrap(secret: bytes, me: Identity, number: int, to: int, roster: Mapping[int, bytes]) -> bytes:
    """Encrypt a secret key to participant `to`."""
    fresh = identity()
    context = _context(number, to, roster, fresh.public)
    agreed = _agree(fresh.secret, roster[to]) + _agree(me.secret, roster[to])
    # The key is derived from a fresh pair and used once, so the nonce may be constant.
    return fresh.public + _cipher(agreed, context).encrypt(bytes(12), secret, context)


def unwrap(wrapped: bytes, me: Identity, number: int, sender: int, roster: Mapping[int, bytes]) -> bytes:
    """The secret key that `sender` encrypted to this participant."""
    if len(wrapped) < OVERHEAD:
        raise MessageError(f"{len(wrapped)} bytes are too few for an encrypted key.")
    fresh, sealed = wrapped[:_KEY], wrapped[_KEY:]
    context = _context(sender, number, roster, fresh)
    agreed = _agree(me.secret, fresh) + _agree(me.secret, roster[sender])
    try:
        return _cipher(agreed, context).decrypt(bytes(12), sealed, context)
    except InvalidTag:
        raise MessageError(
            f"A secret key was not encrypted by participant {sender} to participant {number}.",
            "Compare the roster with the other participants.",
        ) from None
