"""Masks are the generator's bytes, cancel in pairs, and make vectors look uniform."""

import numpy as np
import pytest

from sottovoce.exchange.secure.masks import BLOCK, binding, masked, pair_key, self_key, signed
from sottovoce.exchange.secure.primitives import keystream

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))


def mask(key: bytes, bits: int, length: int) -> list[int]:
    """The generator's bytes as integers, in one piece."""
    raw, size = keystream(key).update(bytes(length * bits // 8)), bits // 8
    return [int.from_bytes(raw[at : at + size], "little") for at in range(0, len(raw), size)]


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("length", [0, 1, 7, BLOCK // 8, BLOCK // 8 + 1, BLOCK // 2 + 3])
def test_masks_are_the_generators_bytes_modulo_2_b(bits: int, length: int) -> None:
    start = np.random.default_rng(1).integers(0, 2**bits, length, dtype=f"u{bits // 8}")
    before = start.copy()
    found = masked(start, [KEY], [OTHER])
    assert found.dtype == start.dtype
    plus, minus = mask(KEY, bits, length), mask(OTHER, bits, length)
    wanted = [(x + a - b) % 2**bits for x, a, b in zip(start.tolist(), plus, minus, strict=True)]
    assert found.tolist() == wanted
    assert (masked(found, [OTHER], [KEY]) == start).all()
    assert (start == before).all()


def test_what_one_of_a_pair_adds_the_other_subtracts() -> None:
    assert signed(3, {1: b"1", 8: b"8"}) == ([b"8"], [b"1"])
    zeros = np.zeros(5, np.uint32)
    one, other = masked(zeros, *signed(3, {8: KEY})), masked(zeros, *signed(8, {3: KEY}))
    assert one.tolist() == mask(KEY, 32, 5)
    assert not (one + other).any()


def test_keys_depend_on_all_that_a_mask_is_for() -> None:
    bound = binding(0, 32, 5, b"a")
    bounds = {
        bound,
        binding(1, 32, 5, b"a"),
        binding(0, 64, 5, b"a"),
        binding(0, 32, 6, b"a"),
        binding(0, 32, 5, b"b"),
    }
    assert len(bounds) == 5
    assert pair_key(KEY, b"s", bound, 1, 2) == pair_key(KEY, b"s", bound, 2, 1)
    keys = {
        pair_key(KEY, b"s", bound, 1, 2),
        pair_key(KEY, b"r", bound, 1, 2),
        pair_key(KEY, b"s", binding(1, 32, 5, b"a"), 1, 2),
        pair_key(KEY, b"s", bound, 1, 3),
        pair_key(bytes(32), b"s", bound, 1, 2),
        self_key(KEY, b"s", bound, 1),
        self_key(KEY, b"s", bound, 2),
    }
    assert len(keys) == 7
