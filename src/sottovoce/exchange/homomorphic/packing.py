"""Many signed integers in one: slots wide enough that sums never carry over into a neighbour.

A plaintext is 1 + 2^16 · Σ v_i · 2^(b i), where b is the number of bits of a sum with its sign
(`Fixed.bits`). A sum of plaintexts holds the sums of the v_i, and in its lowest 16 bits how many plaintexts
were added: more than agreed, whose sums could carry over, are refused. A negative number borrows from the
slot above, and reading adds 2^(b−1) to every slot first, which gives back what was borrowed. With one slot
to a plaintext this is one value per ciphertext, as published.
"""

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.optional import needed

_COUNTER = 16
MOST_TERMS = 2 ** (_COUNTER - 1) - 1
"""How many plaintexts may be added."""
_REMEDY = "Somebody added something else than was agreed, or the sum was damaged: repeat the round."


def slots(key_bits: int, slot_bits: int) -> int:
    """How many slots fit a plaintext: its absolute value stays below half of n."""
    fitting = (key_bits - 1 - _COUNTER) // slot_bits
    if fitting < 1:
        raise MessageError(
            f"Sums of {slot_bits} bits do not fit a key of {key_bits} bits.", "Use a longer key."
        )
    return fitting


def _halves(count: int, bits: int) -> int:
    """2^(b−1) in each of `count` slots."""
    total: int = needed("gmpy2").mpz((1 << bits * count) - 1) // ((1 << bits) - 1) << (bits - 1)
    return total


def pack(values: NDArray[np.int64], bits: int, count: int, n: int) -> list[int]:
    """Plaintexts modulo n of `count` slots of `bits` bits each; the last is filled up with zeros."""
    read = needed("gmpy2").mpz.from_bytes
    plaintexts = -(-len(values) // count)
    padded = np.zeros(plaintexts * count, np.int64)
    padded[: len(values)] = values
    raised = (padded + (1 << (bits - 1))).astype("<u8")
    digits = np.unpackbits(raised.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")[:, :bits]
    lines = np.packbits(digits.reshape(plaintexts, count * bits), axis=1, bitorder="little")
    halves = _halves(count, bits)
    return [(((read(line.tobytes(), byteorder="little") - halves) << _COUNTER) + 1) % n for line in lines]


def unpack(
    plaintexts: list[int], bits: int, count: int, n: int, length: int, terms: int
) -> NDArray[np.int64]:
    """The first `length` sums in plaintexts modulo n, each the sum of at most `terms` plaintexts."""
    halves, most, width = _halves(count, bits), 1 << bits * count, -(-bits * count // 8)
    added, lines = set(), []
    for plain in plaintexts:
        centred = plain - n if plain > n // 2 else plain
        added.add(int(centred % (1 << _COUNTER)))
        raised = (centred >> _COUNTER) + halves
        if not 0 <= raised < most:
            raise MessageError("A decrypted sum does not fit its slots.", _REMEDY)
        lines.append(int(raised).to_bytes(width, "little"))
    if len(added) > 1 or any(not 1 <= one <= terms for one in added):
        found = " and ".join(map(str, sorted(added)[:2]))
        raise MessageError(f"A decrypted sum has {found} terms, and 1 to {terms} were agreed.", _REMEDY)
    grid = np.frombuffer(b"".join(lines), np.uint8).reshape(len(lines), width)
    digits = np.zeros((len(lines) * count, 64), np.uint8)
    digits[:, :bits] = np.unpackbits(grid, axis=1, bitorder="little")[:, : bits * count].reshape(-1, bits)
    raised_values = np.packbits(digits, axis=1, bitorder="little").view("<u8").ravel()
    return raised_values[:length].astype(np.int64) - (1 << (bits - 1))
