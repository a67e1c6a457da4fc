"""What a homomorphic scheme consists of: vectors of numbers in, bytes that can be added out.

A scheme is chosen by everybody alike. Its maker draws keys; a `Holder` has the secret key and can open sums;
an `Adder`, all that the server has, can encrypt and add. The protocol knows of a vector how many numbers it
holds and their form in fixed point; the rest is the scheme's.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sottovoce.exchange.homomorphic.fixed import Fixed

Numbers = NDArray[np.float64]


class Adder(Protocol):
    """What can be done with the public key."""

    def seal(self, numbers: Numbers, fixed: Fixed) -> bytes:
        """Encrypt a vector."""

    def parse(self, data: bytes, count: int, fixed: Fixed) -> Any:
        """A vector of `count` numbers from outside, checked, in a form that can be added."""

    def add(self, one: Any, other: Any) -> Any:
        """The sum of two parsed vectors; `one` may be changed."""

    def write(self, vector: Any) -> bytes:
        """A parsed vector as bytes."""


class Holder(Adder, Protocol):
    """What can be done with the secret key."""

    @property
    def public(self) -> bytes:
        """The public key, for the server."""

    @property
    def secret(self) -> bytes:
        """The secret key, for other participants."""

    def open(self, data: bytes, count: int, fixed: Fixed) -> Numbers:
        """Decrypt a vector of `count` numbers."""


class Scheme(Protocol):
    """A way to encrypt, with its settings."""

    @property
    def settings(self) -> str:
        """Its name and parameters in words: those who differ cannot understand each other."""

    def make(self) -> Holder:
        """Draw new keys."""

    def holder(self, secret: bytes) -> Holder:
        """Read a secret key from outside."""

    def adder(self, public: bytes) -> Adder:
        """Read a public key from outside."""

    def capacity(self, fixed: Fixed) -> int:
        """How many numbers of this form one ciphertext holds."""

    def longest_keys(self) -> int:
        """The most bytes that a public or secret key takes."""

    def longest(self, count: int, fixed: Fixed) -> int:
        """The most bytes that an encrypted vector of `count` numbers takes."""

    def error(self, fixed: Fixed) -> int:
        """By how many steps of 2^−fraction a decrypted sum may differ from the sum of integers."""
