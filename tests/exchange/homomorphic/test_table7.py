"""Table 7: all eight cells of its megabytes, and what is sent for real."""

import sys

import numpy as np
import pytest

from sottovoce.exchange.homomorphic import table7
from sottovoce.exchange.homomorphic.ckks import CKKS
from sottovoce.exchange.homomorphic.letters import CONTRIBUTION, Letter, encode
from sottovoce.exchange.homomorphic.paillier import generate
from sottovoce.exchange.homomorphic.plan import Plan
from tests.exchange.homomorphic.groups import PACKED, SINGLE


def test_all_eight_cells() -> None:
    found = list(table7.rows())
    assert [(row.model, row.bits) for row in found] == [
        (model, bits) for model in ("FedGMF", "FedNeuMF") for bits in (512, 1024, 2048, 3072)
    ]
    assert [f"{row.published:.2f}" for row in found] == [
        *("6.30", "11.55", "22.03", "32.50"),
        *("13.04", "23.89", "45.55", "67.22"),
    ]
    assert [row.paper for row in found] == [float(f"{row.published:.2f}") for row in found]
    for row in found:
        assert row.ckks < row.published
        assert row.packed < row.one_value < row.published / 2


def test_how_many_values_are_published() -> None:
    assert [table7.published_values(plan) for plan in table7.PLANS.values()] == [40_382, 83_510]


def test_sizes_are_those_of_real_ciphertexts() -> None:
    """Ciphertexts of a key near 0.9 · 2^512 have the mean size that the table is computed from."""
    plan = table7.PLANS["FedGMF"]
    while not 0.89 < int((key := generate(512, weak=True)).public.n) / 2**512 < 0.91:
        pass
    sizes = [sys.getsizeof(int(c)) for c in key.encrypt([0] * 4000)]
    expected = table7.published_megabytes(plan, 512) * 2**20 / table7.published_values(plan)
    assert np.mean(sizes) == pytest.approx(expected, abs=0.1)
    assert set(sizes) == {160, 164}


@pytest.mark.parametrize("scheme", [PACKED, SINGLE, CKKS()], ids=["packed", "single", "ckks"])
def test_wire_bytes_are_what_a_contribution_has(scheme: object) -> None:
    plan, keys = Plan(40, 2, 5, 4), scheme.make()  # type: ignore[attr-defined]
    sealed = tuple(keys.seal(np.zeros(part.numbers), part.fixed) for part in plan.sums)
    sent = len(encode(Letter(CONTRIBUTION, 3, 1, sealed), bytes(8)))
    assert table7.wire_bytes(plan, scheme) == pytest.approx(sent, abs=64 if scheme == CKKS() else 0)  # type: ignore[arg-type]


def test_a_sample_is_scaled_to_all_ciphertexts() -> None:
    plan = Plan(40, 2, 5, 4)
    few = table7.measure(plan, SINGLE, 10)
    assert (few.ciphertexts, few.sampled) == (40 * 2 + 40 + 5 + 2, 10)
    assert min(few[:3]) > 0


def test_the_text_has_a_line_for_each_cell() -> None:
    lines = table7.text().splitlines()
    assert len(lines) == 9
    assert lines[1].split()[:4] == ["FedGMF", "512", "6.30", "6.30"]
