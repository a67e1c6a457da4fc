"""Randomness is the same compiled and plain; operations resolve by type; drivers keep their promises."""

import ast
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.kernels import below, draw, driver, helper, normal, operation, prange, stream, uniform


@driver
def _numbers(run, purpose, person, step, index):
    key = stream(run, purpose, person, step)
    return draw(key, index), uniform(key, index), below(key, index, 7), normal(key, index)


whole = st.integers(-(2**31), 2**31)


@given(whole, whole, whole, whole, st.integers(0, 2**40))
def test_plain_and_compiled_randomness_agree(run, purpose, person, step, index):
    assert _numbers(run, purpose, person, step, index) == pytest.approx(
        _numbers.plain(run, purpose, person, step, index), rel=1e-14
    )
    assert (
        _numbers(run, purpose, person, step, index)[:3]
        == _numbers.plain(run, purpose, person, step, index)[:3]
    )


@driver
def _sample(count):
    values = np.empty((count, 2))
    for n in range(count):
        values[n] = uniform(stream(1, 2, n, 3), 4), normal(stream(1, 2, n, 3), 4)
    return values


def test_randomness_looks_random():
    sample = _sample(100_000)
    histogram = np.histogram(sample[:, 0], bins=100, range=(0, 1))[0]
    assert ((histogram - 1000) ** 2 / 1000).sum() < 150  # chi-square with 99 degrees of freedom
    assert abs(sample[:, 1].mean()) < 0.02
    assert abs(sample[:, 1].std() - 1) < 0.02
    assert abs(np.corrcoef(sample[1:, 0], sample[:-1, 0])[0, 1]) < 0.02


class Twice(NamedTuple):
    offset: int = 0


class Square(NamedTuple):
    offset: int = 0


class Unknown(NamedTuple):
    offset: int = 0


@operation
def change(component, value):
    """For the tests below."""


@change.rule(Twice)
def _twice(component, value):
    return 2 * value + component.offset


@change.rule(Square)
def _square(component, value):
    return value * value


@helper
def _apply(component, value):
    return change(component, value) + 1


@driver
def _run(component, values):
    for n in prange(len(values)):
        values[n] = _apply(component, values[n])


@pytest.mark.parametrize("component", [Twice(3), Square()])
def test_operation_is_resolved_by_type_plain_and_compiled(component):
    compiled, plain = np.arange(20), np.arange(20)
    _run(component, compiled, batch=20)
    _run.plain(component, plain)
    np.testing.assert_array_equal(compiled, plain)
    assert plain[5] == (14 if isinstance(component, Twice) else 26)


def test_unknown_component_is_refused():
    with pytest.raises(TypeError, match="Unknown does not implement change"):
        change(Unknown(), 1)


def test_implementation_with_other_parameters_is_refused():
    with pytest.raises(TypeError, match=r"change\(component, value\)"):

        @change.rule(Unknown)
        def _wrong(component, number):
            return number


def test_threads_can_be_limited_and_come_back():
    before = kernels.threads()
    with kernels.set_threads(1):
        assert kernels.threads() == 1
    assert kernels.threads() == before


class Clock:
    """Stands for the module `time`: every call takes ten milliseconds, of which `busy` threads work."""

    def __init__(self, busy):
        self.busy, self.now = busy, 0.0

    def perf_counter(self):
        self.now += 0.01
        return self.now

    def process_time(self):
        return self.now * self.busy


@pytest.mark.skipif(kernels.threads() < 2, reason="this machine has one core")
def test_threads_that_are_held_up_are_done_without_for_a_while(monkeypatch):
    run = driver(_run.plain)
    monkeypatch.setattr(kernels, "time", Clock(busy=0.5))
    left = []
    for _ in range(11):
        run(Twice(1), np.arange(20), batch=20)
        left.append(run.alone)
    assert left == [8, 7, 6, 5, 4, 3, 2, 1, 0, 16, 15]
    monkeypatch.setattr(kernels, "time", Clock(busy=kernels.threads()))
    run.alone = 0
    for _ in range(3):
        run(Twice(1), np.arange(20), batch=20)
        assert run.alone == 0


def test_the_two_forms_are_cached_apart():
    """Otherwise one of them would be loaded in place of the other."""
    _run(Twice(1), np.arange(20), batch=20)
    _run(Twice(1), np.arange(20), batch=1)
    assert len({form._cache.cache_path for form in _run.forms.values()}) == len(_run.forms) == 2


def test_second_call_compiles_nothing():
    _run(Twice(1), np.arange(20), batch=20)
    before = kernels.compilations()
    _run(Twice(2), np.arange(30), batch=30)
    assert kernels.compilations() == before


def _assigned_in_prange(source):
    """Lines in `prange` loops that assign to an attribute's element."""
    for loop in ast.walk(ast.parse(source)):
        parallel = isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call)
        if parallel and getattr(loop.iter.func, "id", "") == "prange":
            for node in ast.walk(loop):
                targets = getattr(node, "targets", [getattr(node, "target", None)])
                for target in targets:
                    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Attribute):
                        yield target.lineno


def test_no_assignment_that_numba_would_drop():
    """Numba drops `tables.rows[j] = …` in the body of a `prange` loop without a word."""
    assert list(_assigned_in_prange("for i in prange(9):\n    for j in x:\n        t.rows[i, j] = 1")) == [3]
    for path in sorted(Path(kernels.__file__).parent.rglob("*.py")):
        assert list(_assigned_in_prange(path.read_text())) == [], path
