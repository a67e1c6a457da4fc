"""Two processes that exchange encoded messages end bit-identical to the simulator."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.node import Community
from sottovoce.peers.complete import Complete
from sottovoce.protocols.gossip import Gossip
from tests.networks import ratings, simulate

SEED, ROUNDS = 11, 20
MODELS = {"mf": MF(factors=3), "gmf": GMF(factors=6)}


def data():
    rng = np.random.default_rng(2)
    return ratings((rng.integers(1, 6, (2, 30)) * (rng.random((2, 30)) < 0.5)).tolist())


def shared(name):
    """What both nodes know."""
    known = data()
    settings = {"seed": SEED, "scale": known.scale, "trainings": ROUNDS, "start": "independent"}
    return Community(known.catalog.ids.tolist(), MODELS[name], **settings)


def history(me):
    """What one of them knows alone."""
    known = data()
    own = slice(known.indptr[me], known.indptr[me + 1])
    return dict(zip(known.catalog.ids[known.item[own]].tolist(), known.value[own].tolist(), strict=True))


def spawn(name, me, port, out):
    command = [
        sys.executable,
        "-m",
        "tests.network.lone_node",
        name,
        str(me),
        str(port),
        str(ROUNDS),
        str(out),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("name", MODELS)
def test_peers_end_as_the_simulator_does(name, tmp_path):
    outs = [tmp_path / f"{me}.npz" for me in (0, 1)]
    first = spawn(name, 0, 0, outs[0])
    nodes = [first]
    try:
        nodes.append(spawn(name, 1, int(first.stdout.readline()), outs[1]))
        assert [node.wait(timeout=600) for node in nodes] == [0, 0]
    finally:
        for node in nodes:
            node.kill()
            node.stdout.close()
    protocol = Gossip(start="independent")
    simulation = simulate(MODELS[name], data(), peers=Complete(), protocol=protocol, seed=SEED)
    simulation.advance(ROUNDS)
    for me in (0, 1):
        ended = np.load(outs[me], allow_pickle=False)
        slot = slice(30 * me, 30 * me + 30)
        np.testing.assert_array_equal(ended["rows"], simulation.tables.rows[slot])
        np.testing.assert_array_equal(ended["age"], simulation.tables.age[slot])
        np.testing.assert_array_equal(ended["head"][0], simulation.tables.head[me])
        np.testing.assert_array_equal(ended["clock"][0], simulation.tables.clock[me])
        np.testing.assert_array_equal(ended["user"][0], simulation.people.user[me])
