"""The clock of a network, from its links and its churn."""

import numpy as np

from sottovoce.simulate.churn.always import Always
from sottovoce.simulate.churn.phones import Phones
from sottovoce.simulate.clock import clock
from sottovoce.simulate.links.interface import speeds
from sottovoce.simulate.links.unequal import Unequal
from sottovoce.simulate.links.uniform import Uniform
from sottovoce.timing import present


def test_churn_lasts_to_the_end_of_the_run():
    timing = clock(Uniform(), Phones(), 2_000, 100, 1)
    for round in (0, 50, 100):
        assert 0.1 < present(timing, round * timing.round).mean() < 0.35


def test_speeds_are_full_models_a_second_and_the_rest_is_as_the_links_say():
    links = Unequal(transfer=100.0, latency=2.0, loss=0.25)
    timing = clock(links, Always(), 5, 10, 3)
    upload, download = speeds(links, 5, 3)
    np.testing.assert_allclose(timing.upload, upload / 100)
    np.testing.assert_allclose(timing.download, download / 100)
    assert (timing.latency, timing.loss, timing.round, timing.timed) == (2.0, 0.25, 100.0, True)
    assert len(timing.first) == 0
