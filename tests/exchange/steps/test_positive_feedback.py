"""What a person discloses of the items that the person has: π for triples, for messages, for items."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.aggregate.sum import Sum
from sottovoce.combine.dataset_size import DatasetSize
from sottovoce.disclosure import discloses
from sottovoce.errors import RecipeError
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.interface import compiled, protect
from sottovoce.exchange.steps.positive_feedback import PositiveFeedback, probability_of
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.exchange.update import trained_update
from sottovoce.models.als import ALS
from sottovoce.models.bpr import BPR
from sottovoce.models.gmf import GMF
from sottovoce.models.mf import MF
from sottovoce.node import Community
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from sottovoce.protocols.group_gossip import GroupGossip
from sottovoce.registry import build
from sottovoce.state import gathered
from sottovoce.testing import uncompiled as plain
from tests.networks import communities, ratings, simulate

MODEL = BPR(factors=2, triples=6, step=0.1)
CROWD = ratings([[5, 0, 3, 1, 0, 0], [1, 4, 0, 2, 0, 0], [2, 2, 5, 0, 0, 1]])
EVERY = "triple", "message", "item"


def sent(s, person, round=0):
    """The ids and rows that a person sends, and the number of instances that goes with them."""
    updates = gathered([60, 0], s.shape.row, s.shape.head, s.items)
    steps = sequence(s.steps)
    trained_update(s.model, steps, s.tables, 0, updates, 0, s.people, person, s.seed, round)
    protect(steps, updates, 0, s.people, person, s.seed, round)
    end = updates.offset[1]
    return updates.ids[:end].copy(), updates.rows[:end].copy(), int(updates.size[0])


def federation(*steps, model=MODEL, data=CROWD, **parts):
    parts = {"protocol": Federated(), "merge": Sum()} | parts
    return simulate(model, data, steps=steps, **parts)


def own(data, person):
    return set(data.item[data.indptr[person] : data.indptr[person + 1]].tolist())


@pytest.mark.parametrize("drawn", EVERY)
@pytest.mark.parametrize(
    "protocol", [Federated(participants=2, aggregations=3.0), Consensus(group=1, pushes=1)]
)
def test_with_a_probability_of_one_nothing_differs_bit_by_bit(uncompiled, drawn, protocol):
    parts = {"protocol": protocol, "merge": Simple() if isinstance(protocol, Consensus) else Sum()}
    free, open_ = federation(**parts), federation(PositiveFeedback(1.0, drawn=drawn), **parts)
    for one in (free, open_):
        one.advance(2)
    for name in ("rows", "age", "size"):
        np.testing.assert_array_equal(getattr(open_.tables, name), getattr(free.tables, name))
    np.testing.assert_array_equal(open_.people.user, free.people.user)
    assert (open_.messages, open_.bytes) == (free.messages, free.bytes)


@settings(max_examples=20)
@given(
    communities(people=(2, 5)),
    st.sampled_from(EVERY),
    st.sampled_from([MODEL, GMF(factors=2), MF(factors=2)]),
)
def test_with_a_probability_of_zero_no_own_item_is_ever_sent(data, drawn, model):
    if model is not MODEL and drawn == "triple":
        drawn = "item"
    with plain():
        s = federation(PositiveFeedback(0.0, drawn=drawn), model=model, data=data, merge=Simple())
        for person in range(data.people):
            ids, _, size = sent(s, person)
            assert not own(data, person) & set(ids.tolist())
            assert size == 1, "the number of instances stays on the device"
        g = simulate(model, data, steps=s.steps, protocol=Gossip(pushes=1))
        before = g.tables.rows.copy()
        g.advance(1)
        assert not g.tables.size.any(), "so does the number of interactions"
        every = set().union(*(own(data, person) for person in range(data.people)))
        for slot in range(data.people):
            for item in (
                every
                if data.people == 1
                else own(data, slot) & set.intersection(*(own(data, person) for person in range(data.people)))
            ):
                j = slot * data.items + item
                assert g.tables.age[j] == 0
                np.testing.assert_array_equal(g.tables.rows[j], before[j])


def test_under_gossip_what_is_withheld_counts_for_its_person_alone(uncompiled):
    """One training: the table and the remainder together are what training without the step makes."""
    free, hidden = (simulate(MODEL, CROWD, steps=steps) for steps in ((), (PositiveFeedback(0.4),)))
    start = free.tables.rows.copy()
    for one in (free, hidden):
        for slot in range(3):
            train_alone(one, slot)
    both = hidden.own()[0]
    np.testing.assert_allclose(both.rows, free.tables.rows, atol=1e-6)
    np.testing.assert_array_equal(both.age, free.tables.age)
    np.testing.assert_allclose(hidden.people.user, free.people.user, atol=1e-6)
    assert hidden.private.rows.any()
    assert (hidden.tables.rows != start).any()
    still = hidden.tables.age == 0
    np.testing.assert_array_equal(hidden.tables.rows[still], start[still])


def train_alone(s, slot):
    from sottovoce.protocols.hosted import InTurn, train_hosted

    train_hosted(InTurn(), s.merge, s.model, sequence(s.steps), s.tables, s.private, slot, s.people, s.seed)


def test_for_each_triple_a_row_leaves_with_the_part_that_was_drawn(uncompiled):
    """The share of what is sent is π, and of a row with several triples often only a part is."""
    whole, some = federation(), federation(PositiveFeedback(0.3))
    fractions = []
    for round in range(150):
        ids, rows, _ = sent(whole, 0, round)
        known = dict(zip(ids.tolist(), rows, strict=True))
        there, part, _ = sent(some, 0, round)
        held = dict(zip(there.tolist(), part, strict=True))
        for item, change in known.items():
            if item in own(CROWD, 0):
                fractions.append(held[item][2] / change[2] if item in held else 0.0)
            else:
                np.testing.assert_array_equal(held[item], change)
    share = np.mean(fractions)
    assert abs(share - 0.3) < 4 * np.std(fractions) / np.sqrt(len(fractions))
    assert any(0.05 < one < 0.95 for one in fractions)


@pytest.mark.parametrize("drawn", ["message", "item"])
def test_a_row_leaves_whole_or_not_at_all(uncompiled, drawn):
    whole, some = federation(), federation(PositiveFeedback(0.5, drawn=drawn))
    seen = []
    for round in range(60):
        ids, rows, _ = sent(whole, 0, round)
        known = dict(zip(ids.tolist(), rows, strict=True))
        there, part, _ = sent(some, 0, round)
        for item, change in zip(there.tolist(), part, strict=True):
            np.testing.assert_array_equal(change, known[item])
        seen.append(set(there.tolist()) & own(CROWD, 0))
    if drawn == "message":
        assert set().union(*seen) == own(CROWD, 0), "over rounds everything is disclosed"
        assert len({frozenset(one) for one in seen}) > 2


def test_for_each_item_a_fixed_share_never_leaves(uncompiled):
    rng = np.random.default_rng(1)
    data = ratings((rng.random((12, 60)) < 0.4).astype(float).tolist())
    s = federation(PositiveFeedback(0.3, drawn="item"), model=MODEL._replace(triples=30), data=data)
    left = kept = 0
    for person in range(data.people):
        rounds = [set(sent(s, person, round)[0].tolist()) & own(data, person) for round in range(12)]
        ever = set().union(*rounds)
        again = set().union(
            *(set(sent(s, person, 90 + n)[0].tolist()) & own(data, person) for n in range(12))
        )
        assert len(again ^ ever) <= 1, "the same items, but one that was hardly drawn"
        left, kept = left + len(ever), kept + len(own(data, person))
    assert abs(left / kept - 0.3) < 4 * np.sqrt(0.3 * 0.7 / kept)


def test_people_choose_differently():
    people = simulate(MODEL, ratings([[1.0, 0.0]] * 2000), protocol=Federated(), merge=Sum()).people

    def drawn(step):
        return np.array([probability_of(compiled(step), people, person, 1) for person in range(2000)])

    found = drawn(PositiveFeedback(0.2, highest=0.6, silent=0.25))
    silent = found == 0
    assert abs(silent.mean() - 0.25) < 0.05
    assert 0.2 <= found[~silent].min() < 0.21
    assert 0.59 < found[~silent].max() < 0.6
    assert set(drawn(PositiveFeedback(0.7))) == {0.7}


def test_single_people_can_be_named(uncompiled):
    s = federation(PositiveFeedback(1.0, people={"1": 0.0}), data=CROWD)
    assert own(CROWD, 0) & set(sent(s, 0)[0].tolist())
    assert not own(CROWD, 1) & set(sent(s, 1)[0].tolist())
    assert sent(s, 0)[2] == sent(s, 1)[2] == 1
    with pytest.raises(RecipeError, match="nobody in the data has that id"):
        federation(PositiveFeedback(1.0, people={"somebody": 0.0}))
    with pytest.raises(RecipeError, match="people"):
        build("step", "positive-feedback", {"people": {"1": 1.1}}, "privacy.steps")
    with pytest.raises(RecipeError, match="without a name"):
        Community(["a", "b"], "bpr", steps=[PositiveFeedback(1.0, people={"1": 0.0})])


def test_it_goes_with_other_steps_in_any_order(uncompiled):
    for steps in ((PositiveFeedback(0.0), Clip(0.01)), (Clip(0.01), PositiveFeedback(0.0))):
        ids, rows, _ = sent(federation(*steps), 1)
        assert len(ids)
        assert not own(CROWD, 1) & set(ids.tolist())
        assert np.linalg.norm(rows) < 0.0101
    twice = ratings([[5, 0, 3, 1, 0, 0], [1, 4, 0, 2, 0, 0]] * 2)
    s = simulate(MODEL, twice, protocol=GroupGossip(group=2, fewest=1), steps=(PositiveFeedback(0.5),))
    s.advance(2)
    assert np.isfinite(s.tables.rows).all()


@pytest.mark.parametrize("probability", [-0.1, 1.5, float("nan")])
def test_a_probability_outside_its_range_is_refused(probability):
    with pytest.raises(RecipeError, match="probability"):
        build("step", "positive-feedback", {"probability": probability}, "privacy.steps")


@pytest.mark.parametrize(
    ("step", "parts", "said"),
    [
        (PositiveFeedback(0.5, highest=0.2), {}, "highest = 0.2 below"),
        (
            PositiveFeedback(0.5),
            {"model": MF(factors=2)},
            "does not keep the changes of single instances apart",
        ),
        (PositiveFeedback(0.5, drawn="item"), {"model": ALS(factors=2)}, "statistics of all their items"),
        (PositiveFeedback(0.5), {"merge": FedAvg()}, "how much data they train on"),
        (PositiveFeedback(0.5), {"merge": DatasetSize(), "protocol": Gossip()}, "how many interactions"),
    ],
)
def test_what_would_undo_it_is_refused(step, parts, said):
    with pytest.raises(RecipeError, match=said):
        federation(step, **parts)


def test_a_community_refuses_too():
    with pytest.raises(RecipeError, match="how many interactions"):
        Community(["a", "b"], "bpr", "dataset-size", steps=[PositiveFeedback(0.5)])
    Community(["a", "b"], "bpr", steps=[PositiveFeedback(0.5)])


def test_reports_say_what_leaves():
    assert discloses(PositiveFeedback()) == ()
    (told,) = discloses(PositiveFeedback(0.25, highest=0.5, silent=0.1, drawn="item"))
    assert "between 0.25 and 0.5" in told.tells
    assert "10 % of people" in told.tells
    assert "the others are never sent" in told.tells
