"""What steps withhold under gossip stays with its person, and counts in that person's scores alone."""

from typing import NamedTuple

import numpy as np
import pytest

from sottovoce.errors import RecipeError
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.interface import protect
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import score
from sottovoce.models.mf import MF
from sottovoce.node import Community, Key, Node
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.hosted import Together
from sottovoce.protocols.interface import hosted, hosts, trainings
from sottovoce.state import hosted_by, slots_of
from tests.networks import assert_same, ratings, simulate
from tests.node.simulated import history

DATA = ratings([[5, 0, 3, 0, 0, 1, 0, 0], [0, 4, 0, 0, 2, 0, 0, 0], [1, 1, 0, 0, 0, 5, 0, 2]])


class Everything(NamedTuple):
    """Discloses all of it."""


class Hide(NamedTuple):
    """Discloses nothing about one's own items."""


@protect.rule(Everything)
def _everything(step, updates, place, people, person, run, round):
    pass


@protect.rule(Hide)
def _hide(step, updates, place, people, person, run, round):
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    begin = end = updates.offset[place]
    for n in range(begin, updates.offset[place + 1]):
        if not (own == updates.ids[n]).any():
            updates.ids[end] = updates.ids[n]
            updates.rows[end, :] = updates.rows[n, :]
            end += 1
    updates.offset[place + 1] = end


def parts(steps, model, **more):
    return simulate(model, DATA, steps=steps, protocol=Gossip(pushes=1), **more)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("model", [MF(factors=3), GMF(factors=2, negatives=2)], ids=["mf", "gmf"])
@pytest.mark.parametrize("storage", ["float32", "bfloat16"])
def test_a_step_that_withholds_nothing_changes_nothing(model, storage):
    free, open_ = (parts(steps, model, storage=storage) for steps in ((), (Everything(),)))
    for one in (free, open_):
        one.advance(1)
    assert not open_.private.rows.any()
    assert not open_.private.age.any()
    assert free.private.slots == 0
    np.testing.assert_array_equal(open_.tables.age, free.tables.age)
    tolerance = 1e-6 if storage == "float32" else 0.02
    own, ours = (one.own()[0].rows for one in (free, open_))
    mine = own if own.dtype == np.float32 else (own.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_allclose(ours, mine, atol=tolerance)


@pytest.mark.usefixtures("uncompiled")
def test_what_is_withheld_never_enters_the_table_that_travels():
    """One person trains alone: only rows of sampled items change, and grow older, in the table."""
    model = GMF(factors=2, negatives=2)
    hidden, free = (simulate(model, DATA, steps=steps) for steps in ((Hide(),), ()))
    before = hidden.tables.rows.copy()
    for one in (hidden, free):
        one.advance(3)
    for person in range(DATA.people):
        everybody = slice(DATA.items * person, DATA.items * (person + 1))
        own = DATA.item[DATA.indptr[person] : DATA.indptr[person + 1]]
        assert hidden.private.rows[everybody][own].any(axis=1).all()
        assert hidden.private.age[everybody][own].all()
        rest = np.setdiff1d(np.arange(DATA.items), own)
        assert not hidden.private.rows[everybody][rest].any()
    alone = np.setdiff1d(np.arange(DATA.items), DATA.item)  # items of nobody change as sampled ones only
    assert (hidden.tables.rows.reshape(3, 8, -1)[:, alone] != before.reshape(3, 8, -1)[:, alone]).any()
    assert (free.tables.age >= hidden.tables.age).all()
    assert (free.tables.age > hidden.tables.age).any()


@pytest.mark.usefixtures("uncompiled")
def test_people_score_with_table_and_remainder():
    s = parts((Hide(),), GMF(factors=2, negatives=2))
    s.advance(2)
    tables, people = s.own()
    np.testing.assert_allclose(tables.rows, s.tables.rows + s.private.rows, atol=1e-7)
    person, item = 0, int(DATA.item[0])
    mine = score(s.model, tables, person, people, person, item)
    shared = score(s.model, s.tables, int(slots_of(s.people)[person]), s.people, person, item)
    assert mine != shared


@pytest.mark.parametrize("steps", [(Hide(),), (Clip(length=0.01), Hide())])
def test_compiled_code_a_resumed_run_and_nodes_end_alike(steps, monkeypatch):
    model = MF(factors=3)
    whole, resumed = parts(steps, model), parts(steps, model)
    whole.advance(3)
    resumed.advance(2)
    later = parts(steps, model)
    later.restore({name: array.copy() for name, array in resumed.state().items()})
    later.advance(1)
    assert_same(whole, later)
    np.testing.assert_array_equal(whole.private.rows, later.private.rows)
    sender = parts(steps, model)
    community = Community(
        DATA.catalog.ids.tolist(), sender.model, sender.merge, steps=steps, seed=sender.seed, scale=DATA.scale
    )
    nodes = [Node(community, history(DATA, p), Key.simulated(sender.seed, p)) for p in range(DATA.people)]
    for round in range(3):
        sent, _ = sender.driver.send(round)
        letters = [nodes[who].emit() for who in sent.sender]
        for n in np.argsort(sent.end, kind="stable"):
            nodes[sent.receiver[n]].absorb(letters[n])
    for person, node in enumerate(nodes):
        held, own = node._state(), slice(DATA.items * person, DATA.items * (person + 1))
        np.testing.assert_array_equal(held["rows"], whole.tables.rows[own])
        np.testing.assert_array_equal(held["age"], whole.tables.age[own])
        np.testing.assert_array_equal(held["private rows"], whole.private.rows[own])
        np.testing.assert_array_equal(held["private age"], whole.private.age[own])


def test_people_who_train_together_disclose_nothing_by_steps():
    with pytest.raises(RecipeError, match="do not train alone"):
        simulate(MF(factors=3), DATA, steps=[Hide()], protocol=Club())


class Club(NamedTuple):
    """All people of a slot train together; slots gossip."""

    start: str = "common"
    topology = "peers"


@hosts.rule(Club)
def _hosts(protocol, train, seed):
    return hosted_by(np.array([0, 0, 1], np.int32), 2)


@hosted.rule(Club)
def _hosted(protocol):
    return Together()


@trainings.rule(Club)
def _trainings(protocol, timed, size):
    return 1
