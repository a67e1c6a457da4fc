"""Sessions in memory: sums as a plain addition gives them, losses, refusals, and time by step."""

import numpy as np

from sottovoce.exchange.secure.server import Phase, Server, Sum, Summed
from sottovoce.experiments.reproduce.sessions import play
from tests.exchange.secure.parties import clients_of, group_of, total, vectors_of

VECTORS = vectors_of(5, 7, 32)


def session(lost=lambda who, phase: False, sums=1):
    every = group_of(5, 4, sums)
    server, clients = Server(every, Sum(32, 7)), clients_of(every)

    def begin():
        if server.phase is Phase.IDLE:
            server.begin(Sum(32, 7))
        return server.phase is Phase.MASKED

    return play(server, clients, lambda who: clients[who].mask(VECTORS[who]), lost=lost, begin=begin)


def test_the_sum_is_that_of_the_vectors():
    for sums in (1, 2):
        outcome = session(sums=sums)
        assert len(outcome.sums) == sums
        for summed in outcome.sums:
            assert isinstance(summed, Summed)
            assert (summed.vector == total(VECTORS, range(5))).all()
        assert (outcome.failed, outcome.refused) == (None, {})
        assert outcome.masked.keys() == set(range(5))


def test_who_is_lost_is_not_in_the_sum():
    outcome = session(lambda who, phase: who == 3 and phase is Phase.MASKED)
    (summed,) = outcome.sums
    assert summed.survivors == (0, 1, 2, 4)
    assert np.array_equal(summed.vector, total(VECTORS, (0, 1, 2, 4)))
    assert 3 not in outcome.masked


def test_too_few_give_no_sum():
    outcome = session(lambda who, phase: who in (1, 3) and phase is Phase.MASKED)
    assert not outcome.sums
    assert "Only 3 participants sent" in outcome.failed


def test_every_step_of_everybody_is_timed():
    spent = session().spent
    clients = {step: one for step, one in spent.items() if not step.startswith("server")}
    assert clients.keys() == {
        "keys",
        "agreements and shares",
        "others' shares",
        "masking",
        "consistency",
        "unmasking",
    }
    assert all(one.keys() == set(range(5)) and min(one.values()) > 0 for one in clients.values())
    assert sum(one[-1] for step, one in spent.items() if step.startswith("server")) > 0
