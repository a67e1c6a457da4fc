"""Floats as integers modulo 2^b, so that masks can hide them and their sum is exact.

A value v travels as rint(v · 2^f) modulo 2^b, where f is the number of binary places; ties go to even.
Multiplication by a power of two is exact, so every machine, and every vectorised or compiled form of
the same formula, gives the same integer. Negative numbers are the upper half of the range, as in two's
complement (D.1 in Perifanis and Efraimidis, 2022).

With n clients each integer is at most (2^(b-1) - 1) // n away from zero, so no sum of n leaves the
range: one that would is an error of the client that has it, never a wrong sum. A client that must answer
whatever its numbers are clips them first (`clipped`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError

UNSIGNED: dict[int, Any] = {16: np.uint16, 32: np.uint32, 64: np.uint64}
"""The integers modulo 2^b, by b."""
SIGNED: dict[int, Any] = {16: np.int16, 32: np.int32, 64: np.int64}


class FixedPoint(NamedTuple):
    """How numbers of up to `clients` people become integers modulo 2^bits that can be summed."""

    bits: int
    places: int  # f, binary places; 0 for counts
    clients: int  # n, how many integers are summed at most

    @property
    def limit(self) -> int:
        """The largest integer that a client may send, of either sign."""
        return int((2 ** (self.bits - 1) - 1) // self.clients)

    @property
    def largest(self) -> float:
        """The largest value that a client may send, of either sign."""
        return self.limit / 2.0**self.places

    def clipped(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Values within what a client may send. What is no number is not made one."""
        most = float(self.limit)
        if int(most) > self.limit:  # a limit above 2^53 may have been rounded up
            most = float(np.nextafter(most, 0))
        largest = most / 2.0**self.places
        return np.clip(np.asarray(values, np.float64), -largest, largest)

    def encode(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of any shape, of one client or of a whole population, as integers modulo 2^bits."""
        scaled = np.rint(np.asarray(values, np.float64) * 2.0**self.places)
        if not np.isfinite(scaled).all():
            raise MessageError(
                "Numbers for a secure sum are not finite.", "The model has diverged; lower its learning rate."
            )
        # 2^63 as a float is exact, while most limits are not: compare integers, once they are some.
        outside = np.abs(scaled) >= 2.0**63
        if outside.any() or (np.abs(scaled.astype(np.int64)) > self.limit).any():
            raise MessageError(
                f"A number for a secure sum is {np.abs(scaled).max() / 2.0**self.places:g}, and with "
                f"{self.clients} clients, {self.bits} bits and {self.places} binary places it can be at "
                f"most {self.largest:g}.",
                "Use more bits or fewer binary places, or clip updates.",
            )
        return scaled.astype(np.int64).astype(UNSIGNED[self.bits])

    def integers(self, encoded: NDArray[Any]) -> NDArray[np.int64]:
        """A sum of encoded values as integers with a sign."""
        signed: NDArray[Any] = np.asarray(encoded, UNSIGNED[self.bits]).view(SIGNED[self.bits])
        return signed.astype(np.int64)

    def decode(self, encoded: NDArray[Any]) -> NDArray[np.float64]:
        """What a sum of encoded values stands for."""
        return self.integers(encoded).astype(np.float64) / 2.0**self.places


def fixed_point(bits: int, places: int, clients: int) -> FixedPoint:
    """A checked `FixedPoint`: the modulus exists, and there is room for numbers."""
    if bits not in UNSIGNED:
        raise MessageError(f"Secure sums have 16, 32 or 64 bits, not {bits}.")
    if not 0 <= places < bits:
        raise MessageError(f"{places} binary places do not fit {bits} bits.", f"Take from 0 to {bits - 1}.")
    form = FixedPoint(bits, places, clients)
    if clients < 1 or form.limit < 1:
        raise MessageError(
            f"The sum of {clients} clients does not fit {bits} bits.", "Use more bits or smaller groups."
        )
    return form
