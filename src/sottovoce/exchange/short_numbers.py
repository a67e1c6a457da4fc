"""Numbers of 16 bits in the messages of push-sum: 11 binary digits, an exponent, and no sign.

A float32 has 24 digits. Rounded to 11 of them, ten bits say which number of its binade it is, because the
first digit is always 1, and six bits are the exponent. Signs are bits beside, where there are any.

- **Scales and counts** are 0, or from `LEAST` = 2^-39 to `MOST`, just below 2^24.
- **Numbers of a head** differ more in size. Their exponent is relative to that of the largest, which the
  message tells once: they are 0, or in the `BINADES` = 63 binades that end with the largest. It is between
  2^`LOWEST` and `MOST_IN_HEAD`, just below 2^64. (A sign and five bits of exponent would also be 16 bits, but
  `als` has sums of squares in its head that are 40 binades below the weight.)

What is smaller becomes 0, and what is larger the largest number: a sender of push-sum keeps what that leaves.
`protocols.push_sum` rounds. Here such floats become 16 bits, and 16 bits from outside become floats or are
refused. Each float has one form.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError

FRACTION = 10
"""Binary digits after the first one."""
LEAST, MOST = 2.0**-39, 2.0**24 - 2.0**13
LOWEST, MOST_IN_HEAD = -64, 2.0**64 - 2.0**53
BINADES = 63
"""How many exponents the numbers of a head can have."""
BIAS = 127
"""What a float32 adds to its exponent."""
_DROPPED = 23 - FRACTION
_BEFORE_LEAST = (BIAS - 40) << FRACTION
"""The ten bits and the exponent of a number that is too small by a binade."""


def _magnitudes(values: NDArray[Any]) -> NDArray[np.int64]:
    """Exponents and ten bits of rounded floats, without signs."""
    held = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.int64) & 0x7FFFFFFF
    if (held & ((1 << _DROPPED) - 1)).any():
        raise MessageError("A message's numbers have more digits than 16 bits hold.")
    return held >> _DROPPED


def _floats(magnitudes: NDArray[np.int64]) -> NDArray[np.float32]:
    floats: NDArray[np.float32] = (magnitudes << _DROPPED).astype(np.uint32).view(np.float32)
    return floats


def _relative(values: NDArray[Any], before: int) -> NDArray[np.uint16]:
    """Magnitudes above `before`, a binade below the smallest; 0 stays 0."""
    magnitudes = _magnitudes(values)
    found = np.where(magnitudes == 0, 0, magnitudes - before)
    if ((found < 1 << FRACTION) & (magnitudes != 0)).any() or found.max(initial=0) >= 1 << 16:
        raise MessageError("A message's numbers are out of the range that 16 bits hold.")
    return found.astype(np.uint16)


def _absolute(codes: NDArray[Any], before: int) -> NDArray[np.float32]:
    """The floats of such magnitudes."""
    found = codes.astype(np.int64)
    if ((found > 0) & (found < 1 << FRACTION)).any():
        raise MessageError("A message holds 16 bits that stand for no number.")
    return _floats(np.where(found == 0, 0, found + before))


def with_signs(values: NDArray[np.float32], negative: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Numbers with the signs that bits tell; 0 has none."""
    if (values[negative] == 0).any():
        raise MessageError("A message holds a 0 with a sign.")
    return np.where(negative, -values, values)


def to_short(values: NDArray[Any]) -> NDArray[np.uint16]:
    """16 bits for each scale or count, without their signs."""
    return _relative(values, _BEFORE_LEAST)


def from_short(codes: NDArray[Any]) -> NDArray[np.float32]:
    """What `to_short` wrote; 16 bits that it never writes are refused."""
    return _absolute(codes, _BEFORE_LEAST)


def head_to_short(values: NDArray[Any]) -> tuple[int, NDArray[np.uint16]]:
    """The exponent of the largest number of a head, as a float32 has it, and 16 bits for each, unsigned."""
    top = max(BIAS + LOWEST, int(_magnitudes(values).max(initial=0)) >> FRACTION)
    if top >= BIAS - LOWEST:
        raise MessageError("A message's head is out of the range that 16 bits hold.")
    return top, _relative(values, (top - BINADES) << FRACTION)


def head_from_short(top: int, codes: NDArray[Any]) -> NDArray[np.float32]:
    """What `head_to_short` wrote; anything else is refused."""
    if not BIAS + LOWEST <= top < BIAS - LOWEST:
        raise MessageError(f"A message's head has an exponent ({top}) out of range.")
    return _absolute(codes, (top - BINADES) << FRACTION)
