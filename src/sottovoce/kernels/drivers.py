"""Entry points from Python into compiled code, and how many threads they use."""

import contextlib
import functools
import re
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache
from numba.core.errors import NumbaError

from sottovoce import kernel_cache
from sottovoce.errors import RecipeError
from sottovoce.kernels.components import LEAN
from sottovoce.kernels.light import load_without_scipy

prange = numba.prange

_COMPILED = "Compiled code is loops over numbers and arrays; SOTTOVOCE_DEBUG=1 shows all that Numba said."

_lock = threading.Lock()
_drivers: list["Driver"] = []


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache on disk, for several processes that compile at the same time.

    Numba reads an index of a function's files, adds a file, and writes the index back. Of two
    processes that do so at once one would lose its file, or find the other's under its own name.
    What is damaged is compiled anew, and where there is no space for a file, the code is used unkept.
    """

    def _load_overload(self, signature, target):
        try:
            found = super()._load_overload(signature, target)
        except Exception:  # whatever a damaged file leads to
            self._forget()
            return None
        return found if found is None or found.signature.args == signature else None

    def _save_overload(self, signature, compiled):
        try:
            with kernel_cache.alone_in(Path(self.cache_path)):
                super()._save_overload(signature, compiled)
        except OSError as error:
            kernel_cache.not_kept(error)

    def _forget(self):
        """Remove the index, without which a function's files are not found; it is written anew."""
        with contextlib.suppress(OSError):
            Path(self._cache_file._index_path).unlink(missing_ok=True)


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
            load_without_scipy()
            place = None if outside == "" else kernel_cache.cache_directory(outside or "")
            if place is not None:
                # Numba's cache cannot tell the two forms of a function apart.
                numba.config.CACHE_DIR = str(place / ("parallel" if parallel else "serial"))
            jit = numba.njit(parallel=parallel, error_model="numpy", nogil=True, **LEAN)
            self.forms[parallel, outside] = jit(self.plain)
            if place is not None:
                try:
                    self.forms[parallel, outside]._cache = _Cache(self.plain)
                except (OSError, RuntimeError) as error:  # no space for a folder
                    kernel_cache.not_kept(error)
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


def threading_layer() -> str | None:
    """What Numba runs threads with, or None if no parallel kernel has run."""
    try:
        return str(numba.threading_layer())
    except ValueError:
        return None


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
