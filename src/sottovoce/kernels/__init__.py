"""Compiled code: Numba, its cache, its threads, and randomness that needs no state.

This package alone imports Numba. It offers these things to write kernels with:

- `helper`: a function that compiled code may call, and that stays a plain function in Python.
  `inlined` is the same for small ones in inner loops: a length that the caller knows at compile
  time is then known in them too. `summing` is for those that sum up so much that the order does not
  matter, but the time does.
- `operation`: a function with one implementation per component type. `@weight.rule(Linear)`
  registers an implementation; a call is resolved by the type of the first argument, in Python
  at run time and in compiled code at compile time, so it costs nothing.
- `driver`: an entry point from Python, compiled once per combination of argument types and kept
  on disk. It has a parallel form and a serial twin that give bit-identical results. The body of
  its `prange` loop never assigns to a tuple's array (`tables.rows[j] = …`) itself, but calls a
  helper that does: Numba takes such an assignment there for dead code and drops it silently.
- `clock`, the time; `ask`, which has scattered rows on their way before they are needed.
- `stream`, `draw`, `uniform`, `below`, `normal`: random numbers as a hash of where they are used.
- `load`, `store`: numbers in arrays of 16 bits, rounded at random with the bits of `dither`.
- `blocks.add_products`, `blocks.add_outer`, `blocks.dots`: products of small matrices.
"""

import functools
import inspect
import math
import re
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import cgutils
from numba.core.caching import FunctionCache
from numba.core.errors import NumbaError
from numba.extending import intrinsic, overload, register_jitable

from sottovoce import kernel_cache
from sottovoce.errors import RecipeError
from sottovoce.kernel_cache import cache_directory as cache_directory

F = TypeVar("F", bound=Callable[..., Any])

prange = numba.prange

_LEAN = {"no_cfunc_wrapper": True}  # nobody calls compiled code from C, and a way to do so takes time to make


def helper(function: F) -> F:
    """Make a function callable from compiled code; in Python it stays as it is."""
    kernel_cache.takes_part(function)
    compiled: F = register_jitable(**_LEAN)(function)
    return compiled


def inlined(function: F) -> F:
    """The same, and its body is put where it is called."""
    kernel_cache.takes_part(function)
    compiled: F = register_jitable(forceinline=True, **_LEAN)(function)
    return compiled


def summing(function: F) -> F:
    """A helper whose sums may be taken in any order, so that they vectorise."""
    kernel_cache.takes_part(function)
    compiled: F = register_jitable(fastmath={"reassoc", "contract", "nsz"}, **_LEAN)(function)
    return compiled


# Components


class _Operation:
    """Implementations of one operation, by component type."""

    def __init__(self, stub: Callable[..., Any], default: Callable[..., Any] | None, by: str) -> None:
        self.name, self.module = stub.__name__, stub.__module__
        self.parameters = list(inspect.signature(stub).parameters)
        self.rules: dict[Any, Callable[..., Any]] = {}
        self.default = default
        self.by = by

    def find(self, component: type | None) -> Callable[..., Any] | None:
        keys = (getattr(component, self.by),) if self.by else component.__mro__ if component else ()
        return next((self.rules[key] for key in keys if key in self.rules), self.default)

    def add(self, component: Any, function: F) -> F:
        names = list(inspect.signature(function).parameters)
        if names != self.parameters:
            wanted = ", ".join(self.parameters)
            raise TypeError(f"{function.__name__} implements {self.name}({wanted}) and must take just these")
        self.rules[component] = function
        kernel_cache.takes_part(function, component)
        return function


def operation(stub: Any = None, *, default: Callable[..., Any] | None = None, by: str = "") -> Any:
    """Make `stub` a function that is resolved by the type of its first argument.

    The stub gives the name, the parameters and the documentation; its body is never run.
    `default` serves the types for which nothing is registered. With `by`, the name of a class
    attribute, implementations are registered for that attribute's values instead of for types.
    """
    if stub is None:
        return functools.partial(operation, default=default, by=by)
    table = _Operation(stub, default, by)

    @functools.wraps(stub)
    def call(component: Any, *rest: Any) -> Any:
        found = table.find(type(component))
        if found is None:
            raise TypeError(f"{type(component).__name__} does not implement {table.name}")
        return found(component, *rest)

    def resolve(*arguments: Any) -> Callable[..., Any] | None:
        return table.find(getattr(arguments[0], "instance_class", None))

    resolve.__signature__ = inspect.signature(stub)  # type: ignore[attr-defined]
    overload(call, jit_options=_LEAN)(resolve)
    call.rule = lambda component: functools.partial(table.add, component)  # type: ignore[attr-defined]
    call.table = table  # type: ignore[attr-defined]
    return call


