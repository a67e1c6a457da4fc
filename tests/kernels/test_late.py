"""Machine code is made of drivers, and not of what they call."""

import numpy as np
import pytest

from sottovoce import kernel_cache
from sottovoce.kernels import driver, helper, prange, set_threads
from sottovoce.kernels.late import LateLibrary


@helper
def _half(value):
    return value / 2


@helper
def _quarter(value):
    return _half(_half(value))


def _quarters(values):
    for n in prange(len(values)):
        values[n] = _quarter(values[n])


@pytest.mark.parametrize("batch", [1, 100])
def test_helpers_have_no_machine_code_of_their_own(monkeypatch, batch):
    made, make = [], LateLibrary._make
    monkeypatch.setattr(LateLibrary, "_make", lambda self: (made.append(self.name), make(self)))
    monkeypatch.setattr(kernel_cache, "cache_directory", lambda outside="": None)
    values = np.full(100, 8.0)
    with set_threads(2):
        driver(_quarters)(values, batch=batch)
    assert values.tolist() == [2.0] * 100
    assert "_quarters" in made
    assert not {"_half", "_quarter"} & set(made)
