"""`bpr` against the equations of Anelli et al. 2020, written out with plain matrices in double precision."""

import numpy as np
import pytest
from hypothesis import given, settings

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.aggregate.sum import Sum
from sottovoce.errors import RecipeError
from sottovoce.exchange.update import local_update
from sottovoce.kernels import NEGATIVES, TRAIN, below, stream
from sottovoce.models.bpr import BPR
from sottovoce.models.interface import Context, resolve, score, score_all, touched
from sottovoce.node import Community
from sottovoce.protocols.central import Central
from sottovoce.protocols.consensus import Consensus
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.group_gossip import GroupGossip
from sottovoce.state import gathered
from sottovoce.testing import uncompiled as plain
from tests.networks import communities, ratings, simulate

MODEL = BPR(factors=3, step=0.1, triples=4, user_regularization=0.3, positive_regularization=0.2,
            negative_regularization=0.1)  # fmt: skip
CROWD = ratings([[5, 0, 3, 1, 0, 0], [1, 4, 0, 2, 0, 0], [2, 2, 5, 0, 0, 1], [0, 0, 0, 0, 0, 0]])


def triples(own, items, count, who, when, run=1):
    """The (i, j) of a training, in order."""
    key, others, index = stream(run, TRAIN, who, when), stream(run, NEGATIVES, who, when), 0
    for n in range(count):
        i = own[below(key, n, len(own))]
        while (j := below(others, index, items)) in own:
            index += 1
        index += 1
        yield i, j


def by_hand(model, rows, user, pairs):
    """Equations 3, 5, 6 and 7: what the triples change of the rows, which stay; `user` moves."""
    step, k, moved = model.step, model.factors, np.zeros_like(rows)
    for i, j in pairs:
        x = rows[:, k] + rows[:, :k] @ user
        pull = np.exp(-(x[i] - x[j])) / (1 + np.exp(-(x[i] - x[j])))
        q, r = rows[i, :k], rows[j, :k]
        moved[i, :k] += step * (pull * user - model.positive_regularization * q)
        moved[j, :k] += step * (-pull * user - model.negative_regularization * r)
        moved[i, k] += step * pull
        moved[j, k] -= step * pull
        user += step * (pull * (q - r) - model.user_regularization * user)
    return moved


def a_federated_round(s, data):
    rows, users = s.tables.rows.astype(float), s.people.user.astype(float)
    total = np.zeros_like(rows)
    for person in range(data.people):
        own = data.item[data.indptr[person] : data.indptr[person + 1]].tolist()
        count = 4 if own and len(set(own)) < data.items else 0
        drawn = triples(own, data.items, count, person, int(s.people.steps[person]))
        total += by_hand(s.model, rows, users[person], list(drawn))
    return rows + total, users


@settings(max_examples=15)
@given(communities(people=(2, 5)))
def test_a_federated_round_is_the_equations(data):
    with plain():
        s = simulate(MODEL, data, protocol=Federated(), merge=Sum())
        for _ in range(2):
            rows, users = a_federated_round(s, data)
            s.advance(1)
            np.testing.assert_allclose(s.tables.rows, rows, atol=1e-5)
            np.testing.assert_allclose(s.people.user, users, atol=1e-5)


def test_compiled_code_gives_the_same():
    s = simulate(MODEL, CROWD, protocol=Federated(), merge=Sum())
    rows, users = a_federated_round(s, CROWD)
    s.advance(1)
    np.testing.assert_allclose(s.tables.rows, rows, atol=1e-5)
    np.testing.assert_allclose(s.people.user, users, atol=1e-5)


def test_central_training_is_sgd_over_uniform_triples(uncompiled):
    s = simulate(MODEL, CROWD, protocol=Central())
    rows, users = s.tables.rows.astype(float), s.people.user.astype(float)
    owner = np.repeat(np.arange(CROWD.people), np.diff(CROWD.indptr))
    key, others, index = stream(1, TRAIN, -1, 0), stream(1, NEGATIVES, -1, 0), 0
    for n in range(len(CROWD)):
        at = below(key, n, len(CROWD))
        own = CROWD.item[CROWD.indptr[owner[at]] : CROWD.indptr[owner[at] + 1]]
        while (j := below(others, index, CROWD.items)) in own:
            index += 1
        index += 1
        rows += by_hand(s.model, rows, users[owner[at]], [(CROWD.item[at], j)])
    s.advance(1)
    np.testing.assert_allclose(s.tables.rows, rows, atol=1e-5)
    np.testing.assert_allclose(s.people.user, users, atol=1e-5)