def missing(component: type, package: Any) -> list[str]:
    """What a component lacks of the operations that `package` declares for its kind, as one writes it."""
    named = component.__name__
    tables = [getattr(value, "table", None) for value in vars(package).values()]
    declared = [t for t in tables if isinstance(t, _Operation) and t.module == package.__name__]
    needed = [table for table in declared if table.default is None]
    return [f"@{t.name}.rule({named})" for t in needed if not t.by and t.find(component) is None] + [
        f"{t.by}={' or '.join(map(repr, t.rules))} in @component(…)"
        for t in needed
        if t.by and getattr(component, t.by, None) not in t.rules
    ]


def constant(function: Callable[[Any], int]) -> Any:
    """Make `function(component class)` a compile-time constant for instances of that class."""

    @functools.wraps(function)
    def call(instance: Any) -> int:
        return function(type(instance))

    def resolve(instance):
        value = function(instance.instance_class)
        return lambda instance: value

    overload(call, jit_options=_LEAN)(resolve)
    return call


# Drivers

_COMPILED = "Compiled code is loops over numbers and arrays; SOTTOVOCE_DEBUG=1 shows all that Numba said."

_lock = threading.Lock()
_drivers: list["Driver"] = []


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache on disk, for several processes that compile at the same time.

    Numba reads an index of a function's files, adds a file, and writes the index back. Of two
    processes that do so at once one would lose its file, or find the other's under its own name.
    """

    def _load_overload(self, signature, target):
        found = super()._load_overload(signature, target)
        return found if found is None or found.signature.args == signature else None

    def _save_overload(self, signature, compiled):
        with kernel_cache.alone_in(Path(self.cache_path)):
            super()._save_overload(signature, compiled)


class Driver:
    """A compiled entry point: a parallel form and a serial twin of the same function.

    Called with `batch`, the number of independent pieces of work; few of them take the twin,
    because starting threads costs more than the work. Only one thread at a time is inside.

    On a machine that is busy with other work, threads that must wait for each other are slower than
    one alone, by a factor of ten and more. A parallel call that used little of the time of its
    threads is therefore followed by some on one thread, then by another attempt. That changes when
    things are computed, never what.
    """

    small = 8
    patience = 8, 256  # calls on one thread after the first crowded attempt, and after many

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.plain = function
        self.outside = kernel_cache.is_outside(function)
        self.forms: dict[tuple[bool, str | None], Any] = {}  # by whether parallel, and by code outside
        self.alone = 0  # calls left on one thread
        self.crowded = 0  # attempts in a row that found the machine busy
        _drivers.append(self)

    def form(self, batch: int, arguments: tuple[Any, ...] = ()) -> tuple[Any, bool]:
        """The compiled function for these arguments, and whether it is the parallel one."""
        parallel = batch >= self.small and threads() > 1
        apart = self.outside or kernel_cache.involves_outside(arguments)
        outside = kernel_cache.outside_fingerprint() if apart else None
        if (parallel, outside) not in self.forms:
            place = None if outside == "" else cache_directory(outside or "")
            if place is not None:
                # Numba's cache cannot tell the two forms of a function apart.
                numba.config.CACHE_DIR = str(place / ("parallel" if parallel else "serial"))
            jit = numba.njit(parallel=parallel, error_model="numpy", nogil=True, **_LEAN)
            self.forms[parallel, outside] = jit(self.plain)
            if place is not None:
                self.forms[parallel, outside]._cache = _Cache(self.plain)
        return self.forms[parallel, outside], parallel

    def compile(self, *arguments: Any, batch: int = 1) -> None:
        """Load or compile for these arguments without running, so that a timed call only runs."""
        with _lock, _explained(arguments):
            self.form(batch, arguments)[0].compile(tuple(numba.typeof(a) for a in arguments))

    def __call__(self, *arguments: Any, batch: int = 1) -> Any:
        with _lock, _explained(arguments):
            form, parallel = self.form(batch, arguments)
            return self._in_parallel(form, arguments) if parallel else form(*arguments)

    def _in_parallel(self, form: Any, arguments: tuple[Any, ...]) -> Any:
        count = threads() if self.alone == 0 else 1
        self.alone -= count == 1
        numba.set_num_threads(count)
        wall, used = time.perf_counter(), time.process_time()
        result = form(*arguments)
        wall, used = time.perf_counter() - wall, time.process_time() - used
        if count > 1 and wall > 1e-3:
            self.crowded = self.crowded + 1 if used < 0.45 * count * wall else 0
            if self.crowded:
                self.alone = min(self.patience[0] << (self.crowded - 1), self.patience[1])
        return result


def _gist(text: str) -> str:
    """The innermost of the reasons that Numba nests, and its line if that is in code from outside."""
    reason = text.rpartition("raised a specific error:")[2]
    lines = re.split(r"During:|There (?:are|is) \d+ candidate", reason)[0].splitlines()
    said = " ".join(line.strip() for line in lines if "Failed in nopython mode" not in line)
    place = re.search(r'File "([^"]+)", line (\d+)', reason)
    line = f" (line {place[2]})" if place and kernel_cache.is_outside_file(place[1]) else ""
    return textwrap.shorten(said, 300) + line


@contextmanager
def _explained(arguments: tuple[Any, ...]) -> Iterator[None]:
    """Say in a sentence what cannot be compiled in a component from outside, and where."""
    try:
        yield
    except NumbaError as error:
        names = ", ".join(type(a).__name__ for a in arguments if kernel_cache.involves_outside(a))
        if not names:
            raise
        raise RecipeError(f"{names} cannot be compiled: {_gist(str(error))}.", _COMPILED) from error


def driver(function: Callable[..., Any]) -> Driver:
    """Make `function` a `Driver`. Loops over `prange` in it run in parallel."""
    return Driver(function)


def compilations() -> int:
    """How many kernels this process had to compile because they were not in the cache."""
    return sum(sum(f.stats.cache_misses.values()) for d in _drivers for f in d.forms.values())


_threads = 0


def threads() -> int:
    """How many threads drivers use."""
    return _threads or numba.config.NUMBA_NUM_THREADS


@contextmanager
def set_threads(count: int) -> Iterator[None]:
    """Use `count` threads inside the block; 0 means as many as there are."""
    global _threads
    before, limit = _threads, numba.config.NUMBA_NUM_THREADS
    _threads = min(count or limit, limit)
    try:
        yield
    finally:
        _threads = before


# Time


def clock() -> float:
    """Seconds on a clock that only ever advances."""
    return time.monotonic()


@intrinsic
def _clock(typing_context):
    def generate(context, builder, signature, arguments):
        ir = cgutils.ir
        short, long, real = ir.IntType(32), ir.IntType(64), ir.DoubleType()
        spec = cgutils.alloca_once(builder, ir.ArrayType(long, 2))
        called = ir.FunctionType(short, [short, spec.type])
        function = cgutils.get_or_insert_function(builder.module, called, "clock_gettime")
        builder.call(function, [ir.Constant(short, time.CLOCK_MONOTONIC), spec])
        parts = [builder.load(cgutils.gep_inbounds(builder, spec, 0, n)) for n in range(2)]
        seconds, nanos = (builder.sitofp(part, real) for part in parts)
        return builder.fadd(seconds, builder.fmul(nanos, ir.Constant(real, 1e-9)))

    return numba.float64(), generate


@overload(clock, jit_options=_LEAN)
def _clock_compiled():
    return lambda: _clock()


# Memory

AHEAD = 16
"""How many rows before it is needed a scattered row is asked for: about as long as memory takes."""


def ask(array: Any, row: int) -> None:
    """Ask memory for a row that will soon be needed; where there is nothing to wait for, nothing is done."""


@intrinsic
def _ask(typing_context, array, row):
    def generate(context, builder, signature, arguments):
        ir = cgutils.ir
        short, place = ir.IntType(32), ir.IntType(8).as_pointer()
        held = context.make_array(signature.args[0])(context, builder, arguments[0])
        offset = builder.mul(arguments[1], builder.extract_value(held.strides, 0))
        where = builder.gep(builder.bitcast(held.data, place), [offset])
        called = ir.FunctionType(ir.VoidType(), [place, short, short, short])
        function = cgutils.get_or_insert_function(builder.module, called, "llvm.prefetch.p0i8")
        builder.call(function, [where, *(ir.Constant(short, n) for n in (1, 3, 1))])  # to write, keep, data
        return context.get_dummy_value()

    return numba.void(array, numba.int64), generate


@overload(ask, jit_options=_LEAN)
def _ask_compiled(array, row):
    return lambda array, row: _ask(array, row)


# Randomness: a hash of (run, purpose, person, step, draw), the same for any number of threads

INIT, TRAIN, PEERS, GRAPH, SPLIT, NEGATIVES, SYNTHETIC, RANDOM, WEIGHTING, BOOTSTRAP = range(1, 11)
PHASE, LOSS, LINKS, CHURN, COMPRESSION, PARTICIPANTS, ROUNDING, STORAGE, SHUFFLE, CLUSTERS = range(11, 21)
LIKENESS = 21

_GOLDEN, _MIX1, _MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK, _UNIT = 0xFFFFFFFFFFFFFFFF, 1.0 / (1 << 53)


def _mix(state: int, value: int) -> int:
    """One step of SplitMix64's finaliser over `state` and `value`."""
    z = (int(state) + (int(value) + 1) * _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * _MIX1) & _MASK
    z = ((z ^ (z >> 27)) * _MIX2) & _MASK
    return z ^ (z >> 31)


