"""Unequal links have their median, their spread, and a faster download."""

import numpy as np
import pytest

from sottovoce.simulate.links.interface import speeds
from sottovoce.simulate.links.unequal import Unequal


def test_unequal_links_have_their_median_and_spread():
    upload, download = speeds(Unequal(spread=0.5, asymmetry=4.0), 20_000, 1)
    assert np.median(upload) == pytest.approx(1, rel=0.03)
    assert np.log(upload).std() == pytest.approx(0.5, rel=0.03)
    np.testing.assert_allclose(download, 4 * upload)
    other, _ = speeds(Unequal(), 20_000, 2)
    assert (other != upload).any()
