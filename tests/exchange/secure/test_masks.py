"""Masks are the generator's bytes, cancel in pairs, and make vectors look uniform."""

import numpy as np
import pytest

from sottovoce.exchange.secure.masks import BLOCK, Masking, binding, expand, pair_key, self_key
from sottovoce.exchange.secure.primitives import keystream

KEY = bytes(range(32))


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("length", [0, 1, 7, BLOCK // 8, BLOCK // 8 + 1, BLOCK])
def test_a_mask_is_the_generators_bytes(bits: int, length: int) -> None:
    raw = keystream(KEY).update(bytes(length * bits // 8))
    assert expand(KEY, bits, length).tobytes() == np.frombuffer(raw, f"<u{bits // 8}").tobytes()


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_adding_is_modular_and_can_be_undone(bits: int) -> None:
    start = np.array([0, 1, 2**bits - 1], f"u{bits // 8}")
    masking = Masking(start)
    masking.add(KEY)
    values = [(a + b) % 2**bits for a, b in zip(start.tolist(), expand(KEY, bits, 3).tolist(), strict=True)]
    assert masking.vector.tolist() == values
    masking.subtract(KEY)
    assert (masking.vector == start).all()
    assert start.tolist() == [0, 1, 2**bits - 1]


def test_what_one_of_a_pair_adds_the_other_subtracts() -> None:
    one, other = Masking(np.zeros(5, np.uint32)), Masking(np.zeros(5, np.uint32))
    one.between(KEY, 3, 8)
    other.between(KEY, 8, 3)
    assert (one.vector == expand(KEY, 32, 5)).all()
    assert not (one.vector + other.vector).any()


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
