"""PRME-G: distances, gradients, a training in plain NumPy, networks, and learning where one goes next."""

import math
from pathlib import Path

import numpy as np
import pytest

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.none import Replace
from sottovoce.combine.performance import Performance
from sottovoce.data.load import load
from sottovoce.data.splits.leave_one_out import LeaveOneOut
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.models import prme
from sottovoce.models.interface import score, touched, train
from sottovoce.models.popularity import Popularity
from sottovoce.models.prme import PRME
from sottovoce.models.random import Random
from sottovoce.peers.interface import renew
from sottovoce.peers.personalized import Personalized
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from sottovoce.state import gathered
from tests.networks import advance_slowly, assert_same, simulate
from tests.walks import HOUR, walks

K = 3
RULE = Performance("f1", k=2)


def haversine(a, b):
    """Kilometres between two pairs of latitude and longitude in degrees."""
    (north, east), (north2, east2) = np.radians(a), np.radians(b)
    h = math.sin((north2 - north) / 2) ** 2
    h += math.cos(north) * math.cos(north2) * math.sin((east2 - east) / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(h))


def test_weights_are_of_kilometres_on_the_sphere():
    data = walks(items=4)
    degrees = np.array([[40.7, -74.0], [40.71, -74.02], [-33.9, 151.2], [np.nan, np.nan]], np.float32)
    data.catalog.coordinates[:] = degrees
    place = simulate(PRME(factors=K), data, merge=RULE).people.place
    for a in range(3):
        for b in range(3):
            wanted = (1 + haversine(degrees[a].astype(float), degrees[b].astype(float))) ** 0.25
            assert prme.weight(place, a, b) == pytest.approx(wanted, rel=1e-4)
    assert prme.weight(place, 0, 3) == prme.weight(place, 3, 3) == 1


@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize("origin", [2, 0, 1], ids=["elsewhere", "at the item", "at the other"])
def test_steps_are_gradients(near, origin):
    """Of every number, in double precision, also where the person stays, or is at the other place."""
    rng = np.random.default_rng(3)
    rows, x = rng.normal(size=(4, 2 * K)), rng.normal(size=K)
    alpha, weights, decay = 0.3, (1.7, 2.4), 0.02

    def far(x, rows, n, w):
        taste = np.sum((x - rows[n, :K]) ** 2)
        way = np.sum((rows[origin, K:] - rows[n, K:]) ** 2)
        return w * (alpha * taste + (1 - alpha) * way) if near else taste

    def margin(x, rows):
        return far(x, rows, 1, weights[1]) - far(x, rows, 0, weights[0])

    def objective(x, rows):
        parts = [x, rows[0, :K], rows[1, :K]]
        if near:
            parts += [rows[n, K:] for n in {0, 1, origin}]
        return -math.log1p(math.exp(-margin(x, rows))) - decay * sum(np.sum(p**2) for p in parts)

    def slope(array, at):
        kept, found = array[at], []
        for moved in (kept + 1e-6, kept - 1e-6):
            array[at] = moved
            found.append(objective(x, rows))
        array[at] = kept
        return (found[0] - found[1]) / 2e-6

    wanted = [np.array([slope(a, at) for at in np.ndindex(a.shape)]).reshape(a.shape) for a in (x, rows)]
    tastes = tuple(alpha * w for w in weights) if near else (1.0, 1.0)
    ways = tuple((1 - alpha) * w for w in weights)
    found = [prme.distance(x, rows[origin], rows[n], tastes[n], ways[n], near, K) for n in range(2)]
    assert found[1] - found[0] == pytest.approx(margin(x, rows))
    up = 2 * prme.chance(margin(x, rows))
    moved_x, moved = x.copy(), rows.copy()
    prme.ascend(moved_x, np.empty(K), moved, origin, 0, 1, tastes, ways, near, up, 2 * decay, K)
    np.testing.assert_allclose(moved_x - x, wanted[0], atol=1e-7)
    np.testing.assert_allclose(moved - rows, wanted[1], atol=1e-7)
    assert np.count_nonzero(wanted[1]) == {True: 2 * K * 2 + K * (origin == 2), False: 2 * K}[near]


def test_chances_do_not_overflow():
    assert prme.chance(1e4) == 0
    assert prme.chance(-1e4) == 1
    assert prme.chance(0.0) == 0.5
    assert prme.chance(2.0) == pytest.approx(1 - 1 / (1 + math.exp(-2)))


