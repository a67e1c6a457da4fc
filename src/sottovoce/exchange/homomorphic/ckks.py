"""CKKS as a scheme, through TenSEAL: thousands of numbers in one ciphertext, approximately.

Cheon, Kim, Kim and Song, *Homomorphic Encryption for Arithmetic of Approximate Numbers*, ASIACRYPT 2017.

| parameter            | value  | why                                                                 |
|----------------------|--------|---------------------------------------------------------------------|
| polynomial's degree  | 8,192  | 4,096 numbers in a ciphertext                                       |
| coefficients' moduli | 60, 60 | bits: one for the data, one that is dropped at encryption. 120 bits |
|                      |        | in all; 218 are allowed at this degree for 128 bits of security     |
| scale                | 2^48   | numbers are divided by their limit first, so sums of 1,024 of them  |
|                      |        | stay below 2^58, half of what the data's modulus can tell apart     |

Precision: encryption adds noise to each number, whose standard deviation is 2^−37.5 of the limit (measured;
it comes from rounding by the dropped modulus). A sum of k ciphertexts is taken to be off by at most
√k · 2^−33, more than twenty standard deviations. Numbers are rounded to the grid of `Fixed` before
encryption, and sums after decryption. Where the bound is below half a step (`error` is 0), the sum of
integers comes out exactly.

Decrypted numbers carry noise that depends on the secret key. Whoever receives many of them without having
the key can compute it (Li and Micciancio, EUROCRYPT 2021). Here only holders of the key decrypt, and they
round; a decrypted sum must not be published unrounded.

Vectors and keys as bytes, little-endian. TenSEAL's own form, protobuf, stands inside; lengths are bounded
before it is read.

| bytes | type | what                                                                       |
|-------|------|----------------------------------------------------------------------------|
| 4     |      | magic, "SVCK"                                                              |
| 1     | u8   | version of the format, 1                                                   |
| 1     | u8   | kind: 0 = a public key, 1 = a secret key, 2 = a vector                     |
| 8     |      | which key: drawn at random by its maker                                    |
| 4     | u32  | how many numbers a vector holds; 0 of a key                                |
| …     |      | u32 length and bytes of each ciphertext of 4,096 numbers, or of a context  |
"""

import functools
import math
import secrets
import struct
from typing import Any, NamedTuple

import numpy as np

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.fixed import Fixed
from sottovoce.exchange.homomorphic.optional import needed
from sottovoce.exchange.homomorphic.scheme import Numbers

DEGREE, MODULI, SCALE = 8192, (60, 60), 2**48
SLOTS = DEGREE // 2
MOST_TERMS = 1024
"""How many ciphertexts may be added."""
NOISE = 2.0**-33
"""How far one ciphertext may be off, as a share of the limit."""
MAGIC, VERSION = b"SVCK", 1
PUBLIC, SECRET, VECTOR = range(3)
_NAMES = {PUBLIC: "a public key", SECRET: "a secret key", VECTOR: "a vector of ciphertexts"}
_HEADER, _LENGTH = struct.Struct("<4sBB8sI"), struct.Struct("<I")
# Two polynomials with 8 bytes a coefficient and modulus, and room for TenSEAL's own headers.
_LONGEST = {PUBLIC: 32 * DEGREE + 1024, SECRET: 48 * DEGREE + 1024, VECTOR: 16 * DEGREE + 1024}
_KEYS = ("public_key", "secret_key", "galois_keys", "relin_keys")


def _serialize(context: Any, *keys: str) -> bytes:
    """A context with these keys and no others."""
    return bytes(context.serialize(**{f"save_{key}": key in keys for key in _KEYS}))


def _fresh() -> Any:
    """A context with new keys."""
    tenseal = needed("tenseal")
    moduli = list(MODULI)
    context = tenseal.context(tenseal.SCHEME_TYPE.CKKS, DEGREE, coeff_mod_bit_sizes=moduli, n_threads=1)
    context.global_scale = SCALE
    return context


