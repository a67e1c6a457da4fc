"""Paillier keys and ciphertexts as bytes: a versioned binary format, little-endian, without padding.

| bytes | type | what                                                                  |
|-------|------|-----------------------------------------------------------------------|
| 4     |      | magic, "SVPA"                                                         |
| 1     | u8   | version of the format, 1                                              |
| 1     | u8   | kind: 0 = a public key, 1 = a secret key, 2 = a vector of ciphertexts |
| 2     | u16  | b, the length of the key in bits                                      |
| 8     |      | which key: the first bytes of the SHA-256 of n                        |
| 4     | u32  | c, how many numbers follow: 1 of a public key, 2 of a secret key      |
| c·s   |      | the numbers, s bytes each                                             |

s is b / 8 for n, b / 16 for p and q, and b / 4 for a ciphertext. b is at most 4,096 and c at most 2^24. The
receiver knows which b and c to expect, and compares them and the length before it reads any number.
"""

import hashlib
import struct
from collections.abc import Iterable

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.optional import needed
from sottovoce.exchange.homomorphic.paillier import PublicKey, SecretKey

MAGIC, VERSION = b"SVPA", 1
PUBLIC, SECRET, VECTOR = range(3)
MOST = 2**24
"""The most ciphertexts in a vector."""
_NAMES = {PUBLIC: "a public key", SECRET: "a secret key", VECTOR: "a vector of ciphertexts"}
_HEADER = struct.Struct("<4sBBH8sI")


def key_id(key: PublicKey) -> bytes:
    """Eight bytes that tell this key from others."""
    n = int(key.n)
    return hashlib.sha256(n.to_bytes(n.bit_length() // 8 + 1, "little")).digest()[:8]


def _width(kind: int, bits: int) -> int:
    """How many bytes one number takes."""
    return {PUBLIC: bits // 8, SECRET: bits // 16, VECTOR: bits // 4}[kind]


def size(count: int, bits: int) -> int:
    """The length in bytes of a vector of so many ciphertexts."""
    return _HEADER.size + count * _width(VECTOR, bits)


def key_sizes(bits: int) -> tuple[int, int]:
    """The lengths in bytes of a public and of a secret key."""
    return _HEADER.size + _width(PUBLIC, bits), _HEADER.size + 2 * _width(SECRET, bits)


def _encode(kind: int, key: PublicKey, numbers: Iterable[int]) -> bytes:
    width = _width(kind, key.bits)
    body = [int(number).to_bytes(width, "little") for number in numbers]
    if len(body) > MOST:
        raise MessageError(f"{len(body)} ciphertexts are more than the format holds ({MOST}).")
    return b"".join((_HEADER.pack(MAGIC, VERSION, kind, key.bits, key_id(key), len(body)), *body))


def _decode(data: bytes, kind: int, bits: int, count: int) -> tuple[bytes, list[int]]:
    """Which key, and the numbers, if the data are of this kind, key length and count."""
    if len(data) < _HEADER.size:
        raise MessageError(f"{len(data)} bytes are too few for {_NAMES[kind]}.")
    magic, version, found, length, which, announced = _HEADER.unpack_from(data)
    if magic != MAGIC or found != kind:
        raise MessageError(f"This is not {_NAMES[kind]} of Paillier's cryptosystem.")
    if version != VERSION:
        raise MessageError(
            f"{_NAMES[kind].capitalize()} is in version {version} of the format, {VERSION} is understood.",
            "Bring everybody to the same version of Sottovoce.",
        )
    if length != bits or announced != count:
        raise MessageError(
            f"{_NAMES[kind].capitalize()} has {length} bits and {announced} numbers, "
            f"and {bits} bits and {count} numbers were expected.",
            "All participants and the server need the same settings.",
        )
    width = _width(kind, bits)
    if len(data) != _HEADER.size + count * width:
        raise MessageError(
            f"{_NAMES[kind].capitalize()} has {len(data)} bytes, "
            f"and {_HEADER.size + count * width} were announced."
        )
    read = needed("gmpy2").mpz.from_bytes
    begins = range(_HEADER.size, len(data), width)
    return which, [read(data[at : at + width], byteorder="little") for at in begins]


def encode_public(key: PublicKey) -> bytes:
    """A public key as bytes."""
    return _encode(PUBLIC, key, [key.n])


def decode_public(data: bytes, bits: int) -> PublicKey:
    """The public key of this many bits in `data`."""
    which, (n,) = _decode(data, PUBLIC, bits, 1)
    key = PublicKey(n)
    if key.bits != bits or n % 2 == 0 or needed("gmpy2").is_prime(n) or key_id(key) != which:
        raise MessageError(f"This is not a public key of {bits} bits.", "Let its maker send it again.")
    return key


def encode_secret(key: SecretKey) -> bytes:
    """A secret key as bytes, which only participants may see."""
    return _encode(SECRET, key.public, [key.p, key.q])


def decode_secret(data: bytes, bits: int) -> SecretKey:
    """The secret key of this many bits in `data`."""
    which, (p, q) = _decode(data, SECRET, bits, 2)
    key = SecretKey(p, q)
    key.check(bits)
    if key_id(key.public) != which:
        raise MessageError("The secret key is not the one that it is named as.")
    return key


def encode_vector(key: PublicKey, ciphertexts: Iterable[int]) -> bytes:
    """A vector of ciphertexts under this key as bytes."""
    return _encode(VECTOR, key, ciphertexts)


def decode_vector(data: bytes, key: PublicKey, count: int) -> list[int]:
    """The `count` ciphertexts in `data`, if they are under this key."""
    which, found = _decode(data, VECTOR, key.bits, count)
    if which != key_id(key):
        raise MessageError(
            "A vector of ciphertexts is encrypted with another key.", "Use the key of this group."
        )
    key.check(found)
    return found
