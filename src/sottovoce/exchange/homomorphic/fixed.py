"""Real numbers as integers that can be added: fixed point with a checked bound on the sum.

A number v becomes the integer nearest to v · 2^f (Appendix D.1 of Perifanis and Efraimidis 2022). Each of at
most n clients adds one number whose absolute value is at most `limit`, so a sum has an absolute value of at
most n · limit · 2^f. Whoever encodes checks the limit, whoever decodes checks the bound: a number that is not
finite, or too large, is an error and never a wrong sum.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError

MOST_BITS = 62
"""Sums have at most this many bits, so that they fit 64-bit integers."""


class Fixed(NamedTuple):
    """How one vector of numbers becomes integers, and how many vectors may be added."""

    fraction: int
    """f, the number of bits after the binary point."""
    limit: float
    """The largest absolute value of a number that one client adds."""
    terms: int
    """n, how many clients add at most."""

    @property
    def largest(self) -> int:
        """The largest integer that one client adds."""
        return round(self.limit * 2.0**self.fraction)

    @property
    def bound(self) -> int:
        """The largest absolute value of a sum."""
        return self.largest * self.terms

    @property
    def bits(self) -> int:
        """How many bits a sum and its sign take."""
        return self.bound.bit_length() + 1

    @property
    def precision(self) -> float:
        """How far a sum of `terms` numbers can be from the sum of the numbers before they were rounded."""
        return self.terms * 0.5 / 2.0**self.fraction

    def check(self) -> None:
        """Refuse a form that cannot hold its sums."""
        if not (0 <= self.fraction <= 60 and self.terms >= 1 and 0 < self.limit < 2.0**60):
            raise MessageError(
                f"Fixed point with {self.fraction} bits after the point, numbers up to {self.limit:g} and "
                f"{self.terms} terms is not possible.",
                "The bits lie between 0 and 60, the limit above 0, and there is at least one term.",
            )
        if self.bits > MOST_BITS:
            raise MessageError(
                f"A sum of {self.terms} numbers up to {self.limit:g} with {self.fraction} bits after the "
                f"point takes {self.bits} bits, and {MOST_BITS} is the most.",
                "Use fewer bits after the point, a smaller limit or fewer participants.",
            )

    def encode(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Numbers as integers; refuses what is not finite or above the limit."""
        self.check()
        values = np.asarray(values, np.float64)
        if not np.isfinite(values).all():
            raise MessageError(
                "A number to be encrypted is not finite.", "The model has diverged: use smaller steps."
            )
        found = np.rint(values * 2.0**self.fraction)
        if len(found) and np.abs(found).max() > self.largest:
            raise MessageError(
                f"A number to be encrypted is {np.abs(values).max():g}, and {self.limit:g} is the largest "
                "that cannot overflow the sum.",
                "Clip what is sent, or let all participants agree on a higher limit.",
            )
        return found.astype(np.int64)

    def decode(self, sums: NDArray[np.int64] | NDArray[np.float64], slack: int = 0) -> NDArray[np.float64]:
        """A sum as numbers; refuses one that `terms` honest clients cannot have added up to.

        `slack` is by how much the sums may be off where encryption is approximate.
        """
        if not (np.abs(sums) <= self.bound + slack).all():
            raise MessageError(
                f"A decrypted sum is larger than {self.terms} participants can have added up to.",
                "Somebody sent more than the agreed limit, or the sum was damaged: repeat the round.",
            )
        return sums.astype(np.float64) / 2.0**self.fraction
