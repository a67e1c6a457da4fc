"""The cryptographic functions that secure sums are made of, all from the package `cryptography`.

X25519 (RFC 7748) agrees on keys, HKDF with SHA-256 (RFC 5869) derives keys from them, AES-256 in counter
mode (NIST SP 800-38A) is the pseudorandom generator, ChaCha20-Poly1305 (RFC 8439) encrypts shares,
Ed25519 (RFC 8032) signs.
"""

import hashlib
from collections.abc import Callable

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sottovoce.errors import MessageError

KEY = 32
"""Bytes of a key of any kind here, of a seed and of a hash."""
SIGNATURE = 64
TAG = 16
"""Bytes that encryption adds to a text."""

RandomBytes = Callable[[int], bytes]
"""Gives so many random bytes. On a device it is `os.urandom`."""


def repeatable(seed: bytes) -> RandomBytes:
    """Random bytes that follow from a seed. For simulations and tests, never for a device."""
    stream = keystream(hashlib.sha256(seed).digest())

    def random_bytes(count: int) -> bytes:
        return stream.update(bytes(count))

    return random_bytes


def digest(*parts: bytes) -> bytes:
    """SHA-256 over parts, each with its length before it, so that no two lists of parts look alike."""
    state = hashlib.sha256()
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.digest()


def derive(secret: bytes, salt: bytes, info: bytes, length: int = KEY) -> bytes:
    """A key from a secret that two parties agree on: HKDF with SHA-256."""
    return HKDF(SHA256(), length, salt, info).derive(secret)


def keystream(key: bytes, counter: bytes = bytes(16)) -> CipherContext:
    """AES-256 in counter mode. What it makes of zeros is the pseudorandom stream of the key."""
    return Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()


class AgreementKey:
    """A private X25519 key."""

    def __init__(self, private: bytes) -> None:
        self.private = private
        self._key = X25519PrivateKey.from_private_bytes(private)
        self.public = self._key.public_key().public_bytes_raw()

    def agree(self, public: bytes) -> bytes:
        """The secret shared with the owner of a public key.

        A point of small order gives zeros whatever the private key is. Everybody would know that secret,
        so it is refused (RFC 7748, Section 6.1).
        """
        try:
            return self._key.exchange(X25519PublicKey.from_public_bytes(public))
        except ValueError:
            raise MessageError(
                "A public key is a point of small order, or not a key at all.",
                "Its owner has to draw another key.",
            ) from None


class Identity:
    """A long-term Ed25519 key, by whose public half a participant is known."""

    def __init__(self, private: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(private)
        self.public = self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def is_signed(identity: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the owner of a public identity signed this message."""
    try:
        Ed25519PublicKey.from_public_bytes(identity).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def encrypt(key: bytes, text: bytes, about: bytes) -> bytes:
    """Encrypt one text, and authenticate it and what it is about.

    The nonce is zero: a key must encrypt a single text.
    """
    return ChaCha20Poly1305(key).encrypt(bytes(12), text, about)


def decrypt(key: bytes, box: bytes, about: bytes) -> bytes:
    """The text that `encrypt` was given with the same key and the same `about`."""
    try:
        return ChaCha20Poly1305(key).decrypt(bytes(12), box, about)
    except InvalidTag:
        raise MessageError(
            "An encrypted share was changed on its way, or is meant for another round, group or person.",
            "Begin the round again, without the client that sent it if that happens twice.",
        ) from None
