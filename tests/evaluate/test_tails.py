"""Figures about those whom a system serves worst."""

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.evaluate import tails as module
from sottovoce.evaluate.tails import cdf, tails

NAMES = ["cdf 0.1", "cdf 0.01", "cdf 0.001", "worst 10%"]


def test_the_examples_in_the_documentation_hold() -> None:
    done = doctest.testmod(module)
    assert (done.attempted, done.failed) == (2, 0)


def test_a_thousand_people() -> None:
    values = np.random.default_rng(0).permutation(np.arange(1.0, 1001))
    assert tails(values, "hr@20") == dict(zip(NAMES, [100, 10, 1, 50.5], strict=True))
    assert tails(values, "rmse") == dict(zip(NAMES, [901, 991, 1000, 950.5], strict=True))


def test_the_tail_is_where_a_metric_is_bad() -> None:
    values = np.arange(1.0, 101)
    for metric in ("rmse", "mae", "popularity-bias@10"):
        assert tails(values, metric)["cdf 0.1"] == 91
    for metric in ("hr@5", "f1-list@5", "mrr@10", "user-coverage"):
        assert tails(values, metric)["cdf 0.1"] == 10


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, math.inf, math.nan]), max_size=50))
def test_cdf_counts_people(values: list[float]) -> None:
    known = [v for v in values if not math.isnan(v)]
    x, share = cdf(np.array(values))
    assert x.tolist() == sorted(set(known))
    assert share == pytest.approx([sum(v <= at for v in known) / len(known) for at in x])


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
