"""Sums of integers equal those of the real protocol bit by bit, and so does the model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import testing
from sottovoce.combine.aggregate.change import Change
from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.interface import divisor, stride
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.aggregate.reptile import Reptile
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.sums._masked import Session, contributions
from sottovoce.combine.sums.interface import (
    Task,
    accumulate,
    changed_item,
    clear,
    collect,
    compiled,
    head_total,
    new_sums,
    open_sums,
    remarks,
    row_total,
    weights_and_rows,
)
from sottovoce.combine.sums.plain import Plain
from sottovoce.combine.sums.secure import Secure, plan, threshold
from sottovoce.errors import RecipeError
from sottovoce.exchange import codec
from sottovoce.exchange.compression.interface import Chain, Whole
from sottovoce.exchange.secure.contribution import Contribution, plain_sums
from sottovoce.exchange.secure.group import default_threshold
from sottovoce.kernels import driver
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.fedfast import FedFast
from sottovoce.state import gathered
from tests.combine.sums.federations import aggregate, everybody, federation, updates

RULES = [MFFedAvg(), FedAvg(), Simple(), Reptile(step=0.25)]


def applied(before, rule, found):
    """The server's model after sums of the real protocol: rows and head, in the arithmetic of the server."""
    rows, head = before.rows.copy(), before.head[0].copy()
    totals = found.totals.tolist()
    everybody = np.float32(totals[0]) if rule.over == "participants" else np.float32(0)
    for item, contributors, total in zip(found.items, found.contributors, found.rows, strict=True):
        weight = np.float32(divisor(rule, np.float32(contributors), everybody))
        rows[item] += total.astype(np.float32) * (np.float32(stride(rule)) / weight)
    heads = float(totals[-1])
    if heads > 0:
        weight = np.float32(divisor(rule, heads, heads))
        head += np.float32(stride(rule)) * found.head.astype(np.float32) / weight
    return rows, head


@settings(max_examples=30)
@given(st.data())
def test_sums_and_models_equal_those_of_the_real_protocol(data):
    """Over random groups, thresholds, dropouts, numbers of bits and rules."""
    people = data.draw(st.integers(3, 8))
    rule = data.draw(st.sampled_from(RULES))
    bits, places = data.draw(st.sampled_from([(32, 20), (64, 40)]))
    sum = Secure(
        bits=bits, row_places=places, threshold=data.draw(st.sampled_from([0.5, 2 / 3, 1.0])), fewest=2
    )
    least = threshold(sum, people)
    gone = data.draw(st.lists(st.integers(0, people - 1), max_size=people - least, unique=True))
    with testing.uncompiled():
        s = federation(people, sum, rule, seed=data.draw(st.integers(1, 99)))
        groups = everybody(s, tuple(gone))
        for _ in range(2):
            agreed, lines, before = plan(sum, s.task), updates(s, groups), s.tables
            before = before._replace(rows=before.rows.copy(), head=before.head.copy(), age=before.age.copy())
            session = Session(agreed, contributions(agreed, rule, lines), people, least, b"seed")
            session.run()
            sent = aggregate(s, groups)
            assert session.result is not None
            rows, head = applied(before, rule, session.result)
            assert sent.tolist() == [len(session.result.items)]
            np.testing.assert_array_equal(s.tables.rows, rows)
            np.testing.assert_array_equal(s.tables.head[0], head)
            assert np.flatnonzero(s.tables.age - before.age).tolist() == session.result.items.tolist()


def test_too_few_people_give_no_sum_and_the_model_stays(uncompiled):
    s = federation(6, Secure(fewest=2, threshold=2 / 3))
    groups = everybody(s, (1, 4))
    assert threshold(s.sum, 6) == 5
    before = s.tables.rows.copy()
    assert aggregate(s, groups).tolist() == [0]
    np.testing.assert_array_equal(s.tables.rows, before)
    assert s.tables.clock[0] == 1
    assert (s.people.steps == 1).all()  # they have trained, though nothing came of it
    aggregate(s, everybody(s, (1,)))
    assert (s.tables.rows != before).any()
    (failed, _) = remarks(s.sum, s.driver.state()["sum tally"])
    assert failed.startswith("1 of 2 aggregations had no sum")


