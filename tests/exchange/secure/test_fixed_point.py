"""Floats become integers that every machine computes alike, and a sum is right or an error."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.errors import MessageError
from sottovoce.exchange.secure.contribution import total
from sottovoce.exchange.secure.fixed_point import FixedPoint, fixed_point


def reference(value: float, form: FixedPoint) -> int:
    """By exact fractions: the nearest integer, ties to even, modulo 2^bits."""
    return round(Fraction(value) * 2**form.places) % 2**form.bits


@st.composite
def cases(draw: st.DrawFn) -> tuple[FixedPoint, list[list[float]]]:
    bits = draw(st.sampled_from([16, 32, 64]))
    clients = draw(st.integers(1, 9))
    form = fixed_point(bits, draw(st.integers(0, bits - 6)), clients)
    numbers = st.floats(-form.largest, form.largest, width=64).filter(
        lambda value: abs(round(Fraction(value) * 2**form.places)) <= form.limit
    )
    length = draw(st.integers(1, 4))
    return form, draw(
        st.lists(st.lists(numbers, min_size=length, max_size=length), min_size=1, max_size=clients)
    )


@given(cases())
def test_sums_are_exact(case: tuple[FixedPoint, list[list[float]]]) -> None:
    form, people = case
    encoded = form.encode(np.array(people))
    assert encoded.itemsize * 8 == form.bits
    assert encoded.tolist() == [[reference(value, form) for value in row] for row in people]
    assert (np.array([form.encode(np.array(row)) for row in people]) == encoded).all()
    exact = [sum(round(Fraction(v) * 2**form.places) for v in column) for column in zip(*people, strict=True)]
    assert form.integers(total(encoded)).tolist() == exact
    assert form.decode(total(encoded)).tolist() == [float(Fraction(n) / 2**form.places) for n in exact]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rounding(kind: type) -> None:
    form = fixed_point(32, 1, 3)
    values = np.array([0.25, 0.75, -0.25, 1.25, -1.26, 0.0, -0.0], kind)
    assert form.integers(form.encode(values)).tolist() == [0, 2, 0, 2, -3, 0, 0]


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("clients", [1, 3, 100])
@pytest.mark.parametrize("sign", [1, -1])
def test_everybody_at_the_limit(bits: int, clients: int, sign: int) -> None:
    form = fixed_point(bits, 0, clients)
    if bits < 64:  # floats cannot name the limit of 64 bits
        encoded = form.encode(np.full((clients, 1), sign * form.limit))
        assert form.integers(total(encoded)).tolist() == [sign * form.limit * clients]
    beyond = np.nextafter(float(form.limit) + 0.5, np.inf)
    with pytest.raises(MessageError, match=f"with {clients} clients, {bits} bits"):
        form.encode(np.array([0.0, sign * beyond]))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(MessageError, match="not finite"):
        fixed_point(32, 8, 3).encode(np.array([0.0, value]))


@pytest.mark.parametrize("value", [2.0**63, -(2.0**63), 1e300])
def test_what_no_integer_holds_is_refused(value: float) -> None:
    with pytest.raises(MessageError, match="at most"):
        fixed_point(64, 0, 1).encode(np.array([value]))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((8, 0, 2), "16, 32 or 64"),
        ((32, 32, 2), "binary places"),
        ((32, -1, 2), "binary places"),
        ((16, 0, 40_000), "does not fit 16 bits"),
        ((16, 0, 0), "does not fit"),
    ],
)
def test_forms_that_are_none(arguments: tuple[int, int, int], problem: str) -> None:
    with pytest.raises(MessageError, match=problem):
        fixed_point(*arguments)