@overload(_mix, jit_options=_LEAN)
def _mix_compiled(state, value):
    golden, mix1, mix2 = np.uint64(_GOLDEN), np.uint64(_MIX1), np.uint64(_MIX2)
    s27, s30, s31, one = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(1)

    def mix(state, value):
        z = np.uint64(state) + (np.uint64(value) + one) * golden
        z = (z ^ (z >> s30)) * mix1
        z = (z ^ (z >> s27)) * mix2
        return z ^ (z >> s31)

    return mix


@helper
def stream(run, purpose, person, step):
    """The key of the random numbers that `person` uses for `purpose` at `step` of run `run`."""
    return _mix(_mix(_mix(_mix(0, run), purpose), person), step)


@helper
def draw(key, index):
    """64 random bits: number `index` of the stream `key`."""
    return _mix(key, index)


def uniform(key: int, index: int) -> float:
    """A number in [0, 1)."""
    return (_mix(key, index) >> 11) * _UNIT


@overload(uniform, jit_options=_LEAN)
def _uniform_compiled(key, index):
    return lambda key, index: np.float64(np.int64(_mix(key, index) >> np.uint64(11))) * _UNIT


@helper
def below(key, index, count):
    """A whole number in [0, count)."""
    return int(uniform(key, index) * count)


