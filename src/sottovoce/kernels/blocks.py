"""Products of small matrices, in vectors of eight.

What is summed up stays in registers, in tiles that are small enough for them: loops that LLVM vectorises
by itself go to memory and back for each number, which takes more than twice as long. A product and its sum
are rounded once where the processor can do that. Where there is a column for each lane, the number of
lanes is a multiple of WIDE.
"""

from typing import Any

import numba
import numpy as np
from numba.core import cgutils
from numba.extending import intrinsic, overload

WIDE = 8
"""How many lanes there are in a vector."""

_ir = cgutils.ir
_NEAR = [0, 2, 8, 10, 4, 6, 12, 14], [1, 3, 9, 11, 5, 7, 13, 15]
_FAR = [0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]


class _Vectors:
    """Instructions on vectors of an array's numbers."""

    def __init__(self, context: Any, builder: Any, numbers: Any) -> None:
        self.context, self.builder = context, builder
        self.real = context.get_value_type(numbers.dtype)
        self.size = numbers.dtype.bitwidth // 8
        self.nothing = _ir.Constant(_ir.VectorType(self.real, WIDE), [0.0] * WIDE)

    def count(self, number: int) -> Any:
        return _ir.Constant(_ir.IntType(64), number)

    def at(self, kind: Any, array: Any, *index: Any) -> Any:
        """Where a number of an array lies."""
        held = self.context.make_array(kind)(self.context, self.builder, array)
        place = self.builder.bitcast(held.data, _ir.IntType(8).as_pointer())
        strides = cgutils.unpack_tuple(self.builder, held.strides)
        for n, stride in zip(index, strides, strict=True):
            place = self.builder.gep(place, [self.builder.mul(n, stride)])
        return place

    def extent(self, kind: Any, array: Any, axis: int) -> Any:
        shape = self.context.make_array(kind)(self.context, self.builder, array).shape
        return cgutils.unpack_tuple(self.builder, shape)[axis]

    def load(self, place: Any, length: int = WIDE) -> Any:
        kind = _ir.VectorType(self.real, length).as_pointer()
        return self.builder.load(self.builder.bitcast(place, kind), align=self.size)

    def load_first(self, place: Any, count: Any) -> Any:
        """A vector of which only the first `count` numbers are read, and all others are 0."""
        vector, short = self.nothing.type, _ir.IntType(32)
        lanes = _ir.Constant(_ir.VectorType(count.type, WIDE), list(range(WIDE)))
        one = self.builder.insert_element(_ir.Constant(lanes.type, _ir.Undefined), count, short(0))
        wanted = self.builder.icmp_unsigned("<", lanes, self.shuffled(one, one, [0] * WIDE))
        kinds = [vector.as_pointer(), short, wanted.type, vector]
        lane = f"v{WIDE}f{8 * self.size}"
        called, name = _ir.FunctionType(vector, kinds), f"llvm.masked.load.{lane}.p0{lane}"
        function = cgutils.get_or_insert_function(self.builder.module, called, name)
        place = self.builder.bitcast(place, vector.as_pointer())
        return self.builder.call(function, [place, short(self.size), wanted, self.nothing])

    def store(self, value: Any, place: Any) -> None:
        self.builder.store(value, self.builder.bitcast(place, value.type.as_pointer()), align=self.size)

    def shuffled(self, left: Any, right: Any, order: list[int]) -> Any:
        chosen = _ir.Constant(_ir.VectorType(_ir.IntType(32), len(order)), order)
        return self.builder.shuffle_vector(left, right, chosen)

    def everywhere(self, place: Any) -> Any:
        """One number in all lanes."""
        one = self.load(place, 1)
        return self.shuffled(one, one, [0] * WIDE)

    def add_product(self, total: Any, left: Any, right: Any) -> None:
        """total += left · right, `total` being kept on the stack until LLVM finds a register for it."""
        kind = left.type
        called = _ir.FunctionType(kind, [kind] * 3)
        name = f"llvm.fmuladd.v{WIDE}f{8 * self.size}"
        function = cgutils.get_or_insert_function(self.builder.module, called, name)
        self.builder.store(self.builder.call(function, [left, right, self.builder.load(total)]), total)

    def sums(self, vectors: list[Any]) -> Any:
        """The sum over the lanes of each of 1, 2, 4 or 8 vectors, as a vector of that length."""
        length = len(vectors)
        for first, second in (_NEAR, _NEAR, _FAR):
            pairs = [*zip(vectors[::2], vectors[1::2], strict=True)] if len(vectors) > 1 else [vectors * 2]
            halves = [(self.shuffled(a, b, first), self.shuffled(a, b, second)) for a, b in pairs]
            vectors = [self.builder.fadd(*both) for both in halves]
        return self.shuffled(vectors[0], vectors[0], list(range(length)))


