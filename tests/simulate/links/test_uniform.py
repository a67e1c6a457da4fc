"""Equal links: a full model takes a transfer, and messages of a cycle share an upload."""

import numpy as np

from sottovoce.peers.interface import nobody
from sottovoce.peers.uniform import Uniform as Everybody
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.interface import exchanges
from sottovoce.simulate.churn.always import Always
from sottovoce.simulate.clock import clock
from sottovoce.simulate.links.uniform import Uniform
from sottovoce.timing import present


def test_equal_links_take_a_transfer_a_round():
    timing = clock(Uniform(transfer=172.8, latency=0.5, loss=0.1), Always(), 5, 10, 1)
    np.testing.assert_allclose(1 / timing.upload, 172.8)
    np.testing.assert_array_equal(timing.upload, timing.download)
    assert (timing.round, timing.latency, timing.loss, timing.timed) == (172.8, 0.5, 0.1, True)
    assert present(timing, 1e9).all()


def test_messages_share_an_upload_and_each_has_a_download_to_itself():
    """A fast node sends three models to slow ones: each takes as long as its receiver needs for one."""
    timing = clock(Uniform(transfer=10.0), Always(), 4, 3, 1)
    fast = np.array([4.0, 1.0, 1.0, 1.0]) / 10
    timing = timing._replace(upload=fast, download=fast)
    parts = Gossip(pushes=3), Everybody(), nobody(), timing, 1.0, 1
    for sender, receiver, takes in ((0, 1, 10.0), (1, 0, 30.0), (1, 2, 30.0)):
        took = []
        for round in range(3):
            sent, _ = exchanges(*parts, round)
            chosen = (sent.sender == sender) & (sent.receiver == receiver)
            took += (sent.end - sent.start)[chosen].tolist()
        assert took
        np.testing.assert_allclose(took, takes)
