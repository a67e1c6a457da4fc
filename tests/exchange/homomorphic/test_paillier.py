"""Paillier's cryptosystem against python-paillier (`phe`), and against itself."""

import random

import phe
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.homomorphic.paillier import PublicKey, SecretKey, generate

KEY = generate(512, random.Random(1).randrange, weak=True)
OTHERS = phe.PaillierPublicKey(int(KEY.public.n))
OTHERS_SECRET = phe.PaillierPrivateKey(OTHERS, int(KEY.p), int(KEY.q))
PLAIN = st.integers(0, int(KEY.public.n) - 1)


@given(PLAIN)
def test_phe_decrypts_what_is_encrypted_here(m: int) -> None:
    for key in (KEY, KEY.public):
        assert OTHERS_SECRET.raw_decrypt(int(key.encrypt([m])[0])) == m


@given(PLAIN)
def test_what_phe_encrypted_is_decrypted_here(m: int) -> None:
    assert KEY.decrypt([OTHERS.raw_encrypt(m)]) == [m]


@given(PLAIN, PLAIN, st.integers(-(2**70), 2**70))
def test_sums_and_products_are_those_of_phe(a: int, b: int, factor: int) -> None:
    n, ours, theirs = KEY.public.n, KEY.public.encrypt([a]), OTHERS.raw_encrypt(b)
    (added,) = KEY.public.add(ours, [theirs])
    assert added == OTHERS_SECRET.public_key.raw_encrypt(0, 1) * ours[0] * theirs % (n * n)
    assert OTHERS_SECRET.raw_decrypt(int(added)) == (a + b) % n
    (times,) = KEY.public.multiply(ours, factor)
    assert KEY.decrypt([times]) == [a * factor % n]
    assert OTHERS_SECRET.raw_decrypt(int(times)) == a * factor % n


def test_the_same_masks_give_the_ciphertexts_of_phe() -> None:
    r = 123456789
    assert KEY.public.encrypt([42], lambda _: r - 1) == [OTHERS.raw_encrypt(42, r)]


def test_masks_of_both_keys_are_encryptions_of_zero_that_never_repeat() -> None:
    masks = [*KEY.public.masks(20), *KEY.masks(20)]
    assert KEY.decrypt(masks) == [0] * 40
    assert len(set(masks)) == 40


def test_masks_of_the_secret_key_have_the_same_distribution() -> None:
    """For tiny primes both kinds of masks can be listed: the same set, each as often."""
    key = SecretKey(11, 17)
    n = key.public.n
    every = [r for r in range(1, n) if r % 11 and r % 17]
    public = sorted(pow(r, n, n * n) for r in every)
    secret = []
    for s in range(10):
        for t in range(16):
            draws = iter((s, t))
            secret.extend(int(mask) for mask in key.masks(1, lambda _, draws=draws: next(draws)))
    assert sorted(secret) == public


@settings(max_examples=10)
@given(st.sampled_from([128, 256, 384]), st.integers(0, 2**32))
def test_generated_keys(bits: int, seed: int) -> None:
    key = generate(bits, random.Random(seed).randrange, weak=True)
    key.check(bits)
    assert key == generate(bits, random.Random(seed).randrange, weak=True)
    assert key.decrypt(key.public.encrypt([seed])) == [seed]


def test_keys_of_a_length_that_protects() -> None:
    key = generate(2048)
    assert key.public.bits == 2048
    assert abs(key.p - key.q) > 2**900
    others = phe.PaillierPrivateKey(phe.PaillierPublicKey(int(key.public.n)), int(key.p), int(key.q))
    assert others.raw_decrypt(int(key.encrypt([7**300])[0])) == 7**300


@pytest.mark.parametrize("bits", [512, 1000, 8192, 3073, 0, -1024])
def test_lengths_that_are_not_offered(bits: int) -> None:
    with pytest.raises(MessageError, match="Use 3072"):
        generate(bits)


def test_plaintexts_that_do_not_fit() -> None:
    for m in (-1, KEY.public.n):
        with pytest.raises(MessageError, match="does not fit the key"):
            KEY.public.encrypt([m])


def test_what_is_no_ciphertext() -> None:
    n, good = KEY.public.n, KEY.public.encrypt([5])
    KEY.public.check(good)
    for bad in (0, n * n, n * n + 1, -1):
        with pytest.raises(MessageError, match="out of range"):
            KEY.public.check([*good, bad])
    for bad in (n, KEY.p, 3 * KEY.q, KEY.p * KEY.p):
        with pytest.raises(MessageError, match="shares a factor"):
            KEY.public.check([*good, bad, *good])


@pytest.mark.parametrize("wrong", [lambda p, q: (p, p), lambda p, q: (p, q + 2), lambda p, q: (1, p * q)])
def test_what_is_no_secret_key(wrong: object) -> None:
    p, q = wrong(KEY.p, KEY.q)  # type: ignore[operator]
    with pytest.raises(MessageError, match="not a secret key"):
        SecretKey(p, q).check(512)
    with pytest.raises(MessageError, match="not a secret key"):
        KEY.check(1024)


def test_public_key_of_a_secret_key() -> None:
    assert KEY.public == PublicKey(KEY.p * KEY.q)
