"""Paillier as a scheme: many numbers in one ciphertext, or one as Perifanis and Efraimidis 2022 published it.

Sums are exact: decryption gives the sum of the integers that were encrypted.
"""

import secrets
from typing import NamedTuple

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic import packing
from sottovoce.exchange.homomorphic.fixed import Fixed
from sottovoce.exchange.homomorphic.paillier import DEFAULT, Below, PublicKey, SecretKey, check_bits, generate
from sottovoce.exchange.homomorphic.paillier_format import (
    decode_public,
    decode_secret,
    decode_vector,
    encode_public,
    encode_secret,
    encode_vector,
    size,
)
from sottovoce.exchange.homomorphic.scheme import Numbers


class Paillier(NamedTuple):
    """Paillier's cryptosystem with keys of this length."""

    bits: int = DEFAULT
    packed: bool = True
    """Whether a ciphertext holds as many numbers as fit, or one."""
    weak: bool = False
    """Whether keys may be shorter than any that protects anything: for tests."""
    below: Below = secrets.randbelow
    """Where random numbers come from: the operating system, unless a test has to repeat."""

    @property
    def settings(self) -> str:
        """Its name and parameters in words."""
        return f"Paillier, {self.bits} bits, {'packed' if self.packed else 'one value per ciphertext'}"

    def capacity(self, fixed: Fixed) -> int:
        """How many numbers of this form one ciphertext holds."""
        fixed.check()
        if fixed.terms > packing.MOST_TERMS:
            raise MessageError(
                f"Paillier adds at most {packing.MOST_TERMS} ciphertexts here, and {fixed.terms} "
                "participants may take part.",
                "Use smaller groups.",
            )
        fitting = packing.slots(self.bits, fixed.bits)
        return fitting if self.packed else 1

    def ciphertexts(self, count: int, fixed: Fixed) -> int:
        """How many ciphertexts a vector of `count` numbers takes."""
        return -(-count // self.capacity(fixed))

    def make(self) -> "PaillierHolder":
        """Draw new keys."""
        return PaillierHolder(self, generate(self.bits, self.below, self.weak))

    def holder(self, secret: bytes) -> "PaillierHolder":
        """Read a secret key from outside."""
        check_bits(self.bits, self.weak)
        return PaillierHolder(self, decode_secret(secret, self.bits))

    def adder(self, public: bytes) -> "PaillierAdder":
        """Read a public key from outside."""
        check_bits(self.bits, self.weak)
        return PaillierAdder(self, decode_public(public, self.bits))

    def longest_keys(self) -> int:
        """The most bytes that a public or secret key takes."""
        return size(1, self.bits)

    def longest(self, count: int, fixed: Fixed) -> int:
        """The bytes that an encrypted vector of `count` numbers takes."""
        return size(self.ciphertexts(count, fixed), self.bits)

    def error(self, fixed: Fixed) -> int:
        """None: sums are exact."""
        return 0


class PaillierAdder:
    """What the server can do."""

    def __init__(self, scheme: Paillier, key: PublicKey) -> None:
        self.scheme, self.key = scheme, key

    def _encrypt(self, plain: list[int]) -> list[int]:
        return self.key.encrypt(plain, self.scheme.below)

    def seal(self, numbers: Numbers, fixed: Fixed) -> bytes:
        """Encrypt a vector."""
        values = fixed.encode(numbers)
        return encode_vector(
            self.key,
            self._encrypt(packing.pack(values, fixed.bits, self.scheme.capacity(fixed), self.key.n)),
        )

    def parse(self, data: bytes, count: int, fixed: Fixed) -> list[int]:
        """A vector of `count` numbers from outside, checked."""
        return decode_vector(data, self.key, self.scheme.ciphertexts(count, fixed))

    def add(self, one: list[int], other: list[int]) -> list[int]:
        """The sum of two vectors."""
        return self.key.add(one, other)

    def write(self, vector: list[int]) -> bytes:
        """A vector as bytes."""
        return encode_vector(self.key, vector)


class PaillierHolder(PaillierAdder):
    """What a participant can do."""

    def __init__(self, scheme: Paillier, key: SecretKey) -> None:
        super().__init__(scheme, key.public)
        self._secret = key

    @property
    def public(self) -> bytes:
        """The public key, for the server."""
        return encode_public(self.key)

    @property
    def secret(self) -> bytes:
        """The secret key, for other participants."""
        return encode_secret(self._secret)

    def _encrypt(self, plain: list[int]) -> list[int]:
        return self._secret.encrypt(plain, self.scheme.below)

    def open(self, data: bytes, count: int, fixed: Fixed) -> Numbers:
        """Decrypt a vector of `count` numbers."""
        plain = self._secret.decrypt(self.parse(data, count, fixed))
        layout = fixed.bits, self.scheme.capacity(fixed), self.key.n
        return fixed.decode(packing.unpack(plain, *layout, count, fixed.terms))