def _products(rows: int, vectors: int) -> Any:
    """A tile of `add_products`: a number of outputs, and vectors of lanes."""

    @intrinsic
    def tile(typing_context, out, first, x, begin, weight, at, inputs, across, along, lane):
        def generate(context, builder, signature, arguments):
            kinds = signature.args
            out, first, x, begin, weight, at, inputs, across, along, lane = arguments
            make = _Vectors(context, builder, kinds[0])
            lanes = [builder.add(lane, make.count(v * WIDE)) for v in range(vectors)]
            outputs = [builder.add(first, make.count(r)) for r in range(rows)]
            places = [[make.at(kinds[0], out, o, v) for v in lanes] for o in outputs]
            totals = [[cgutils.alloca_once_value(builder, make.load(p)) for p in row] for row in places]
            with cgutils.for_range(builder, inputs) as loop:
                given = [make.load(make.at(kinds[2], x, builder.add(begin, loop.index), v)) for v in lanes]
                column = builder.add(at, builder.mul(loop.index, across))
                for r, row in enumerate(totals):
                    place = builder.add(column, builder.mul(make.count(r), along))
                    factor = make.everywhere(make.at(kinds[4], weight, place))
                    for total, numbers in zip(row, given, strict=True):
                        make.add_product(total, factor, numbers)
            for row, into in zip(totals, places, strict=True):
                for total, place in zip(row, into, strict=True):
                    make.store(builder.load(total), place)
            return context.get_dummy_value()

        n = numba.int64
        return numba.void(out, n, x, n, weight, n, n, n, n, n), generate

    return tile


def _outer(rows: int, columns: int) -> Any:
    """A tile of `add_outer`: a number of outputs and of inputs."""

    @intrinsic
    def tile(typing_context, total, at, error, first, x, begin, along):
        def generate(context, builder, signature, arguments):
            kinds = signature.args
            total, at, error, first, x, begin, along = arguments
            make = _Vectors(context, builder, kinds[0])
            totals = [
                [cgutils.alloca_once_value(builder, make.nothing) for _ in range(columns)]
                for _ in range(rows)
            ]
            outputs = [builder.add(first, make.count(r)) for r in range(rows)]
            inputs = [builder.add(begin, make.count(c)) for c in range(columns)]
            lanes = make.extent(kinds[4], x, 1)
            with cgutils.for_range(builder, builder.udiv(lanes, make.count(WIDE))) as loop:
                lane = builder.mul(loop.index, make.count(WIDE))
                given = [make.load(make.at(kinds[4], x, i, lane)) for i in inputs]
                for o, row in zip(outputs, totals, strict=True):
                    factor = make.load(make.at(kinds[2], error, o, lane))
                    for sum_, numbers in zip(row, given, strict=True):
                        make.add_product(sum_, factor, numbers)
            for r, row in enumerate(totals):
                place = make.at(kinds[0], total, builder.add(at, builder.mul(make.count(r), along)))
                found = make.sums([builder.load(sum_) for sum_ in row])
                make.store(builder.fadd(make.load(place, columns), found), place)
            return context.get_dummy_value()

        n = numba.int64
        return numba.void(total, n, error, n, x, n, n), generate

    return tile


def _dots(rows: int) -> Any:
    """A tile of `dots`: a number of rows."""

    @intrinsic
    def tile(typing_context, out, n, vector, table, places):
        def generate(context, builder, signature, arguments):
            kinds = signature.args
            out, n, vector, table, places = arguments
            make = _Vectors(context, builder, kinds[0])
            totals = [cgutils.alloca_once_value(builder, make.nothing) for _ in range(rows)]
            chosen = cgutils.unpack_tuple(builder, places, rows)

            def add(begin: Any, load: Any) -> None:
                factor = load(make.at(kinds[2], vector, begin))
                for total, row in zip(totals, chosen, strict=True):
                    make.add_product(total, factor, load(make.at(kinds[3], table, row, begin)))

            length, wide = make.extent(kinds[2], vector, 0), make.count(WIDE)
            with cgutils.for_range(builder, builder.udiv(length, wide)) as loop:
                add(builder.mul(loop.index, wide), make.load)
            rest = builder.urem(length, wide)
            with builder.if_then(builder.icmp_unsigned(">", rest, make.count(0))):
                add(builder.sub(length, rest), lambda place: make.load_first(place, rest))
            make.store(make.sums([builder.load(total) for total in totals]), make.at(kinds[0], out, n))
            return context.get_dummy_value()

        n = numba.int64
        return numba.void(out, n, vector, table, numba.types.UniTuple(n, rows)), generate

    return tile


