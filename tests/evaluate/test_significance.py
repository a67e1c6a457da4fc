"""Tests of significance beside SciPy's, and what they promise about odd input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sottovoce import kernels
from sottovoce.errors import DataError
from sottovoce.evaluate.significance import bootstrap, compare, resample, t_test, wilcoxon


@pytest.mark.parametrize(
    ("people", "levels"), [(2, 0), (5, 0), (20, 0), (50, 0), (51, 0), (943, 0), (943, 20), (12, 3)]
)
def test_p_values_agree_with_scipy(people: int, levels: int) -> None:
    """`levels` rounds values, as HR has few: then pairs are tied or equal."""
    generator = np.random.default_rng(people + levels)
    a, b = generator.random(people), generator.random(people) + 0.05
    if levels:
        a, b = (np.round(x * levels) / levels for x in (a, b))
    found = compare(a, b, samples=10)
    assert found.t_test == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9)
    differences = a - b
    tied = len(np.unique(np.abs(differences))) < people or (differences == 0).any()
    method = "exact" if people <= 50 and not tied else "approx"
    theirs = stats.wilcoxon(differences, correction=False, method=method).pvalue
    assert found.wilcoxon == pytest.approx(theirs, rel=1e-9)
    assert found.difference == pytest.approx(differences.mean())
    assert found.people == people


def test_the_bootstrap_interval_agrees_with_scipy() -> None:
    values = np.random.default_rng(1).exponential(size=300) - 0.9
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        confidence_level=0.9,
        n_resamples=10_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    spread = values.std() / math.sqrt(len(values))
    assert bootstrap(values, 0.9) == pytest.approx(tuple(theirs), abs=0.06 * spread)


@settings(max_examples=20)
@given(st.lists(st.floats(-10, 10), min_size=1, max_size=30), st.integers(0, 2**31))
def test_resampling_for_any_number_of_threads(values: list[float], seed: int) -> None:
    results = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            resample(seed, np.array(values), out := np.empty(20), batch=20)
        results.append(out.tolist())
    plain = np.empty(20)
    resample.plain(seed, np.array(values), plain)
    assert results == [plain.tolist()] * 2
    assert (plain >= min(values) - 1e-9).all()
    assert (plain <= max(values) + 1e-9).all()


def test_the_interval_covers_as_often_as_it_says() -> None:
    generator = np.random.default_rng(4)
    intervals = [bootstrap(generator.normal(size=60), samples=400, seed=n) for n in range(300)]
    assert np.mean([low <= 0 <= high for low, high in intervals]) == pytest.approx(0.94, abs=0.04)


def test_people_without_a_value_do_not_count() -> None:
    a = np.array([0.1, math.nan, 0.5, 0.7, 0.2])
    b = np.array([0.2, 0.3, math.nan, 0.1, 0.9])
    assert compare(a, b) == compare(a[[0, 3, 4]], b[[0, 3, 4]])
    assert compare(a, b).people == 3


def test_runs_that_do_not_differ() -> None:
    same = compare(np.ones(20), np.ones(20))
    assert same == (0.0, 1.0, 1.0, 0.0, 0.0, 20)
    shifted = compare(np.ones(20), np.zeros(20))
    assert (shifted.t_test, shifted.low, shifted.high) == (0.0, 1.0, 1.0)
    assert shifted.wilcoxon == pytest.approx(
        stats.wilcoxon(np.ones(20), correction=False, method="approx").pvalue
    )


def test_too_few_and_infinite_values_are_not_tested() -> None:
    alone = compare([0.5], [0.25])
    assert alone.difference == 0.25
    assert all(math.isnan(p) for p in alone[1:5])
    assert math.isnan(compare([], []).difference)
    diverged = compare([math.inf, 1.0, 2.0], [1.0, 1.0, 1.0])
    assert diverged.difference == math.inf
    assert all(math.isnan(p) for p in diverged[1:5])


def test_arrays_that_cannot_be_paired() -> None:
    with pytest.raises(DataError, match="cannot be paired"):
        compare([1.0, 2.0], [1.0])


def test_parts_of_the_comparison() -> None:
    differences = np.array([1.0, -2.0, 3.0, 4.0])
    assert t_test(differences) == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)
    assert wilcoxon(differences) == pytest.approx(stats.wilcoxon(differences).pvalue)