@helper
def normal(key, index):
    """A standard normal number (Box and Muller 1958), from draws 2·index and 2·index + 1."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(key, 2 * index)))
    return radius * math.cos(2.0 * math.pi * uniform(key, 2 * index + 1))


# Storage in 16 bits: a bfloat16, the upper half of a float32, in a uint16. A number between two of them is
# rounded up with the chance that makes the mean right: nearest would lose every step that is small enough.


def dither(key: int, index: int, half: int) -> int:
    """16 random bits: the lower (`half` 0) or upper (1) ones of number `index` of the stream `key`.

    In arithmetic of 32 bits, which vectorises; the multipliers are those of Wellons (2018).
    """
    x = (int(index) * 0x9E3779B1 + int(key)) & 0xFFFFFFFF
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ (x >> 15) ^ (int(key) >> 32)) * 0x846CA68B) & 0xFFFFFFFF
    return ((x ^ (x >> 16)) >> (16 * half)) & 0xFFFF


_in_place = functools.partial(overload, jit_options={"forceinline": True, **_LEAN})


@_in_place(dither)
def _dither_compiled(key, index, half):
    golden, mix1, mix2 = np.uint32(0x9E3779B1), np.uint32(0x7FEB352D), np.uint32(0x846CA68B)
    s15, s16, low = np.uint32(15), np.uint32(16), np.uint32(0xFFFF)

    def compiled(key, index, half):
        x = np.uint32(np.uint32(index) * golden + np.uint32(key))
        x = np.uint32((x ^ (x >> s16)) * mix1)
        x = np.uint32((x ^ (x >> s15) ^ np.uint32(key >> np.uint64(32))) * mix2)
        return np.uint32((x ^ (x >> s16)) >> np.uint32(16 * half)) & low

    return compiled


def load(value: Any) -> Any:
    """A number out of an array: the bfloat16 that a uint16 holds, as float32, and all others as they are."""
    return np.uint32(int(value) << 16).view(np.float32) if isinstance(value, np.uint16) else value


@_in_place(load)
def _load_compiled(value):
    if value == numba.uint16:
        return lambda value: np.uint32(np.uint32(value) << np.uint32(16)).view(np.float32)
    return lambda value: value


def store(array: Any, value: Any, bits: int) -> Any:
    """What `array` holds for a number: in a uint16, the bfloat16 below or above, as 16 random bits decide.

    What a bfloat16 holds exactly stays as it is.
    """
    short = array.dtype == np.uint16
    return np.uint16((int(np.float32(value).view(np.uint32)) + int(bits)) >> 16 & 0xFFFF) if short else value


@_in_place(store)
def _store_compiled(array, value, bits):
    if array.dtype == numba.uint16:
        return lambda array, value, bits: np.uint16(
            np.uint32(np.float32(value).view(np.uint32) + np.uint32(bits)) >> np.uint32(16)
        )
    return lambda array, value, bits: value
