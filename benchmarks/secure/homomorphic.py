"""Homomorphic sums: what it costs a participant to encrypt and decrypt one contribution of FedGMF.

Against one value per ciphertext, as published, at the same key length; CKKS against 3,072 bits. One value per
ciphertext would take many minutes, so a sample of ciphertexts is timed and scaled; the detail says how many.
All sides encrypt with the public key, as published; the detail also has the time with the secret key, which
every participant has. CPU time of one core.
"""

from collections.abc import Iterator

from benchmarks.measure import Result, load
from sottovoce.exchange.homomorphic.ckks import CKKS
from sottovoce.exchange.homomorphic.paillier_scheme import Paillier
from sottovoce.exchange.homomorphic.scheme import Scheme
from sottovoce.exchange.homomorphic.table7 import BITS, PLANS, Seconds, measure, wire_bytes

PLAN = PLANS["FedGMF"]
LONG = 3072
PACKED, APPROXIMATE = 50, 5000
"""How many times as fast packed Paillier and CKKS must be at 3,072 bits."""
SHARE = 0.9
"""At shorter keys, packing must gain this share of the slots that fit."""
SAMPLES = {512: 2000, 1024: 600, 2048: 120, 3072: 40}
REPEATS = 3


def _best(scheme: Scheme, sample: int) -> Seconds:
    """The least times of a few, because other work on the machine only adds to them."""
    keys = scheme.make()
    found = [measure(PLAN, scheme, sample, keys) for _ in range(REPEATS)]
    times = (min(column) for column in zip(*(one[:3] for one in found), strict=True))
    return Seconds(*times, *found[0][3:])


def _detail(name: str, seconds: Seconds, scheme: Scheme) -> str:
    return (
        f"{name}: encrypts in {seconds.encryption:.3g} s ({seconds.holder_encryption:.3g} s with the secret "
        f"key), decrypts in {seconds.decryption:.3g} s, {wire_bytes(PLAN, scheme) / 1e6:.3g} MB "
        f"(scaled from {seconds.sampled} of {seconds.ciphertexts} ciphertexts)"
    )


def _results(name: str, single: Seconds, other: Seconds, details: list[str], goal: float) -> Iterator[Result]:
    """Encryption and decryption, which must be `goal` times as fast as one value per ciphertext."""
    for verb, column in (("encryption", 0), ("decryption", 2)):
        faster = single[column] / other[column]
        yield Result(
            f"secure-he-{name}-{verb}",
            goal / faster,
            f"{goal:,g} times as fast as one value per ciphertext",
            1.0,
            "; ".join((f"{faster:,.0f} times as fast", *details, load())),
        )


def benchmarks(prefix: str) -> Iterator[Result]:
    """Packed Paillier at each key length, and CKKS."""
    for bits in BITS:
        names = [f"secure-he-{bits}", *(["secure-he-ckks"] if bits == LONG else [])]
        if not any(name.startswith(prefix) or prefix.startswith(name) for name in names):
            continue
        plain, dense = (Paillier(bits, packed=packed, weak=bits < 1024) for packed in (False, True))
        single, packed = (_best(scheme, SAMPLES[bits]) for scheme in (plain, dense))
        slots = dense.capacity(PLAN.sums[0].fixed)
        known = _detail("one value", single, plain)
        details = [known, _detail(f"packed, {slots} slots", packed, dense)]
        goal = PACKED if bits == LONG else SHARE * slots
        yield from _results(f"{bits}-packed", single, packed, details, goal)
        if bits == LONG:
            ckks = _best(CKKS(), SAMPLES[bits])
            yield from _results("ckks", single, ckks, [known, _detail("CKKS", ckks, CKKS())], APPROXIMATE)