def triples(simulation, person, epoch=0):
    people, room = simulation.people, np.diff(simulation.people.indptr)[person]
    which, other = np.empty(room, np.int64), np.empty(room, np.int32)
    count = prme._triples(simulation.model, people, person, simulation.seed, epoch, which, other)
    return which[:count], other[:count]


def test_every_check_in_is_set_against_a_place_not_gone_to_from_there():
    simulation = simulate(
        PRME(factors=K, epochs=2), walks(people=4, items=5, length=40, stray=0.9), merge=RULE
    )
    people = simulation.people
    orders = []
    for person in range(4):
        for epoch in range(2):
            which, other = triples(simulation, person, epoch)
            begin, end = people.indptr[person], people.indptr[person + 1]
            came = people.before[begin:end]
            gone = {(int(c), int(i)) for c, i in zip(came, people.item[begin:end], strict=True)}
            assert len(set(which.tolist())) == len(which)
            free = {c for c in set(came.tolist()) if len({i for o, i in gone if o == c}) < 5}
            assert sorted(which) == [n for n in range(begin, end) if came[n - begin] in free]
            assert not gone & set(zip(people.before[which].tolist(), other.tolist(), strict=True))
            orders.append((which - begin).tolist())
    assert len({tuple(order) for order in orders}) == 8


def plain(simulation, person, rows, x, age):
    """One training as the equations have it, all numbers in double precision."""
    model, people = simulation.model, simulation.people
    degrees = simulation.coordinates
    for epoch in range(model.epochs):
        for at, j in zip(*triples(simulation, person, epoch), strict=True):
            i, c = people.item[at], people.before[at]
            near = c >= 0 and people.gap[at] <= model.threshold * HOUR
            p, s = rows[:, :K].copy(), rows[:, K:].copy()
            w = [(1 + haversine(degrees[c], degrees[n])) ** 0.25 if near else 1 for n in (i, j)]
            a, b = ([model.alpha * v for v in w], [(1 - model.alpha) * v for v in w]) if near else (w, [0, 0])
            z = a[1] * np.sum((x - p[j]) ** 2) - a[0] * np.sum((x - p[i]) ** 2)
            z += b[1] * np.sum((s[c] - s[j]) ** 2) - b[0] * np.sum((s[c] - s[i]) ** 2)
            g = 2 * model.step / (1 + math.exp(z))
            slopes, change = np.zeros_like(rows), g * (a[1] * (x - p[j]) - a[0] * (x - p[i]))
            slopes[i, :K] += g * a[0] * (x - p[i])
            slopes[j, :K] -= g * a[1] * (x - p[j])
            slopes[i, K:] += g * b[0] * (s[c] - s[i])
            slopes[j, K:] -= g * b[1] * (s[c] - s[j])
            slopes[c, K:] += g * (b[1] * (s[c] - s[j]) - b[0] * (s[c] - s[i]))
            down = 2 * model.step * model.regularization
            x += change - down * x
            for n in {i, j}:
                slopes[n, :K] -= down * p[n]
            for n in {i, j, c} if near else ():
                slopes[n, K:] -= down * s[n]
            rows += slopes
            age[list({i, j, c} if near else {i, j})] += 1


