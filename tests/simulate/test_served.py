"""Aggregations are carried out for one server or several, each with people of its own."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.models.mf import MF
from sottovoce.protocols._participants import answering, attend
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.interface import hosts, participants, trainings
from sottovoce.registry import component
from sottovoce.simulate.observe import SERVER, Observation
from sottovoce.state import Hosts, slots_of
from tests.networks import ratings, simulate

PEOPLE = 12


@component("protocol", "servers", topology="server")
class Servers(NamedTuple):
    """Several servers, among whom people are divided like cards."""

    count: int = 2
    dropout: float = 0.0


@hosts.rule(Servers)
def _hosts(protocol: Servers, train: Any, seed: int) -> Hosts:
    of = [np.arange(n, train.people, protocol.count, dtype=np.int32) for n in range(protocol.count)]
    return Hosts(np.cumsum([0, *map(len, of)]), np.concatenate(of))


@trainings.rule(Servers)
def _trainings(protocol, timed, size):
    return 1


@participants.rule(Servers)
def _participants(protocol, kept, user, asked):
    return answering(attend(asked))


def data(people=PEOPLE):
    rng = np.random.default_rng(2)
    values = rng.integers(1, 6, (people, 9)) * (rng.random((people, 9)) < 0.5)
    values[:, 0] = 3
    return ratings(values.tolist())


def test_each_server_learns_from_its_own_people_alone():
    several = simulate(MF(factors=3), data(), protocol=Servers(3), merge=Simple())
    assert slots_of(several.people).tolist() == [n % 3 for n in range(PEOPLE)]
    start, items = several.tables.rows.copy(), several.items
    several.advance(3)
    models = several.tables.rows.reshape(3, items, -1)
    assert not np.array_equal(models[0], models[1])
    for server in range(3):
        alone = simulate(MF(factors=3), data(), protocol=Federated(start="common"), merge=Simple())
        alone.tables.rows[:] = start[server * items : (server + 1) * items]
        for number in range(3):  # only this server's people take part
            asked = alone.driver._asked(0, float(number))._replace(
                people=np.arange(server, PEOPLE, 3), server=server
            )
            groups = answering(attend(asked))
            alone.driver.aggregator.aggregate(alone.tables, 0, alone.people, groups, alone.seed, batch=PEOPLE)
        np.testing.assert_array_equal(alone.tables.rows, models[server])
        np.testing.assert_array_equal(alone.people.user[server::3], several.people.user[server::3])
    assert several.tables.clock.tolist() == [3, 3, 3]
    assert several.messages == 3 * 2 * PEOPLE


def test_what_several_servers_see_carries_their_names():
    seen = []
    watch = Observation(True, np.array([4], np.int32), 2, 2, lambda round, records: seen.extend(records))
    s = simulate(MF(factors=3), data(), protocol=Servers(2), merge=Simple(), observation=watch)
    s.advance(3)
    updates = [r for r in seen if r["update"].all()]
    models = [r for r in seen if not r["update"].any()]
    assert [set(r["observer"].tolist()) for r in updates] == [{SERVER}, {SERVER - 1}]
    assert updates[1]["sender"].tolist() == list(range(1, PEOPLE, 2))
    assert [(r["sender"].tolist(), r["observer"].tolist()) for r in models] == [([SERVER], [4])]
    for record in seen:
        assert set(record["number"].tolist()) == {1}
        assert set(record["time"].tolist()) == {1.0}
        assert not record["relayed"].any()


@pytest.mark.parametrize("selection", ["random", "in-turn"])
def test_people_who_drop_out_have_seen_the_model(selection):
    seen = []
    everybody = np.arange(PEOPLE, dtype=np.int32)
    watch = Observation(False, everybody, 1, 4, lambda round, records: seen.extend(records))
    protocol = Federated(participants=6, selection=selection, dropout=0.5)
    s = simulate(MF(factors=3), data(), protocol=protocol, merge=Simple(), observation=watch)
    s.advance(4)
    observers = sum(len(r["observer"]) for r in seen)
    trained = int(s.people.steps.sum())
    assert observers == s.messages - trained  # every download
    assert 0 < trained < observers
