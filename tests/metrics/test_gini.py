"""Gini and evenness: by hand, by their definition, and as FPL prints them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.metrics.gini import evenness, gini, inequality


def test_by_hand() -> None:
    assert gini([1, 1, 1, 1]) == 0
    assert gini([0, 0, 0, 9]) == pytest.approx(3 / 4)
    assert gini([1, 3]) == pytest.approx(1 / 4)
    assert math.isnan(gini([0, 0]))
    assert math.isnan(evenness([3]))


def test_evenness_is_what_fpl_prints_for_top_pop() -> None:
    """Table 2, Anelli et al. 2020: nearly the same ten of the 25,522 venues of Italy for everybody."""
    counts = np.zeros(25_522)
    counts[:10] = 1353
    assert round(evenness(counts), 5) == 0.00035
    assert round(1 - gini(counts), 5) == 0.00039


@given(st.lists(st.integers(0, 50), min_size=2, max_size=40).filter(any))
def test_gini_is_half_the_relative_mean_difference(counts: list[int]) -> None:
    differences = sum(abs(a - b) for a in counts for b in counts)
    expected = differences / (2 * len(counts) * sum(counts))
    assert gini(counts) == pytest.approx(expected)
    assert inequality(sorted(counts)) == pytest.approx(expected)
    assert -1e-12 <= evenness(counts) <= 1 + 1e-12