def test_settings_that_are_left_open_follow_from_the_step_and_the_data():
    known = Context(9, 0, 1, 1, 1, people=4, interactions=10)
    found = resolve(BPR(step=0.5), known)
    assert found.triples == 2.5
    assert (found.user_regularization, found.positive_regularization) == (0.025, 0.025)
    assert found.negative_regularization == 0.0025
    given_ = BPR(step=0.5, triples=1, user_regularization=0.0)
    assert resolve(given_, known)[2:4] == (1, 0.0)
    assert resolve(BPR(), known._replace(interactions=0)).triples == 0


def changes(s, person):
    """The ids of what single instances change."""
    updates = gathered([2 * max(s.items, 50), 0], s.shape.row, 0, s.items)
    local_update(s.model, s.tables, 0, updates, 0, s.people, person, 1)
    return updates.ids[: updates.offset[1]].reshape(-1, 2), updates.size[0]


def test_positives_are_drawn_with_replacement_and_negatives_are_never_owned(uncompiled):
    s = simulate(MODEL._replace(triples=50), CROWD, protocol=Federated(), merge=Sum())
    for person, own in ((0, [0, 2, 3]), (1, [0, 1, 3]), (2, [0, 1, 2, 5])):
        pairs, count = changes(s, person)
        assert count == len(pairs) == 50
        assert set(pairs[:, 0]) == set(own)
        assert set(pairs[:, 1]) == set(range(6)) - set(own)


def test_who_has_nothing_or_everything_draws_no_triples(uncompiled):
    data = ratings([[1, 1, 1], [0, 0, 0], [1, 0, 0]])
    s = simulate(MODEL, data, protocol=Federated(), merge=Sum())
    before = s.people.user.copy()
    s.advance(2)
    moved = (s.people.user != before).any(axis=1)
    assert moved.tolist() == [False, False, True]
    for person in (0, 1):
        pairs, count = changes(s, person)
        assert len(pairs) == count == 0
    central = simulate(MODEL, data, protocol=Central())
    central.advance(3)
    assert np.isfinite(central.tables.rows).all()


def test_work_of_a_client_is_in_its_triples_not_in_the_catalogue():
    """With a hundred times the catalogue, a training touches as many rows."""
    few = [[1.0] * 5 + [0.0] * 95]
    s = simulate(MODEL, ratings(few), protocol=Federated(), merge=Sum())
    large = simulate(MODEL, ratings([few[0] + [0.0] * 9_900]), protocol=Federated(), merge=Sum())
    for one in (s, large):
        scratch = gathered([one.items], one.shape.row, 0, one.items)
        scratch.offset[1] = 0
        with plain():
            touched(one.model, scratch, 0, one.people, 0, 1)
        assert 2 <= scratch.offset[1] <= 8


def test_sums_among_peers_need_a_divisor(uncompiled):
    with pytest.raises(RecipeError, match="divides by nobody"):
        simulate(MODEL, CROWD, protocol=Consensus(group=1, pushes=1), merge=Sum())
    with pytest.raises(RecipeError, match="divides by nobody"):
        Community(list("abcdef"), "bpr", consensus="consensus", aggregate="sum")


def test_scores_are_bias_and_product(uncompiled):
    s = simulate(MODEL, CROWD)
    s.advance(1)
    scores = np.empty(CROWD.items, np.float32)
    score_all(s.model, s.tables, 1, s.people, 1, scores)
    rows = s.tables.rows[CROWD.items : 2 * CROWD.items].astype(float)
    np.testing.assert_allclose(scores, rows[:, 3] + rows[:, :3] @ s.people.user[1], atol=1e-6)
    assert score(s.model, s.tables, 1, s.people, 1, 4) == scores[4]


@pytest.mark.parametrize(
    ("protocol", "parts"),
    [
        (Federated(participants=1, aggregations=0.0), {"merge": Sum()}),
        (Federated(), {"merge": Sum(), "storage": "bfloat16"}),
        (GroupGossip(group=2, fewest=1), {}),
        (Consensus(group=1, pushes=1), {"merge": Simple()}),
    ],
    ids=["one at a time", "16 bits", "groups", "consensus"],
)
def test_it_learns_under_every_protocol(uncompiled, protocol, parts):
    s = simulate(MODEL, CROWD, protocol=protocol, **parts)
    before = s.tables.rows.copy(), s.people.user.copy()
    s.advance(2)
    assert (s.tables.rows != before[0]).any()
    assert (s.people.user != before[1]).any(axis=1).tolist() == [True, True, True, False]