def test_rows_of_few_contributors_keep_their_value(uncompiled):
    one = federation(9, Secure(fewest=6, threshold=1.0))
    groups = everybody(one)
    lines, before = updates(one, groups), one.tables.rows.copy()
    count = np.bincount(lines["ids"], minlength=one.items)
    assert 0 < (count < 6).sum() < one.items
    aggregate(one, groups)
    np.testing.assert_array_equal((one.tables.rows != before).any(axis=1), count >= 6)
    tally = one.driver.state()["sum tally"]
    assert tally.tolist() == [
        1,
        0,
        (count >= 6).sum(),
        ((count > 0) & (count < 6)).sum(),
        count[count >= 6].min(),
    ]
    (told,) = remarks(one.sum, tally)
    assert "at least 6 contributors" in told


@pytest.mark.parametrize("rule", RULES)
def test_with_all_rows_the_model_is_that_of_plain_sums(uncompiled, rule):
    secure, plain = (federation(7, sum, rule) for sum in (Secure(fewest=1, threshold=1.0, bits=64), Plain()))
    for one in (secure, plain):
        aggregate(one, everybody(one))
    np.testing.assert_allclose(secure.tables.rows, plain.tables.rows, rtol=0, atol=2.0**-19)
    np.testing.assert_allclose(secure.tables.head, plain.tables.head, rtol=0, atol=2.0**-10)


def test_thresholds_are_those_of_the_protocol():
    for people in range(2, 1025):
        assert threshold(Secure(threshold=2 / 3), people) == default_threshold(people)
        assert threshold(Secure(threshold=0.5), people) == people // 2 + 1
        assert threshold(Secure(threshold=1.0), people) == people


@pytest.mark.parametrize("unheard", [(), (1,), (1, 4)])
def test_traffic_is_that_of_real_sessions(uncompiled, unheard):
    """The downloads of the model, and all messages of a session, with people who are not heard."""
    sum = Secure(fewest=2, threshold=2 / 3)
    s = federation(6, sum)
    groups, agreed = everybody(s, unheard), plan(sum, s.task)
    session = Session(
        agreed, contributions(agreed, s.merge, updates(s, groups)), 6, threshold(sum, 6), b"seed"
    )
    session.run()
    asked, rows = s.driver._asked(0, 0.0), aggregate(s, groups)
    found = s.driver._traffic(groups, asked, rows)
    model = codec.size(s.items, s.shape.row, s.shape.head, False)
    assert found.messages == 6 + session.messages
    assert found.arrived == found.messages - session.lost
    assert found.bytes == 6 * model + session.bytes
    assert session.lost == len(unheard)
    assert (session.result is None) == (len(unheard) == 2)


@pytest.mark.parametrize(
    ("places", "value", "problem"),
    [
        ("rows", np.nan, "not finite"),
        ("rows", np.inf, "not finite"),
        ("rows", 1e9, "is 1e\\+09, and with 6 participants 341.333 is the largest"),
        ("head", np.nan, "not finite"),
        ("head", 1e20, "overflow"),
    ],
)
def test_numbers_that_do_not_fit_end_the_run(uncompiled, monkeypatch, places, value, problem):
    """Nobody's number is left out, and no sum is wrong: the model stays, and a sentence says why."""
    from sottovoce.protocols import aggregate as module

    s, update = federation(6, Secure(fewest=2)), module.trained_update

    def broken(*given):
        update(*given)
        updates, place = given[4], given[5]
        if places == "rows":
            updates.rows[updates.offset[place]] = value
        else:
            updates.head[place] = value

    monkeypatch.setattr(module, "trained_update", broken)
    before = s.tables.rows.copy()
    with pytest.raises(RecipeError, match=problem):
        aggregate(s, everybody(s))
    np.testing.assert_array_equal(s.tables.rows, before)


