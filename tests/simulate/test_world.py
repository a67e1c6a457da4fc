"""What a network consists of: the size of messages, room for them, time, and traffic."""

from types import SimpleNamespace

import numpy as np
import pytest

from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.message import emit
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.simulate import world
from sottovoce.simulate.world import Traffic
from tests.networks import ratings, simulate

DATA = ratings((np.random.default_rng(1).random((4, 20)) < 0.5).astype(int).tolist())
CHAINS = [Whole(), Chain(bits=8), Chain(share=0.3), Chain(0.3, 16, True)]


def test_traffic_is_added_up():
    both = Traffic(3, 2, 100).and_also(Traffic(10, 20, 30))
    assert both == (13, 22, 130)
    assert Traffic().and_also(both) == both


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=2)])
def test_the_size_of_a_message_is_that_of_its_bytes(model, chain):
    made = simulate(model, DATA, chain=chain)
    message = emit(made.tables, 1, chain, made.people, made.driver.reference, 1, 0)
    assert made.message_bytes == len(codec.encode(message))
    assert made.size == codec.payload(chain, 20, made.shape.row, made.shape.head)
    assert (made.size == 1) == (chain == Whole())


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
@pytest.mark.parametrize("chain", CHAINS)
def test_room_for_messages(chain, storage):
    """Whole models as they are stored; what is compressed, in 32 bits, with the rows that are sent."""
    room = simulate(MF(factors=3), DATA, chain=chain, storage=storage).pool(5)
    held = 20 if chain.share == 1 else 6
    assert (room.slots, room.rows.shape) == (5, (5 * held, 4))
    assert room.layout == ("whole" if chain.share == 1 else "gathered")
    assert room.storage == (storage if chain == Whole() else "float32")


@pytest.mark.usefixtures("uncompiled")
def test_time_is_rounds():
    made = simulate(MF(factors=3), DATA)
    made.round = 3
    assert made.now == 3
    made.timing = made.timing._replace(round=1728.0)
    assert made.now == 3 * 1728


@pytest.mark.usefixtures("uncompiled")
def test_whether_one_of_the_next_rounds_is_observed():
    made = simulate(MF(factors=3), DATA)
    assert not made.observed(99)
    made.observation = SimpleNamespace(covers=lambda round: round == 5)
    made.round = 2
    assert [made.observed(rounds) for rounds in (1, 2, 3)] == [False, False, True]
    made.round = 5
    assert not made.observed(9)


@pytest.mark.usefixtures("uncompiled")
def test_the_time_of_observers_is_counted_also_where_they_fail(monkeypatch):
    ticks = iter([10.0, 12.0, 20.0, 25.0])
    made = simulate(MF(factors=3), DATA)
    monkeypatch.setattr(world, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    with made.aside():
        pass
    assert made.observing == 2
    with pytest.raises(KeyError), made.aside():
        raise KeyError
    assert made.observing == 7
