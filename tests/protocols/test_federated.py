"""A federated round is Algorithms 1 and 2: every client alone, then the average over contributors."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.combine.aggregate.change import Change
from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.aggregate.reptile import Reptile
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.message import UPDATE
from sottovoce.models.gmf import GMF
from sottovoce.models.interface import train
from sottovoce.models.mf import MF
from sottovoce.protocols import aggregate
from sottovoce.protocols._participants import Aggregation, select, terms
from sottovoce.protocols.federated import Federated
from sottovoce.timing import Timing
from tests.networks import communities, copy_of, ratings, simulate

plain = aggregate._aggregate.plain


def federation(data, model=None, rule=None, **parts):
    protocol = parts.pop("protocol", Federated())
    rule = MFFedAvg() if rule is None else rule  # a rule without settings is an empty tuple
    return simulate(model or MF(factors=3), data, protocol=protocol, merge=rule, **parts)


def one_round(s, rule, participants, heard=None):
    """By hand: every participant trains a whole copy of the server's model, which averages those it hears."""
    before, instances = copy_of(s.tables), {}
    changes = {}
    for person in participants:
        own = copy_of(before)
        own.age[:] = 0
        instances[person] = train(s.model, own, 0, s.people, person, s.seed)
        s.people.steps[person] += 1
        changes[person] = (
            (own.rows - before.rows) * (own.age > 0)[:, None],
            own.age > 0,
            own.head - before.head,
        )
    participants = [p for p in participants if heard is None or p in heard]
    if not participants:
        return before.rows, before.head, before.age
    weigh = {"MFFedAvg": lambda n: 1.0, "FedAvg": float, "Simple": lambda n: 1.0}[type(rule).__name__]
    heads = {"MFFedAvg": float, "FedAvg": float, "Simple": lambda n: 1.0}[type(rule).__name__]
    weights = {p: weigh(instances[p]) for p in participants}
    total = sum(weights[p] * changes[p][0] for p in participants)
    changed = sum(weights[p] * changes[p][1] for p in participants)
    below = changed if isinstance(rule, MFFedAvg) else np.full(len(changed), sum(weights.values()))
    moved = changed > 0
    rows = before.rows.copy()
    rows[moved] += total[moved] / below[moved, None]
    all_heads = sum(heads(instances[p]) for p in participants)
    head = before.head + sum(heads(instances[p]) * changes[p][2] for p in participants) / max(all_heads, 1)
    return rows, head, before.age + moved


@settings(max_examples=25)
@given(communities(people=(2, 20)), st.sampled_from([MFFedAvg(), FedAvg(), Simple()]), st.integers(0, 99))
def test_a_round_is_the_average_of_what_clients_change(data, rule, seed):
    fast, slow = (federation(data, rule=rule, seed=seed) for _ in range(2))
    for _ in range(3):
        expected = one_round(slow, rule, range(data.people))
        fast.advance(1)
        np.testing.assert_allclose(fast.tables.rows, expected[0], rtol=2e-5, atol=1e-6)
        np.testing.assert_array_equal(fast.tables.age, expected[2])
        np.testing.assert_array_equal(fast.people.steps, slow.people.steps)
        slow.tables.rows[:], slow.tables.age[:] = fast.tables.rows, fast.tables.age
        np.testing.assert_allclose(fast.people.user, slow.people.user, rtol=2e-5, atol=1e-6)
        slow.people.user[:] = fast.people.user


def crowd(people=60, items=50, share=0.3):
    rng = np.random.default_rng(5)
    return ratings((rng.integers(1, 6, (people, items)) * (rng.random((people, items)) < share)).tolist())