@pytest.mark.parametrize("bits", [32, 64])
def test_the_largest_number_fits_and_the_next_does_not(uncompiled, bits):
    from sottovoce.combine.sums._integers import FINE, TOO_LARGE, integer
    from sottovoce.exchange.secure.fixed_point import FixedPoint

    form = FixedPoint(bits, 4, 5)
    largest = float(np.nextafter(form.limit / 16, 0)) if bits == 64 else form.limit / 16
    for sign in (-1, 1):
        fault = np.zeros(3)
        assert integer(sign * largest, 16.0, form.limit, fault) == sign * np.rint(largest * 16)
        assert fault[0] == FINE
        integer(sign * (form.limit / 16) * 1.01, 16.0, form.limit, fault)
        assert fault[0] == TOO_LARGE


@pytest.mark.parametrize(
    ("sum", "more", "problem"),
    [
        (Secure(), {"protocol": Federated(participants=2, selection="useful")}, "'useful' needs the length"),
        (
            Secure(),
            {"protocol": FedFast(participants=4, clusters=1), "rule": FedAvg()},
            "people's own vectors",
        ),
        (Secure(), {"rule": Change()}, "weighs each row by how it changed"),
        (Secure(), {"chain": Chain(share=0.5)}, "would save nothing"),
        (Secure(), {"chain": Chain(bits=8)}, "would save nothing"),
        (
            Secure(),
            {"protocol": Federated(participants=2)},
            "2 people may be left in the end",
        ),
        (Secure(smallest=9), {}, "8 people may be left in the end, and 9 are wanted"),
        (Secure(bits=16), {}, "20 binary places do not fit 16 bits"),
        (Secure(), {"people": 1100, "items": 2}, "secure sums 1,024"),
    ],
)
def test_what_cannot_be_hidden_is_refused_with_a_reason(sum, more, problem):
    with pytest.raises(RecipeError, match=problem):
        federation(more.pop("people", 8), sum, **more)


def test_tallies_survive_a_checkpoint(uncompiled):
    whole, part, rest = (federation(6, Secure(fewest=2)) for _ in range(3))
    whole.advance(4), part.advance(2)
    rest.restore({name: array.copy() for name, array in part.state().items()})
    rest.advance(2)
    for name, array in whole.state().items():
        if name != "seconds":
            np.testing.assert_array_equal(rest.state()[name], array, err_msg=name)


def test_a_server_sees_masked_messages_and_the_sums(uncompiled):
    from tests.simulate.test_observe import watching

    watch, seen = watching(server=True, first=1, last=1)
    sum = Secure(fewest=2, threshold=0.5)
    s, twin = federation(6, sum, observation=watch), federation(6, sum)
    lines = updates(twin, everybody(twin))
    for one in (s, twin):
        one.advance(1)
    np.testing.assert_array_equal(s.tables.rows, twin.tables.rows)
    assert (s.messages, s.bytes) == (twin.messages, twin.bytes)
    ((_, record),) = seen
    assert record["sender"].tolist() == list(range(6))
    assert record["update"].all()
    assert not record["size"].any()
    np.testing.assert_array_equal(record["ids"], np.tile(np.arange(s.items), 6))
    # The sums are what the model moved by; the messages of single people are noise around them.
    items, true = record["sum_items"], np.zeros((s.items, s.shape.row))
    np.add.at(true, lines["ids"], lines["rows"].astype(np.float64))
    np.testing.assert_allclose(record["sum_rows"], true[items], atol=6 * 2.0**-21, rtol=0)
    counts = np.bincount(lines["ids"], minlength=s.items)
    np.testing.assert_array_equal(record["sum_counts"], counts)
    assert record["masked_counts"].dtype == record["masked_rows"].dtype == np.uint32
    assert record["masked_rows"].shape == (6, len(items) * s.shape.row + s.shape.head)
    noise = record["rows"][:, 0].reshape(6, s.items)
    np.testing.assert_array_equal(
        noise, record["masked_counts"][:, : s.items].view(np.int32).astype(np.float32)
    )
    assert np.abs(noise).min() > 1000
    total = record["masked_counts"].sum(axis=0, dtype=np.uint32)
    assert (total[: s.items] != counts).all()  # hidden until it is unmasked