@functools.cache
def _parameters() -> bytes:
    """A context without any key: its parameters."""
    return _serialize(_fresh())


def _write(kind: int, which: bytes, count: int, parts: list[bytes]) -> bytes:
    body = [piece for part in parts for piece in (_LENGTH.pack(len(part)), part)]
    return b"".join((_HEADER.pack(MAGIC, VERSION, kind, which, count), *body))


def _read(data: bytes, kind: int, count: int = 0) -> tuple[bytes, list[bytes]]:
    """Which key, and the pieces that TenSEAL understands; there are as many as `count` numbers need."""
    if len(data) < _HEADER.size:
        raise MessageError(f"{len(data)} bytes are too few for {_NAMES[kind]}.")
    magic, version, found, which, announced = _HEADER.unpack_from(data)
    if magic != MAGIC or found != kind:
        raise MessageError(f"This is not {_NAMES[kind]} of CKKS.")
    if version != VERSION:
        raise MessageError(
            f"{_NAMES[kind].capitalize()} is in version {version} of the format, {VERSION} is understood.",
            "Bring everybody to the same version of Sottovoce.",
        )
    if announced != count:
        raise MessageError(
            f"An encrypted vector has {announced} numbers, and {count} were expected.",
            "All participants and the server need the same settings.",
        )
    parts, at = [], _HEADER.size
    for _ in range(1 if kind != VECTOR else -(-count // SLOTS)):
        length = _LENGTH.unpack_from(data, at)[0] if len(data) >= at + _LENGTH.size else 0
        if not 0 < length <= min(_LONGEST[kind], len(data) - at - _LENGTH.size):
            raise MessageError(f"{_NAMES[kind].capitalize()} has a length that cannot be.", "Send it again.")
        parts.append(data[at + _LENGTH.size : at + _LENGTH.size + length])
        at += _LENGTH.size + length
    if at != len(data):
        raise MessageError(f"{_NAMES[kind].capitalize()} is followed by {len(data) - at} bytes too many.")
    return which, parts


def _context(data: bytes, private: bool) -> Any:
    """The context in `data`, if it has exactly the parameters that are stated above and the right keys."""
    try:
        context = needed("tenseal").context_from(data, n_threads=1)
        ours = _serialize(context) == _parameters() and context.is_private() == private
        sound = ours and context.has_public_key() and not context.has_galois_keys()
    except (ValueError, RuntimeError, TypeError):
        sound = False
    if not sound:
        raise MessageError(
            f"This is not {_NAMES[SECRET if private else PUBLIC]} of CKKS with the parameters in use here.",
            "All participants and the server need the same version of Sottovoce.",
        )
    return context


@functools.cache
def _ciphertext_length() -> int:
    """The length of a ciphertext, as measured: TenSEAL compresses, so that lengths vary by some bytes."""
    context, numbers = _fresh(), np.linspace(-1, 1, SLOTS)
    made = [len(needed("tenseal").ckks_vector(context, numbers).serialize()) for _ in range(5)]
    return round(sum(made) / len(made))


def length(count: int) -> int:
    """About the length in bytes of an encrypted vector of `count` numbers."""
    return _HEADER.size + -(-count // SLOTS) * (_LENGTH.size + _ciphertext_length())


class CKKS(NamedTuple):
    """CKKS with the parameters above."""

    @property
    def settings(self) -> str:
        """Its name and parameters in words."""
        return f"CKKS, degree {DEGREE}, moduli {MODULI}, scale {SCALE}"

    def make(self) -> "CKKSHolder":
        """Draw new keys."""
        return CKKSHolder(_fresh(), secrets.token_bytes(8))

    def holder(self, secret: bytes) -> "CKKSHolder":
        """Read a secret key from outside."""
        which, (context,) = _read(secret, SECRET)
        return CKKSHolder(_context(context, private=True), which)

    def adder(self, public: bytes) -> "CKKSAdder":
        """Read a public key from outside."""
        which, (context,) = _read(public, PUBLIC)
        return CKKSAdder(_context(context, private=False), which)

    def capacity(self, fixed: Fixed) -> int:
        """How many numbers one ciphertext holds."""
        return SLOTS

    def longest_keys(self) -> int:
        """The most bytes that a public or secret key takes."""
        return _HEADER.size + _LENGTH.size + _LONGEST[SECRET]

    def longest(self, count: int, fixed: Fixed) -> int:
        """The most bytes that an encrypted vector of `count` numbers takes."""
        return _HEADER.size + -(-count // SLOTS) * (_LENGTH.size + _LONGEST[VECTOR])

    def error(self, fixed: Fixed) -> int:
        """By how many steps of 2^−fraction a decrypted sum may differ from the sum of integers."""
        return round(math.sqrt(fixed.terms) * NOISE * fixed.largest)


class CKKSAdder:
    """What the server can do."""

    def __init__(self, context: Any, which: bytes) -> None:
        self._context, self._which = context, which

    def seal(self, numbers: Numbers, fixed: Fixed) -> bytes:
        """Encrypt a vector."""
        _check_terms(fixed)
        shares = fixed.encode(numbers) / float(fixed.largest)
        encrypt = needed("tenseal").ckks_vector
        chunks = (shares[at : at + SLOTS] for at in range(0, len(shares), SLOTS))
        return self.write([encrypt(self._context, chunk) for chunk in chunks])

    def parse(self, data: bytes, count: int, fixed: Fixed) -> list[Any]:
        """A vector of `count` numbers from outside, checked."""
        _check_terms(fixed)
        which, parts = _read(data, VECTOR, count)
        if which != self._which:
            raise MessageError("A vector is encrypted with another key.", "Use the key of this group.")
        lengths = [min(SLOTS, count - at) for at in range(0, count, SLOTS)]
        return [self._ciphertext(part, length) for part, length in zip(parts, lengths, strict=True)]

    def _ciphertext(self, data: bytes, length: int) -> Any:
        try:
            vector = needed("tenseal").ckks_vector_from(self._context, data)
            (inner,) = vector.ciphertext()
            found = vector.size(), inner.size(), inner.coeff_modulus_size(), float(inner.scale)
            sound = found == (length, 2, len(MODULI) - 1, float(SCALE)) and not inner.is_transparent()
        except (ValueError, RuntimeError, TypeError):
            sound = False
        if not sound:
            raise MessageError(
                f"This is not a ciphertext of CKKS that holds {length} numbers.",
                "The sender must encrypt with this group's key.",
            )
        return vector

    def add(self, one: list[Any], other: list[Any]) -> list[Any]:
        """The sum of two vectors; the first is changed."""
        return [mine.add_(theirs) for mine, theirs in zip(one, other, strict=True)]

    def write(self, vector: list[Any]) -> bytes:
        """A vector as bytes."""
        held = sum(part.size() for part in vector)
        return _write(VECTOR, self._which, held, [bytes(part.serialize()) for part in vector])


class CKKSHolder(CKKSAdder):
    """What a participant can do."""

    @property
    def public(self) -> bytes:
        """The public key, for the server: the context without its secret key."""
        return _write(PUBLIC, self._which, 0, [_serialize(self._context, "public_key")])

    @property
    def secret(self) -> bytes:
        """The secret key, for other participants."""
        return _write(SECRET, self._which, 0, [_serialize(self._context, "public_key", "secret_key")])

    def open(self, data: bytes, count: int, fixed: Fixed) -> Numbers:
        """Decrypt a vector of `count` numbers."""
        parts = [np.array(part.decrypt(), np.float64) for part in self.parse(data, count, fixed)]
        sums = np.rint(np.concatenate([np.empty(0), *parts]) * fixed.largest)
        return fixed.decode(sums, CKKS().error(fixed))


def _check_terms(fixed: Fixed) -> None:
    fixed.check()
    if fixed.terms > MOST_TERMS:
        raise MessageError(
            f"CKKS adds at most {MOST_TERMS} ciphertexts here, and {fixed.terms} participants may take part.",
            "Use smaller groups, or Paillier.",
        )