def test_a_training_is_that_of_plain_numpy():
    data = walks()
    simulation = simulate(PRME(factors=K, step=0.05, epochs=2), data, merge=RULE)
    simulation.coordinates = data.catalog.coordinates.astype(float)
    simulation.tables.rows[:] += np.random.default_rng(1).normal(0, 0.5, simulation.tables.rows.shape)
    for person in range(3):
        own = slice(person * data.items, (person + 1) * data.items)
        rows, x = simulation.tables.rows[own].astype(float), simulation.people.user[person].astype(float)
        age = np.zeros(data.items, int)
        plain(simulation, person, rows, x, age)
        arguments = simulation.model, simulation.tables, person, simulation.people, person, simulation.seed
        assert train(*arguments) == 2 * np.diff(data.indptr)[person]
        np.testing.assert_allclose(simulation.tables.rows[own], rows, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(simulation.people.user[person], x, rtol=1e-4, atol=1e-6)
        np.testing.assert_array_equal(simulation.tables.age[own], age)


def test_rows_held_are_those_that_change_and_tables_make_no_difference():
    data = walks(items=40)
    simulation = simulate(PRME(factors=K, epochs=2), data, merge=RULE)
    scratch = gathered([data.items], 2 * K, 0, data.items)
    scratch.offset[1] = 0
    arguments = simulation.people, 2, simulation.seed
    touched(simulation.model, scratch, 0, *arguments)
    held = scratch.ids[: scratch.offset[1]]
    own = slice(2 * data.items, 3 * data.items)
    scratch.rows[: len(held)] = simulation.tables.rows[own][held]
    x = simulation.people.user[2].copy()
    train(simulation.model, simulation.tables, 2, *arguments)
    changed = simulation.people.user[2].copy()
    simulation.people.user[2] = x
    train(simulation.model, scratch, 0, *arguments)
    np.testing.assert_array_equal(simulation.people.user[2], changed)
    assert sorted(held) == np.flatnonzero(simulation.tables.age[own]).tolist()
    assert len(held) < data.items
    np.testing.assert_array_equal(scratch.rows[: len(held)], simulation.tables.rows[own][held])


def test_a_judged_network_equals_the_slow_one():
    split = LocalHoldout(test=0.1, weighting=0.3, candidates=4).split(walks(), 1)
    peers = Personalized(view=2, exploration=0.5, refresh=2, remember=3, cache=4)
    parts = {"merge": RULE, "peers": peers, "protocol": Gossip(pushes=2)}
    parts |= {"weighting": split.weighting, "candidates": split.weighting_candidates}
    fast, slow = (simulate(PRME(factors=K, step=0.05), split.train, **parts) for _ in range(2))
    here = fast.people.here.copy()
    fast.advance(4)
    advance_slowly(slow, 2)
    renew(peers, slow.views, slow.receivers.heard, slow.timing, slow.seed, slow.round)
    advance_slowly(slow, 2)
    assert_same(fast, slow)
    np.testing.assert_array_equal(fast.receivers.heard, slow.receivers.heard)
    np.testing.assert_array_equal(fast.people.here, here)
    assert len(set(fast.receivers.quality.ravel().tolist())) > 3


def test_it_learns_where_people_go_next():
    """The next place depends on the last alone, and nobody is more often anywhere than elsewhere."""
    data = walks(people=100, items=120, length=50, stray=0.2)
    split = LeaveOneOut(candidates=20).split(data, 1)

    def quality(model, rounds):
        simulation = simulate(model, split.train, protocol=Central(), merge=Replace(), rounds=rounds)
        simulation.advance(rounds)
        return evaluate(simulation.model, simulation.tables, simulation.people, split, (5,)).metrics["hr@5"]

    found = quality(PRME(factors=K, step=0.05, threshold=24.0), 60)
    assert found > quality(Popularity(), 1) + 0.15
    assert found > quality(Random(), 1) + 0.15
    assert found > quality(PRME(factors=K, step=0.05, threshold=0.0), 60) + 0.15


def test_real_check_ins_under_every_protocol(data_dir: Path):
    settings = {"min_visitors": 30, "min_user": 10, "duplicates": "keep"}
    data = load("foursquare-nyc", version="10-core", data_dir=data_dir, **settings)
    split = LocalHoldout().split(data, 1)
    model = PRME(factors=K, step=0.05)
    parts = {"weighting": split.weighting, "candidates": split.weighting_candidates}
    for protocol, merge in ((Gossip(), RULE), (Federated(), MFFedAvg()), (Central(), Replace())):
        simulation = simulate(model, split.train, protocol=protocol, merge=merge, **parts)
        began = simulation.people.user.copy()
        simulation.advance(1)
        assert np.isfinite(simulation.tables.rows).all()
        assert (simulation.people.user != began).any(
            axis=1
        ).mean() > 0.5  # in gossip, of those who hear from others
        found = evaluate(simulation.model, simulation.tables, simulation.people, split, (5,))
        assert 0 < found.metrics["hr@5"] < 1


def test_scores_fall_with_the_distance_from_here():
    simulation = simulate(PRME(factors=K), walks(), merge=RULE)
    simulation.tables.rows[:] = 1  # all at one point, but for one number
    simulation.tables.rows[:, 0] = 2
    people, state = simulation.people, (simulation.model, simulation.tables, 0, simulation.people, 0)
    people.here[0], people.away[0] = 0, HOUR
    close, far = score(*state, 1), score(*state, 7)
    assert far < close < 0
    for here, away in ((-1, 0), (0, 7 * HOUR)):
        people.here[0], people.away[0] = here, away
        assert score(*state, 1) == score(*state, 7)
