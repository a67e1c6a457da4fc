"""Table 7: samples are scaled to the number of values of the paper, and its sizes are the printed ones."""

import pytest

from sottovoce.experiments.reproduce import reading
from sottovoce.experiments.reproduce.papers import fedncf_table_7


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(fedncf_table_7, "SAMPLES", {512: 5, 3072: 1})


def test_one_value_is_scaled_to_what_was_published():
    found = fedncf_table_7.costs(1, model="FedGMF", scheme="one value", bits=512)
    assert found.keys() == reading.read("fedncf/table-7").figures.keys()
    assert (found["ciphertexts"], found["ciphertexts timed"]) == (21_881, 5)
    for verb in ("encryption", "decryption"):
        assert found[verb] / found[f"{verb} as sent here"] == pytest.approx(40_382 / 21_881)
    assert round(found["size as Python objects"], 2) == 6.30
    assert found["on the wire as published"] == pytest.approx(40_382 * 128 / 2**20, rel=0.001)
    assert found["on the wire"] == pytest.approx(21_881 * 128 / 2**20, rel=0.001)


@pytest.mark.parametrize("scheme", ["packed", "ckks"])
def test_what_was_not_published_has_no_published_figures(scheme):
    bits = {} if scheme == "ckks" else {"bits": 512}
    found = fedncf_table_7.costs(1, model="FedGMF", scheme=scheme, **bits)
    assert (
        not {"encryption", "decryption", "size as Python objects", "on the wire as published"} & found.keys()
    )
    assert 0 < found["on the wire"] < 2


def test_printed_numbers_are_those_of_the_library():
    from sottovoce.exchange.homomorphic.table7 import (
        BITS,
        PUBLISHED_DECRYPTION,
        PUBLISHED_ENCRYPTION,
        PUBLISHED_MEGABYTES,
    )

    printed = {rows.figure: rows.paper for rows in reading.read("fedncf/table-7").rows if rows.paper}
    for figure, known in {
        "encryption": PUBLISHED_ENCRYPTION,
        "decryption": PUBLISHED_DECRYPTION,
        "size as Python objects": PUBLISHED_MEGABYTES,
    }.items():
        cells = {
            f"{model}, {bits} bits": value
            for model, row in known.items()
            for bits, value in zip(BITS, row, strict=True)
        }
        assert printed[figure] == cells
