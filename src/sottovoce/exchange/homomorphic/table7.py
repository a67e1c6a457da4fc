"""What MF-HEAvg costs one participant: Table 7 of Perifanis and Efraimidis 2022, as published and for real.

The published megabytes are the sizes of Python objects, not bytes on the wire: `sys.getsizeof` of one integer
per value, in MiB. There are 2 · N · D + h + 1 values, because the vector of counts is as wide as the rows.
A ciphertext is a number below n², so it has twice the key's length, or a few bits less. Python stores 30 bits
in four bytes: at 512 bits 1 of 12 or 16 ciphertexts needs one such digit less, which the printed 6.3 and
13.04 show (if all had 1,024 bits, they would be 6.32 and 13.06). Sizes here are means over numbers that are
spread evenly below n², for n = 0.9 · 2^bits; every n from 0.88 to 0.94 · 2^bits gives the printed cells.
"""

import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sottovoce.exchange.homomorphic.ckks import CKKS
from sottovoce.exchange.homomorphic.letters import CONTRIBUTION, Letter, encode
from sottovoce.exchange.homomorphic.paillier_scheme import Paillier
from sottovoce.exchange.homomorphic.plan import Plan
from sottovoce.exchange.homomorphic.scheme import Scheme

BITS = (512, 1024, 2048, 3072)
CLIENTS = 20
"""C, the participants of a round on MovieLens 100K."""
PLANS = {"FedGMF": Plan(1682, 12, 13, CLIENTS), "FedNeuMF": Plan(1682, 24, 2773, CLIENTS)}
PUBLISHED_MEGABYTES = {"FedGMF": (6.3, 11.55, 22.03, 32.5), "FedNeuMF": (13.04, 23.89, 45.55, 67.22)}
PUBLISHED_ENCRYPTION = {
    "FedGMF": (9.05, 52.48, 358.93, 1145.33),
    "FedNeuMF": (19.48, 120.17, 756.39, 2360.71),
}
PUBLISHED_DECRYPTION = {"FedGMF": (5.26, 22.19, 106.42, 350.97), "FedNeuMF": (13.41, 57.43, 264.78, 806.17)}
"""Seconds, on eight cores of 4 GHz."""
_SPREAD = 10_000
_SHARE = 0.9


def published_values(plan: Plan) -> int:
    """How many ciphertexts a participant sends as published."""
    return 2 * plan.items * plan.width + plan.head + 1


def published_megabytes(plan: Plan, bits: int) -> float:
    """The size of these ciphertexts as Python integers, in MiB."""
    square = (int(_SHARE * 1000) * 2**bits // 1000) ** 2
    sizes = (sys.getsizeof(square * (2 * k + 1) // (2 * _SPREAD)) for k in range(_SPREAD))
    return published_values(plan) * sum(sizes) / _SPREAD / 2**20


def wire_bytes(plan: Plan, scheme: Scheme) -> int:
    """The length of a contribution, as it is sent."""
    if isinstance(scheme, CKKS):  # compressed by TenSEAL, so that its length is known only afterwards
        keys = scheme.make()
        parts = tuple(keys.seal(np.zeros(part.numbers), part.fixed) for part in plan.sums)
        return len(encode(Letter(CONTRIBUTION, 1, 0, parts), bytes(8)))
    empty = len(encode(Letter(CONTRIBUTION, 1, 0, (b"",) * len(plan.sums)), bytes(8)))
    return empty + sum(scheme.longest(part.numbers, part.fixed) for part in plan.sums)


class Seconds(NamedTuple):
    """How long one participant takes in a round, scaled from a sample of ciphertexts."""

    encryption: float  # with the public key, as published
    holder_encryption: float  # with the secret key, which every participant has
    decryption: float
    ciphertexts: int
    sampled: int


def measure(plan: Plan, scheme: Scheme, sample: int, keys: Any = None) -> Seconds:
    """Time a sample of ciphertexts, in seconds of CPU, and scale to all that a contribution has."""
    holder = scheme.make() if keys is None else keys
    adder, (count, fixed) = scheme.adder(holder.public), plan.sums[0]
    needed = sum(-(-part.numbers // scheme.capacity(part.fixed)) for part in plan.sums)
    sampled = min(sample, -(-count // scheme.capacity(fixed)))
    numbers = np.linspace(-fixed.limit, fixed.limit, sampled * scheme.capacity(fixed))
    times, sealed = [], b""
    for encrypt in (adder.seal, holder.seal):
        began = time.process_time()
        sealed = encrypt(numbers, fixed)
        times.append(time.process_time() - began)
    began = time.process_time()
    holder.open(sealed, len(numbers), fixed)
    times.append(time.process_time() - began)
    encryption, holder_encryption, decryption = (seconds / sampled * needed for seconds in times)
    return Seconds(encryption, holder_encryption, decryption, needed, sampled)


class Row(NamedTuple):
    """One model and key length; megabytes are MiB."""

    model: str
    bits: int
    paper: float
    published: float
    """The same, computed."""
    one_value: float
    """On the wire: one value per ciphertext."""
    packed: float
    ckks: float
    """CKKS has no key length: the same for all."""


def rows() -> Iterator[Row]:
    """The sizes of Table 7."""
    for model, plan in PLANS.items():
        ckks = wire_bytes(plan, CKKS()) / 2**20
        for bits, paper in zip(BITS, PUBLISHED_MEGABYTES[model], strict=True):
            schemes = (Paillier(bits, packed=packed, weak=True) for packed in (False, True))
            one_value, packed = (wire_bytes(plan, scheme) / 2**20 for scheme in schemes)
            yield Row(model, bits, paper, published_megabytes(plan, bits), one_value, packed, ckks)


def text() -> str:
    """Table 7's megabytes as lines to print."""
    lines = ["model     key    paper  as published  wire: one value   packed     CKKS  (MiB)"]
    lines.extend(
        f"{row.model:8} {row.bits:5} {row.paper:7.2f} {row.published:13.2f} {row.one_value:16.2f} "
        f"{row.packed:8.3f} {row.ckks:8.3f}"
        for row in rows()
    )
    return "\n".join(lines)
