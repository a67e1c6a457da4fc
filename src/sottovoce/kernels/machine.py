"""What the machine offers to compiled code: its clock, and a word to its memory."""

import time
from typing import Any

import numba
from numba.core import cgutils
from numba.extending import intrinsic, overload

from sottovoce.kernels.components import LEAN


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


@overload(clock, jit_options=LEAN)
def _clock_compiled():
    return lambda: _clock()


AHEAD = 16
"""Prefetch distance, in rows: about as long as memory takes to answer."""


def prefetch(array: Any, row: int) -> None:
    """Start to load `array[row]` into the cache. In plain Python this does nothing."""


@intrinsic
def _prefetch(typing_context, array, row):
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


@overload(prefetch, jit_options=LEAN)
def _prefetch_compiled(array, row):
    return lambda array, row: _prefetch(array, row)
