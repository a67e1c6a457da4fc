"""Overlap with Top-Pop: by hand, and the compiled form against a plain count."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.metrics.top_pop_overlap import share_of_popular, threshold, top_pop_overlap


def test_by_hand() -> None:
    lists, popularity = [[0, 1], [1, 2], [3, -1], [-1, -1]], [5, 4, 4, 1]
    known = np.zeros((4, 4), bool)
    known[1, 0] = True
    # Items 1 and 2 tie for the second place, so both count.
    assert top_pop_overlap(lists, popularity, known, 2) == pytest.approx([1, 1, 0, math.nan], nan_ok=True)


@given(st.integers(0, 2**32), st.integers(1, 9), st.integers(1, 6))
def test_compiled_and_plain(seed: int, items: int, k: int) -> None:
    generator = np.random.default_rng(seed)
    known = generator.random(items) < 0.4
    popularity = generator.integers(0, 4, items).astype(float)
    unseen = np.flatnonzero(~known)
    listed = generator.permutation(unseen)[: generator.integers(0, len(unseen) + 1)]
    row = np.concatenate([listed, np.full(items - len(listed), -1, np.int64)])
    first = [int(j) for j in row[:k] if j >= 0]
    best = sorted((popularity[j] for j in unseen), reverse=True)[:k]
    expected = sum(popularity[j] >= best[-1] for j in first) / len(first) if first else math.nan
    least = threshold(popularity, np.argsort(-popularity, kind="stable"), known, k)
    assert share_of_popular(row, popularity, least, k) == pytest.approx(expected, nan_ok=True)
    assert top_pop_overlap([row], popularity, [known], k) == pytest.approx([expected], nan_ok=True)