def test_models_with_a_head_and_negatives():
    rule = MFFedAvg()
    fast, slow = (federation(crowd(), GMF(factors=6), rule) for _ in range(2))
    expected = one_round(slow, rule, range(60))
    fast.advance(1)
    np.testing.assert_allclose(fast.tables.rows, expected[0], rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(fast.tables.head, expected[1], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("rule", [MFFedAvg(), FedAvg(), Simple(), Change(), Reptile(step=0.25)])
def test_rules_average_weights_and_rows_as_published(monkeypatch, rule):
    """Whole models of participants, averaged as Algorithm 1 of Perifanis and Efraimidis is written.

    In plain Python, which needs no kernel compiled for every rule. One person has nothing at all.
    """
    monkeypatch.setattr(aggregate, "_aggregate", lambda *a, batch: plain(*a))
    table = np.zeros((9, 99))
    for person in range(9):  # person p has p items, neighbours share most of theirs
        table[person, person : 2 * person] = 1 + person % 5
    fast, slow = (federation(ratings(table.tolist()), GMF(factors=2, negatives=1), rule) for _ in range(2))
    old, people = slow.tables, slow.people
    own = [copy_of(old) for _ in range(9)]
    n_c = np.array([train(slow.model, own[p], 0, people, p, slow.seed) for p in range(9)], np.float64)
    changed = np.array([client.age > 0 for client in own])
    rows, heads = (np.array([getattr(c, name) for c in own], np.float64) for name in ("rows", "head"))
    fast.advance(1)
    n_i = changed.sum(axis=0)
    assert n_c[0] == 0 < n_c[1:].min()
    assert 0 == n_i.min() < 1 < n_i.max() < 9
    if isinstance(rule, MFFedAvg):
        means = (rows[changed[:, j], j].mean(axis=0) if n_i[j] else old.rows[j] for j in range(99))
        expected = np.array(list(means))
    elif isinstance(rule, Change):
        far = np.abs(rows - old.rows).sum(axis=2)
        means = (
            np.average(rows[:, j], axis=0, weights=far[:, j]) if n_i[j] else old.rows[j] for j in range(99)
        )
        expected = np.array(list(means))
    elif isinstance(rule, Reptile):
        expected = old.rows + 0.25 * (rows - old.rows).mean(axis=0)
    else:
        expected = np.average(rows, axis=0, weights=n_c if isinstance(rule, FedAvg) else None)
    head = np.average(heads, axis=0, weights=None if isinstance(rule, Simple) else n_c)
    if isinstance(rule, Reptile):
        head = old.head + 0.25 * (heads - old.head).mean(axis=0)
    np.testing.assert_allclose(fast.tables.rows, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(fast.tables.head, head, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(fast.tables.rows[n_i == 0], old.rows[n_i == 0])
    np.testing.assert_array_equal(fast.tables.age, n_i > 0)


def test_epochs_do_not_count_as_contributors():
    """Several local epochs: t′ stays 0 or 1, so an average is not divided by their number."""
    lone = crowd(1)
    once, alone = federation(lone, MF(factors=3, epochs=4)), simulate(MF(factors=3, epochs=4), lone)
    alone.people.user[:], alone.tables.rows[:] = once.people.user, once.tables.rows
    once.advance(1)
    train(alone.model, alone.tables, 0, alone.people, 0, 1)
    np.testing.assert_allclose(once.tables.rows, alone.tables.rows, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("chain", [Whole(), Chain(share=0.1), Chain(share=0.5, bits=8)])
def test_threads_do_not_change_the_result(chain):
    results = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            if kernels.threads() < threads:
                pytest.skip("this machine has one core")
            s = federation(crowd(), chain=chain)
            s.advance(5)
            results.append(s.tables.rows.copy())
    np.testing.assert_array_equal(*results)


def test_subsampled_uploads_hold_no_more_rows():
    whole, part = (federation(crowd(), chain=chain) for chain in (Whole(), Chain(share=0.1)))
    whole.advance(1), part.advance(1)
    assert whole.messages == part.messages == 120
    assert (whole.tables.age > 0).sum() == 50
    # Five of about fifteen rows each: bytes go down, and so does what is learnt.
    per_row = 4 * (4 + 1)  # numbers and an id; updates have no ages
    rated = len(crowd().item)
    assert whole.bytes - part.bytes == per_row * (rated - 5 * 60)
    assert np.abs(part.tables.rows - whole.tables.rows).max() > 0


def test_rounding_hardly_matters():
    exact, rounded = (federation(crowd(), chain=chain) for chain in (Whole(), Chain(bits=8)))
    exact.advance(10), rounded.advance(10)
    assert np.abs(exact.tables.rows - rounded.tables.rows).max() < 0.02
    assert rounded.bytes < exact.bytes


def timing(nodes, **changes):
    none = np.empty(0)
    speed = np.full(nodes, 0.1)
    made = Timing(np.empty(0, np.int64), none, none, speed, speed, 0.0, 0.0, 10.0, timed=True)
    return made._replace(**changes)


def test_a_round_takes_download_and_upload():
    """Two full transfers, or 1.1 with a tenth of the rows: 20 rounds in 40 transfers, or 36."""
    for chain, rounds in ((Whole(), 20), (Chain(share=0.1), 36)):
        s = federation(crowd(), chain=chain, timing=timing(60))
        for _ in range(8):
            s.advance(5)
        assert s.tables.clock[0] == rounds
        assert s.messages == 120 * rounds


def test_what_ends_with_a_round_belongs_to_it():
    """30 times 1.1 transfers are 33 rounds, though not in numbers of 64 bits."""
    speed = np.full(60, 1 / 1728.0)
    s = federation(
        crowd(), chain=Chain(share=0.1), timing=timing(60, round=1728.0, upload=speed, download=speed)
    )
    assert s.size == 0.1
    s.advance(33)
    assert s.tables.clock[0] == 30


def test_who_is_slow_or_leaves_in_the_download_is_left_out():
    download = np.full(60, 0.1)
    download[:10] = 0.04
    s = federation(crowd(), timing=timing(60, download=download))
    s.advance(2)
    assert (s.people.steps == (np.arange(60) >= 10)).all()
    assert (s.messages, s.arrived) == (60 + 50, 50 + 50)

    first = np.arange(61)
    until = np.where(np.arange(60) < 20, 5.0, 1e9)
    s = federation(crowd(), timing=timing(60, first=first, since=np.zeros(60), until=until))
    s.advance(4)
    assert (s.people.steps == np.where(np.arange(60) < 20, 0, 2)).all()
    assert (s.messages, s.arrived) == ((60 + 40) + 2 * 40, 4 * 40)


def slow_upload():
    """Ten upload at half the speed, so that 20 seconds are too few for them."""
    return timing(60, upload=np.where(np.arange(60) < 10, 0.05, 0.1))


def leaving():
    """Ten have received the model when they leave, and no other after that."""
    until = np.where(np.arange(60) < 10, 15.0, 1e9)
    return timing(60, first=np.arange(61), since=np.zeros(60), until=until)


@pytest.mark.parametrize("clock", [slow_upload, leaving])
def test_who_fails_in_the_upload_has_trained_and_the_server_does_not_know(clock):
    """Algorithm 2: a worker updates its own vector when it receives the model, and then sends."""
    fast, slow = (federation(crowd(), timing=clock()) for _ in range(2))
    expected = one_round(slow, MFFedAvg(), range(60), heard=range(10, 60))
    fast.advance(2)
    assert (fast.people.steps == 1).all()
    np.testing.assert_allclose(fast.tables.rows, expected[0], rtol=2e-5, atol=1e-6)
    np.testing.assert_array_equal(fast.tables.age, expected[2])
    np.testing.assert_allclose(fast.people.user, slow.people.user, rtol=2e-5, atol=1e-6)
    # What fails has been sent, as in gossip.
    assert (fast.messages, fast.arrived) == (120, 110)
    everything = federation(crowd(), timing=timing(60))
    everything.advance(2)
    assert fast.bytes == everything.bytes


def test_nobody_is_heard():
    s = federation(crowd(), timing=timing(60, upload=np.full(60, 0.05)))
    before = s.tables.rows.copy()
    s.advance(2)
    assert (s.people.steps == 1).all()
    np.testing.assert_array_equal(s.tables.rows, before)
    assert (s.tables.age == 0).all()


def test_participants_are_drawn_anew():
    s = federation(crowd(), protocol=Federated(participants=6))
    s.advance(1)
    assert s.people.steps.sum() == 6
    s.advance(99)
    assert s.people.steps.sum() == 600
    assert s.people.steps.min() > 0


def test_messages_get_lost_both_ways():
    s = federation(crowd(), timing=timing(60, loss=0.3))
    s.advance(200)
    trained = s.people.steps.sum()
    assert trained == pytest.approx(0.7 * 6000, rel=0.05)
    assert s.messages == 6000 + trained
    assert s.arrived - trained == pytest.approx(0.7 * trained, rel=0.05)


def test_in_turn_a_round_is_everybody_once():
    """60 people in groups of 7: nine aggregations, each of which starts where the last one ended."""
    s = federation(crowd(), protocol=Federated(participants=7, selection="in-turn"))
    one = federation(crowd(), protocol=Federated(participants=7, selection="in-turn"))
    for round in range(1, 4):
        how = one.timing, terms(one.timing, 1.0, 0.0), 0.0, one.seed, 0, 9 * (round - 1)
        groups = select(one.kept, 7, Aggregation(np.arange(60), *how))
        for begin, end in itertools.pairwise(groups.first):
            rows, _, age = one_round(one, MFFedAvg(), groups.persons[begin:end])
            one.tables.rows[:], one.tables.age[:] = rows, age
        s.advance(1)
        assert (s.people.steps == round).all()
        assert s.tables.clock[0] == 9 * round
        assert s.messages == 120 * round
        np.testing.assert_array_equal(s.tables.age, one.tables.age)
        np.testing.assert_allclose(s.tables.rows, one.tables.rows, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("selection", ["random", "in-turn", "useful"])
@pytest.mark.parametrize("timed", [False, True])
def test_resumed_in_the_middle_it_ends_the_same(selection, timed):
    first, since = np.arange(61), np.zeros(60)
    until = np.random.default_rng(2).random(60) * 400
    clock = timing(60, first=first, since=since, until=until) if timed else None
    protocol = Federated(participants=7, selection=selection, dropout=0.1)
    whole, left, right = (federation(crowd(), protocol=protocol, timing=clock, seed=4) for _ in range(3))
    whole.advance(20)
    left.advance(9)
    right.restore({name: array.copy() for name, array in left.state().items()})
    right.advance(11)
    assert whole.state().keys() == right.state().keys()
    for name, array in whole.state().items():
        if name != "seconds":
            np.testing.assert_array_equal(array, right.state()[name], err_msg=name)


def test_who_drops_out_has_received_the_model():
    s, sure = (federation(crowd(), protocol=Federated(dropout=share)) for share in (0.5, 0.0))
    s.advance(10), sure.advance(10)
    done = int(s.people.steps.sum())
    assert 200 < done < 400
    assert s.messages == 600 + done
    assert s.arrived == 600 + done
    assert sure.arrived == sure.messages == 1200
    up = tuple(codec.size(rows, 4, 0, True, kind=UPDATE) for rows in (0, 1))
    rated = np.diff(crowd().indptr)
    sent = int((s.people.steps * rated).sum())
    assert s.bytes == 600 * codec.size(50, 4, 0, False) + done * up[0] + sent * (up[1] - up[0])


def test_a_useful_one_is_who_moved_the_model():
    """What a server remembers is the length of the last Update, and nothing moves it but an answer."""
    s = federation(crowd(), protocol=Federated(participants=60, selection="useful"))
    before = s.tables.rows.copy()
    copies = [copy_of(s.tables) for _ in range(60)]
    other = federation(crowd())
    for person, own in enumerate(copies):
        train(other.model, own, 0, other.people, person, other.seed)
    s.advance(1)
    expected = [np.linalg.norm(own.rows - before) for own in copies]
    np.testing.assert_allclose(s.kept["useful"], expected, rtol=1e-4)
