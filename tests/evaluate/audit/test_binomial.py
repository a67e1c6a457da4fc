"""Chances and intervals, compared with SciPy."""

import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import stats

from sottovoce.evaluate.audit.binomial import at_least, chances, highest_share, lowest_share

totals = some.integers(1, 3000)


@given(totals, some.floats(0.001, 0.999), some.data())
def test_chances(total, share, data):
    hits = data.draw(some.integers(0, total))
    assert at_least(hits, total, share) == pytest.approx(stats.binom.sf(hits - 1, total, share), abs=1e-9)
    assert chances(total, share)[hits] == pytest.approx(stats.binom.pmf(hits, total, share), abs=1e-9)


@given(totals, some.sampled_from([0.05, 0.0125]), some.data())
def test_the_interval_of_clopper_and_pearson(total, alpha, data):
    hits = data.draw(some.integers(0, total))
    low = stats.beta.ppf(alpha, hits, total - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - alpha, hits + 1, total - hits) if hits < total else 1.0
    assert lowest_share(hits, total, alpha) == pytest.approx(low, abs=1e-9)
    assert highest_share(hits, total, alpha) == pytest.approx(high, abs=1e-9)
