"""Figures about those whom a system serves worst."""

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.evaluate import tails as module
from sottovoce.evaluate.tails import tails

NAMES = ["cdf 0.1", "cdf 0.01", "cdf 0.001", "worst 10%"]


def test_the_example_in_the_documentation_holds() -> None:
    done = doctest.testmod(module)
    assert (done.attempted, done.failed) == (1, 0)


def test_a_thousand_people() -> None:
    values = np.random.default_rng(0).permutation(np.arange(1.0, 1001))
    assert tails(values, "hr@20") == dict(zip(NAMES, [100, 10, 1, 50.5], strict=True))
    assert tails(values, "rmse") == dict(zip(NAMES, [901, 991, 1000, 950.5], strict=True))


def test_people_with_nothing_held_out_do_not_count() -> None:
    assert tails(np.array([math.nan, 0.25, math.nan]), "ndcg@5") == dict.fromkeys(NAMES, 0.25)
    assert list(tails(np.array([math.nan]), "ndcg@5")) == NAMES
    assert all(math.isnan(figure) for figure in tails(np.array([math.nan]), "ndcg@5").values())


def test_a_diverged_model_is_in_the_tail() -> None:
    assert tails(np.array([0.9, math.inf, 1.0]), "rmse") == dict.fromkeys(NAMES, math.inf)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=3000))
def test_cdf_is_the_inverse_of_the_share_of_people(values: list[float]) -> None:
    figures = tails(np.array(values), "hr@20")
    for one_in in (10, 100, 1000):
        x = figures[f"cdf {1 / one_in:g}"]
        assert sum(v <= x for v in values) * one_in >= len(values) > sum(v < x for v in values) * one_in
    assert figures["worst 10%"] <= np.mean(values) or figures["worst 10%"] == pytest.approx(np.mean(values))
