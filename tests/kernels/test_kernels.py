"""Operations resolve by type; drivers keep their promises."""

import ast
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from sottovoce import kernel_cache, kernels
from sottovoce.kernels import (
    driver,
    drivers,
    helper,
    operation,
    prange,
)


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
    monkeypatch.setattr(drivers, "time", Clock(busy=0.5))
    left = []
    for _ in range(11):
        run(Twice(1), np.arange(20), batch=20)
        left.append(run.alone)
    assert left == [8, 7, 6, 5, 4, 3, 2, 1, 0, 16, 15]
    monkeypatch.setattr(drivers, "time", Clock(busy=kernels.threads()))
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


@driver
def _doubled(values):
    return 2 * values[0]


def test_a_file_under_the_wrong_name_is_not_used():
    """Which is what Numba would leave behind when two processes compile at the same time."""
    whole, real = np.array([3]), np.array([1.5])
    _doubled(whole), _doubled(real)
    ((_, form),) = _doubled.forms.items()
    files = form._cache._cache_file
    names = files._load_index()
    files._save_index(dict(zip(names, reversed(names.values()), strict=True)))
    again = driver(_doubled.plain)
    assert (again(whole), again(real)) == (6, 3.0)
    ((_, form),) = again.forms.items()
    assert sum(form.stats.cache_misses.values()) == 2


@driver
def _halved(values):
    return 0.5 * values[0]


def test_what_is_compiled_is_kept_when_no_other_process_does_so():
    run = driver(_halved.plain)
    form, _ = run.form(1)
    form._cache.flush()
    saving = threading.Thread(target=run, args=(np.array([3]),))
    with kernel_cache.alone_in(Path(form._cache.cache_path)):
        saving.start()
        while not form.signatures and saving.is_alive():
            time.sleep(0.01)
        saving.join(0.2)
        assert saving.is_alive()
        assert form._cache._cache_file._load_index() == {}
    saving.join()
    assert len(form._cache._cache_file._load_index()) == 1


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
    for path in sorted(Path(kernels.__file__).parents[1].rglob("*.py")):
        assert list(_assigned_in_prange(path.read_text())) == [], path
