"""Functions are optimised when others need them, and machine code is made only of drivers."""

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


def names(monkeypatch, step):
    """The names of all libraries that go through a step from now on."""
    done, usual = [], getattr(LateLibrary, step)
    monkeypatch.setattr(LateLibrary, step, lambda self: (done.append(self.name), usual(self)))
    return done


@pytest.mark.parametrize("batch", [1, 100])
def test_helpers_are_optimised_once_and_have_no_machine_code(monkeypatch, batch):
    monkeypatch.setattr(kernel_cache, "cache_directory", lambda outside="": None)
    optimised, made = names(monkeypatch, "_optimize_final_module"), names(monkeypatch, "_make")
    values = np.full(100, 8.0)
    with set_threads(2):
        driver(_quarters)(values, batch=batch)
    assert values.tolist() == [2.0] * 100
    assert optimised.count("_quarter") <= 1, "0: by an earlier test"
    assert "_quarters" in made
    assert not {"_half", "_quarter"} & set(made)