def test_without_a_sum_a_server_has_masked_counts_alone(uncompiled):
    from sottovoce.combine.sums.interface import server_sees

    s = federation(6, Secure(fewest=2))
    groups = everybody(s, (1, 2, 3))
    (record,) = server_sees(s.sum, s.task, [updates(s, groups)], 6, 1)
    assert record["sender"].tolist() == [0, 4, 5]
    assert record["masked_counts"].shape == (3, s.items + 1)
    assert all(len(record[name]) == 0 for name in ("masked_rows", "sum_counts", "sum_rows"))
    assert server_sees(s.sum, s.task, [updates(s, groups)], 1, 1) == []
    assert server_sees(s.sum, s.task, [], 6, 1) == []


@driver
def add_up(sum, rule, updates, heard, sums, found):
    """Sum updates in two blocks; write the items that have a sum, and the weights of all."""
    open_sums(sum, sums, len(heard), np.count_nonzero(heard), 1, 0, 0)
    for block in range(2):
        clear(sum, sums, block)
    for n in range(len(heard)):
        accumulate(sum, rule, updates, n, n, heard[n], sums, n % 2)
    count = collect(sum, sums)
    for n in range(count):
        row_total(sum, sums, changed_item(sum, sums, n))
    rows, heads, _ = weights_and_rows(sum, sums)
    found[0], found[1], found[2] = count, rows, heads
    for d in range(updates.head.shape[1]):
        found[3 + d] = head_total(sum, sums, d)


def test_compiled_sums_are_those_of_python_and_of_the_protocol():
    people, items, rng = 6, 12, np.random.default_rng(3)
    chosen = [np.flatnonzero(rng.random(items) < 0.7) for _ in range(people)]
    updates = gathered([len(ids) for ids in chosen], 3, 4)
    updates.ids[:], updates.rows[:] = np.concatenate(chosen), rng.normal(size=updates.rows.shape)
    updates.head[:], updates.size[:] = rng.normal(size=(people, 4)), rng.integers(1, 50, people)
    heard = np.array([True, True, False, True, True, True])
    sum = Secure(fewest=2, threshold=0.5)
    task = Task(MFFedAvg(), Whole(), items, 3, 4, people, people, 0, False)
    results = []
    for run in (add_up, add_up.plain):
        sums, found = new_sums(compiled(sum, task), 2, items, 3, 4, np.empty(0, np.float32)), np.zeros(7)
        run(compiled(sum, task), MFFedAvg(), updates, heard, sums, found)
        kept = np.sort(sums.changed[: int(found[0])])
        results.append((kept, sums.rows[kept], found, sums.tally))
    for fast, slow in zip(*results, strict=True):
        np.testing.assert_array_equal(fast, slow)
    group = [
        Contribution(updates.ids[a:b], updates.rows[a:b], head.astype(np.float64) * size, np.array([size]))
        for a, b, head, size in zip(
            updates.offset, updates.offset[1:], updates.head, updates.size, strict=False
        )
    ]
    true = plain_sums(plan(sum, task), group, threshold(sum, people), np.flatnonzero(heard).tolist())
    kept, rows, found, _ = results[0]
    assert 0 < len(kept) == found[0] < items
    np.testing.assert_array_equal(kept, true.items)
    np.testing.assert_array_equal(rows[:, :3], true.rows.astype(np.float32))
    np.testing.assert_array_equal(rows[:, 3], true.contributors)
    np.testing.assert_array_equal(found[3:], true.head.astype(np.float32))
    assert found[2] == true.totals[0]
