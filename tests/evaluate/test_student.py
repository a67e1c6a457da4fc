"""Student's distribution beside SciPy's."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sottovoce.evaluate import student


def test_the_examples_in_the_documentation_hold() -> None:
    done = doctest.testmod(student)
    assert (done.attempted, done.failed) == (2, 0)


@given(st.floats(1e-9, 300), st.integers(1, 1_000_000))
def test_students_distribution_agrees_with_scipy(t: float, freedom: int) -> None:
    theirs = 2 * stats.t.sf(t, freedom)
    assert student.two_sided(t, freedom) == pytest.approx(theirs, rel=1e-8, abs=1e-300)
    assert student.two_sided(-t, freedom) == student.two_sided(t, freedom)


@given(st.floats(1, 1000), st.floats(0.001, 0.999))
def test_critical_values_agree_with_scipy(freedom: float, alpha: float) -> None:
    assert student.critical(freedom, alpha) == pytest.approx(stats.t.isf(alpha / 2, freedom), rel=1e-8)