_PRODUCTS, _PRODUCTS_1, _PRODUCT, _PRODUCT_1 = (
    _products(4, 2),
    _products(4, 1),
    _products(1, 2),
    _products(1, 1),
)
_OUTER, _OUTER_1, _SUM = _outer(2, 4), _outer(1, 4), _outer(1, 1)
_DOTS, _DOT = _dots(8), _dots(1)


def _in_rows(*arrays: Any) -> bool:
    """Whether arrays are such that their numbers lie one after the other."""
    return all(array.layout == "C" for array in arrays)


def add_products(
    out: Any,
    first: int,
    x: Any,
    begin: int,
    weight: Any,
    at: int,
    inputs: int,
    outputs: int,
    across: int,
    along: int,
) -> None:
    """out[first + o] += Σᵢ weight[at + o · along + i · across] x[begin + i], in every lane."""
    places = at + np.arange(outputs)[:, None] * along + np.arange(inputs) * across
    out[first : first + outputs] += weight[places] @ x[begin : begin + inputs]


@overload(add_products, jit_options={"no_cfunc_wrapper": True})
def _add_products(out, first, x, begin, weight, at, inputs, outputs, across, along):
    if not _in_rows(out, x, weight):
        return None

    def compiled(out, first, x, begin, weight, at, inputs, outputs, across, along):
        lanes = x.shape[1]
        full, pairs = outputs - outputs % 4, lanes - lanes % (2 * WIDE)
        for o in range(0, full, 4):
            k = at + o * along
            for lane in range(0, pairs, 2 * WIDE):
                _PRODUCTS(out, first + o, x, begin, weight, k, inputs, across, along, lane)
            for lane in range(pairs, lanes, WIDE):
                _PRODUCTS_1(out, first + o, x, begin, weight, k, inputs, across, along, lane)
        for o in range(full, outputs):
            k = at + o * along
            for lane in range(0, pairs, 2 * WIDE):
                _PRODUCT(out, first + o, x, begin, weight, k, inputs, across, along, lane)
            for lane in range(pairs, lanes, WIDE):
                _PRODUCT_1(out, first + o, x, begin, weight, k, inputs, across, along, lane)

    return compiled


def add_outer(
    total: Any, at: int, error: Any, first: int, x: Any, begin: int, inputs: int, outputs: int, along: int
) -> None:
    """total[at + o · along + i] += Σ error[first + o] · x[begin + i], over lanes."""
    places = at + np.arange(outputs)[:, None] * along + np.arange(inputs)
    total[places] += error[first : first + outputs] @ x[begin : begin + inputs].T


@overload(add_outer, jit_options={"no_cfunc_wrapper": True})
def _add_outer(total, at, error, first, x, begin, inputs, outputs, along):
    if not _in_rows(total, error, x):
        return None

    def compiled(total, at, error, first, x, begin, inputs, outputs, along):
        fours, twos = inputs - inputs % 4, outputs - outputs % 2
        for o in range(0, twos, 2):
            for i in range(0, fours, 4):
                _OUTER(total, at + o * along + i, error, first + o, x, begin + i, along)
        for o in range(outputs):
            k = at + o * along
            for i in range(0 if o >= twos else fours, fours, 4):
                _OUTER_1(total, k + i, error, first + o, x, begin + i, along)
            for i in range(fours, inputs):
                _SUM(total, k + i, error, first + o, x, begin + i, along)

    return compiled


def dots(out: Any, vector: Any, table: Any, places: Any) -> None:
    """out[n] = table[places[n], : len(vector)] · vector; where `places` is None, they are 0, 1, 2, …

    Each is summed in the same order wherever it stands.
    """
    rows = table[: len(out)] if places is None else table[places]
    out[:] = rows[:, : len(vector)] @ vector


@overload(dots, jit_options={"no_cfunc_wrapper": True})
def _dots_compiled(out, vector, table, places):
    if not _in_rows(out, vector, table):
        return None
    if isinstance(places, numba.types.NoneType):

        def compiled(out, vector, table, places):
            full = len(out) - len(out) % 8
            for n in range(0, full, 8):
                _DOTS(out, n, vector, table, (n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7))
            for n in range(full, len(out)):
                _DOT(out, n, vector, table, (n,))

        return compiled

    def scattered(out, vector, table, places):
        full = len(out) - len(out) % 8
        for n in range(0, full, 8):
            near = places[n], places[n + 1], places[n + 2], places[n + 3]
            far = places[n + 4], places[n + 5], places[n + 6], places[n + 7]
            _DOTS(out, n, vector, table, near + far)
        for n in range(full, len(out)):
            _DOT(out, n, vector, table, (places[n],))

    return scattered
