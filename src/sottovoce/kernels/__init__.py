"""Compiled code: Numba, its cache, its threads, and randomness that needs no state.

This package alone imports Numba. It offers these things to write kernels with:

- `helper`: a function that compiled code may call, and that stays a plain function in Python.
  `inlined` is the same for small ones in inner loops: a length that the caller knows at compile
  time is then known in them too. `summing` is for long sums, whose order may change so that they
  vectorise.
- `operation`: a function with one implementation per component type. `@weight.rule(Linear)`
  registers an implementation; a call is resolved by the type of the first argument, in Python
  at run time and in compiled code at compile time, so it costs nothing.
- `driver`: an entry point from Python, compiled once per combination of argument types and kept
  on disk. It has a parallel form and a serial twin that give bit-identical results. The body of
  its `prange` loop never assigns to a tuple's array (`tables.rows[j] = …`) itself, but calls a
  helper that does: Numba takes such an assignment there for dead code and drops it silently. The index
  of such a loop is unsigned, so that a helper which takes it would be compiled for both kinds of index:
  `person = np.int64(index)` avoids that.
- `clock`, the time; `prefetch`, which asks memory for scattered rows before they are needed.
- `stream`, `draw`, `uniform`, `below`, `normal`: random numbers as a hash of where they are used.
- `to_float32`, `from_float32`: numbers in arrays of 16 bits, rounded at random with the bits of `dither`.
- `blocks.add_products`, `blocks.add_outer`, `blocks.dots`: products of small matrices.
"""

from sottovoce.kernel_cache import cache_directory
from sottovoce.kernels.arithmetic import between, dot, dot_at
from sottovoce.kernels.bfloat16 import dither, from_float32, to_float32
from sottovoce.kernels.components import by_class, constant, helper, inlined, missing, operation, summing
from sottovoce.kernels.drivers import (
    Driver,
    compilations,
    driver,
    prange,
    set_threads,
    threading_layer,
    threads,
)
from sottovoce.kernels.machine import AHEAD, clock, prefetch
from sottovoce.kernels.randomness import (
    ARRIVAL,
    ATTACK,
    BOOTSTRAP,
    CHURN,
    CLUSTERS,
    COMPRESSION,
    DISCLOSURE,
    GRAPH,
    HELD,
    INIT,
    LIKENESS,
    LINKS,
    LOSS,
    LOTS,
    NEGATIVES,
    NOISE,
    OBSERVERS,
    PARTICIPANTS,
    PEERS,
    PHASE,
    RANDOM,
    ROUNDING,
    SHUFFLE,
    SPLIT,
    STORAGE,
    SYNTHETIC,
    TRAIN,
    WEIGHTING,
    below,
    draw,
    normal,
    stream,
    uniform,
)

__all__ = [
    "AHEAD",
    "ARRIVAL",
    "ATTACK",
    "BOOTSTRAP",
    "CHURN",
    "CLUSTERS",
    "COMPRESSION",
    "DISCLOSURE",
    "GRAPH",
    "HELD",
    "INIT",
    "LIKENESS",
    "LINKS",
    "LOSS",
    "LOTS",
    "NEGATIVES",
    "NOISE",
    "OBSERVERS",
    "PARTICIPANTS",
    "PEERS",
    "PHASE",
    "RANDOM",
    "ROUNDING",
    "SHUFFLE",
    "SPLIT",
    "STORAGE",
    "SYNTHETIC",
    "TRAIN",
    "WEIGHTING",
    "Driver",
    "below",
    "between",
    "by_class",
    "cache_directory",
    "clock",
    "compilations",
    "constant",
    "dither",
    "dot",
    "dot_at",
    "draw",
    "driver",
    "from_float32",
    "helper",
    "inlined",
    "missing",
    "normal",
    "operation",
    "prange",
    "prefetch",
    "set_threads",
    "stream",
    "summing",
    "threading_layer",
    "threads",
    "to_float32",
    "uniform",
]
