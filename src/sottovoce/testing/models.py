"""What every model must be able to do."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import driver, set_threads
from sottovoce.models.interface import score, score_all, score_some, shape, train
from sottovoce.models.training import gather_touched
from sottovoce.node import Community, Key, Node
from sottovoce.protocols.central import Central
from sottovoce.protocols.gossip import Gossip
from sottovoce.simulate.engine import Simulation
from sottovoce.state import gathered, slots_of, take_ages
from sottovoce.testing.networks import checkerboard, ratings, simulate, uncompiled

SIZE = 20
ROUNDS = 200


def check_model(model: Any, *, personal: bool = True, rated: bool = False, rounds: int = ROUNDS) -> None:
    """Check a model; an `AssertionError` says what does not hold.

    `personal` is whether it learns what single people like, `rated` whether it learns from ratings: then
    its checkerboard has disliked items too. It is trained for this many `rounds`.
    """
    check_description(model)
    check_state(model)
    check_scores(model)
    check_touched_rows(model)
    check_threads(model)
    check_restart(model)
    check_node(model)
    if personal:
        for protocol in (Gossip(pushes=2), Central()):
            check_withheld(model, protocol, rated=rated, rounds=rounds)


def check_description(model: Any) -> None:
    """The class says what it is, and its module what it computes."""
    assert (type(model).__doc__ or "").strip(), f"{type(model).__name__} has no docstring."
    text = sys.modules[type(model).__module__].__doc__ or ""
    assert len(text) > 60, "The docstring of the model's file must state what the model computes."


def check_state(model: Any) -> None:
    """A model starts with finite numbers, and trains with finite numbers, changing something."""
    s = simulate(model, checkerboard(SIZE, 1.0))
    size = shape(s.model)
    assert s.tables.rows.shape == (SIZE * SIZE, size.row), "The rows are not as wide as `shape` says."
    assert s.people.user.shape == (SIZE, size.user), "The vectors are not as long as `shape` says."
    assert np.isfinite(s.tables.rows).all(), "`start_row` leaves numbers that are not finite."
    assert np.isfinite(s.people.user).all(), "`start_user` leaves numbers that are not finite."
    s.advance(3)
    assert np.isfinite(s.tables.rows).all(), "Training makes rows that are not finite."
    assert np.isfinite(s.people.user).all(), "Training makes vectors that are not finite."


@driver
def _score_all(model, tables, slot, people, person, scores):
    score_all(model, tables, slot, people, person, scores)


@driver
def _score_some(model, tables, slot, people, person, items, scores):
    score_some(model, tables, slot, people, person, items, scores)


def check_scores(model: Any) -> None:
    """`score_all` and `score_some` give the numbers that `score` gives."""
    s = simulate(model, checkerboard(SIZE, 1.0))
    s.advance(2)
    for slot, person in ((3, 3), (0, 0), (SIZE - 1, 4)):
        state = s.model, s.tables, slot, s.people, person
        scores, some = np.empty(SIZE, np.float32), np.empty(SIZE, np.float32)
        items = np.arange(SIZE, dtype=np.int32)[::-1].copy()
        _score_all(*state, scores)
        _score_some(*state, items, some)
        assert np.array_equal(some, scores[items]), "`score_some` differs from `score_all`."
        for n in range(SIZE):
            _score_some(*state, items[n : n + 1], some[n : n + 1])
        assert np.array_equal(some, scores[items]), "`score_some` depends on the other items it is asked for."
        with uncompiled():
            plain = [score(*state, item) for item in range(SIZE)]
        close = np.allclose(scores, plain, rtol=1e-5, atol=1e-6)
        assert close, "`score_all` differs from `score` as plain Python by more than rounding."


@driver
def _train_whole(model, tables, people, run):
    return train(model, tables, 0, people, 0, run)


@driver
def _train_touched(model, tables, scratch, people, run):
    gather_touched(model, tables, 0, scratch, 0, people, 0, run)
    take_ages(tables, 0, scratch)
    return train(model, scratch, 0, people, 0, run)


def check_touched_rows(model: Any) -> None:
    """A training on the rows that `touched` names equals one on the whole table, and changed rows age."""
    with uncompiled():
        _check_touched_rows(model)


def _check_touched_rows(model: Any) -> None:
    data = checkerboard(SIZE, 1.0)
    alone = ratings([[float(v) for v in data.value[: data.indptr[1]]] + [0.0] * (SIZE - data.indptr[1])])
    first, second = simulate(model, alone), simulate(model, alone)
    s, items, size = first, alone.items, first.shape
    tables, start_of = first.tables, second.tables
    populations = first.people, second.people
    scratch = gathered([items], size.row, size.head, items)
    before = start_of.rows.copy()
    scratch.head[:] = start_of.head
    counts = (
        _train_whole(s.model, tables, populations[0], 1),
        _train_touched(s.model, start_of, scratch, populations[1], 1),
    )
    assert counts[0] == counts[1], "`train` must return the number of instances, on any table."
    held = scratch.ids[: scratch.offset[1]]
    changed = np.flatnonzero((tables.rows != before).any(axis=1))
    assert set(changed) <= set(held.tolist()), "`train` changes rows that `touched` does not name."
    same = np.array_equal(scratch.rows[: len(held)], tables.rows[held])
    assert same, "A training on the rows that `touched` names differs from one on the whole table."
    same = np.array_equal(populations[0].user, populations[1].user)
    assert same, "The person's vector depends on how the table is stored."
    assert (tables.age[changed] > 0).all(), "`train` must add to the age of every row that it changes."


def _state(s: Simulation) -> list[NDArray[Any]]:
    return [s.tables.rows, s.tables.age, s.tables.head, s.people.user]


def check_threads(model: Any) -> None:
    """The result is the same for one thread and for two."""
    ends = []
    for threads in (1, 2):
        with set_threads(threads):
            s = simulate(model, checkerboard(SIZE, 1.0))
            s.advance(4)
            ends.append(_state(s))
    assert _equal(*ends), "The result depends on the number of threads: draw random numbers from `stream`."


def check_restart(model: Any) -> None:
    """The result is the same after a restart from a checkpoint."""
    whole_run, first, again = (simulate(model, checkerboard(SIZE, 1.0)) for _ in range(3))
    whole_run.advance(4)
    first.advance(2)
    again.restore({name: array.copy() for name, array in first.state().items()})
    again.advance(2)
    same = _equal(_state(whole_run), _state(again))
    assert same, "A restart changes the result: keep state in tables and people alone."


def _equal(one: list[NDArray[Any]], other: list[NDArray[Any]]) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


def check_node(model: Any, rounds: int = 3) -> None:
    """Nodes that exchange bytes end as the simulator does, bit for bit; here as plain Python."""
    with uncompiled():
        _check_node(model, rounds)


def _check_node(model: Any, rounds: int) -> None:
    data = checkerboard(4, 1.0)
    fast, sender = simulate(model, data), simulate(model, data)
    fast.advance(rounds)
    ids = data.catalog.ids.tolist()
    community = Community(ids, fast.model, fast.merge, seed=fast.seed, scale=data.scale)
    nodes = []
    for person in range(data.people):
        own = slice(data.indptr[person], data.indptr[person + 1])
        history = dict(zip(data.catalog.ids[data.item[own]].tolist(), data.value[own].tolist(), strict=True))
        nodes.append(Node(community, history, Key.simulated(fast.seed, person)))
    for round in range(rounds):
        sent, _ = sender.driver.send(round)  # type: ignore[attr-defined]
        letters = [nodes[who].emit() for who in sent.sender]
        for n in np.argsort(sent.end, kind="stable"):
            nodes[sent.receiver[n]].absorb(letters[n])
    for person, node in enumerate(nodes):
        rows = fast.tables.rows[data.items * person : data.items * (person + 1)]
        assert np.array_equal(node._tables.rows, rows), "A node ends unlike the simulator."
        assert np.array_equal(node._people.user[0], fast.people.user[person]), "So does its vector."


def check_withheld(model: Any, protocol: Any, *, rated: bool = False, rounds: int = ROUNDS) -> None:
    """The missing squares of a checkerboard are ranked before all squares of the other colour."""
    s = simulate(model, checkerboard(SIZE, float(rated)), protocol=protocol, rounds=rounds)
    s.advance(rounds)
    assert np.isfinite(s.tables.rows).all(), f"After {rounds} rounds rows are not finite."
    slot_of = slots_of(s.people)
    for person in range(SIZE):
        state = s.model, s.tables, int(slot_of[person]), s.people, person
        with uncompiled():
            others = [score(*state, item) for item in range(SIZE) if item % 2 != person % 2]
            own = score(*state, person)
        assert own > max(others), (
            f"After {rounds} rounds of {type(protocol).__name__}, person {person} does not get the withheld "
            "item of a checkerboard before items of the other colour."
        )
