"""Local differential privacy: the bound, noise on everything, and budgets that stop a person exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.errors import RecipeError
from sottovoce.exchange.compression.interface import Chain
from sottovoce.exchange.steps._noisy import FromSystem
from sottovoce.exchange.steps.clip import Clip
from sottovoce.exchange.steps.gaussian import Gaussian, scale_of
from sottovoce.exchange.steps.interface import on_device, protect
from sottovoce.exchange.steps.sequence import sequence
from sottovoce.kernels import driver
from sottovoce.models.mf import MF
from sottovoce.privacy.guarantee import calibrated, guarantee
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.observe import Observation
from sottovoce.state import each_alone, gathered, new_people
from sottovoce.testing.networks import uncompiled
from tests.networks import ratings, simulate

ITEMS = 9
NONE = np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)


def person():
    return new_people(1, *NONE, each_alone(1))


def update(rows, ids, head=()):
    made = gathered([ITEMS, 0], 2, len(head), ITEMS)
    made.offset[1], made.size[0] = len(rows), 17
    made.rows[: len(rows)], made.ids[: len(rows)], made.head[0] = rows, ids, head
    return made


def silent(length=1.0, unit=2.0**-20, disclosures=1):
    """The step without noise: what is left is what noise is added to."""
    return FromSystem(length, unit, disclosures, np.zeros(ITEMS * 2 + 3, np.int64))


vectors = st.lists(st.floats(-1e6, 1e6, width=32), min_size=13, max_size=13)


@given(vectors, st.floats(0.01, 100))
@settings(max_examples=50, deadline=None)
def test_what_noise_is_added_to_is_never_longer_than_the_bound(values, length):
    rows = np.array(values[:10], np.float32).reshape(5, 2)
    made = update(rows, [7, 2, 8, 0, 3], values[10:])
    protect(silent(length, unit=length / 2**12), made, 0, person(), 0, 1, 0)
    total = np.concatenate([made.rows.ravel(), made.head[0]]).astype(np.float64)
    assert np.linalg.norm(total) <= length


def test_every_row_in_the_order_of_the_catalogue_and_one_instance():
    made = update([[0.5, 0.0], [0.0, 0.25]], [7, 2], [0.125, 0.0, 0.0])
    protect(silent(), made, 0, person(), 0, 1, 0)
    expected = np.zeros((ITEMS, 2))
    expected[7, 0], expected[2, 1] = 0.5, 0.25
    np.testing.assert_allclose(made.rows, expected, atol=2e-6)
    np.testing.assert_allclose(made.head[0], [0.125, 0, 0], atol=2e-6)
    assert made.ids.tolist() == list(range(ITEMS))
    assert made.offset.tolist() == [0, ITEMS, ITEMS]
    assert made.size[0] == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_an_update_that_is_not_finite_becomes_noise_alone(bad):
    made, zero = update([[bad, 1.0]], [4], [1.0, bad, 0.0]), update([[0.0, 0.0]], [4], [0.0, 0.0, 0.0])
    step = Gaussian(noise=1.0, epsilon=30.0, disclosures=1)
    for one in (made, zero):
        protect(step, one, 0, person(), 0, 1, 0)
    np.testing.assert_array_equal(made.rows, zero.rows)
    np.testing.assert_array_equal(made.head, zero.head)
    assert np.isfinite(made.rows).all()


@driver
def _many(step, updates, people, run, found):
    for n in range(len(found)):
        updates.offset[1] = 1
        updates.ids[0], updates.rows[0, 0], updates.rows[0, 1] = 4, 0.0, 0.0
        for d in range(3):
            updates.head[0, d] = 0.0
        protect(step, updates, 0, people, 0, run, 0)
        for j in range(ITEMS):
            for d in range(2):
                found[n, 2 * j + d] = updates.rows[j, d]
        for d in range(3):
            found[n, 2 * ITEMS + d] = updates.head[0, d]


def noise_of(step, run=1, times=4000):
    found = np.empty((times, 2 * ITEMS + 3))
    _many(step, update([[0.0, 0.0]], [4], [0.0] * 3), person(), run, found)
    return found


def test_noise_covers_every_row_and_the_head_with_the_right_spread():
    step = Gaussian(length=0.5, noise=3.0, disclosures=10**6)
    found = noise_of(step)
    spread = found.std(axis=0)
    np.testing.assert_allclose(spread, 1.5, rtol=5 / np.sqrt(2 * len(found)))
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=5 * 1.5 / np.sqrt(len(found)))
    # Numbers do not depend on each other, nor on those of the disclosure before.
    np.testing.assert_allclose(np.corrcoef(found.T) - np.eye(found.shape[1]), 0, atol=5 / np.sqrt(len(found)))
    assert abs(np.corrcoef(found[:-1, 0], found[1:, 0])[0, 1]) < 5 / np.sqrt(len(found))


def test_noise_repeats_with_the_seed():
    step = Gaussian(noise=1.0, disclosures=10)
    np.testing.assert_array_equal(noise_of(step, 1, 5), noise_of(step, 1, 5))
    assert (noise_of(step, 2, 5) != noise_of(step, 1, 5)).mean() > 0.9


def test_numbers_are_whole_steps_of_a_grid():
    step = Gaussian(length=0.7, noise=1.3, disclosures=10)
    found = noise_of(step, times=5) * 2.0**9  # 0.91 / 512 is between 2^-10 and 2^-9
    assert 512 <= scale_of(step) <= 1024
    np.testing.assert_array_equal(2 * found, np.rint(2 * found))


def test_on_a_device_noise_comes_from_the_system_and_differs():
    step = Gaussian(length=0.5, noise=3.0, disclosures=3)
    a, b = (on_device(step, 5000) for _ in range(2))
    assert (a.numbers != b.numbers).mean() > 0.9
    assert np.std(a.numbers * a.unit) == pytest.approx(1.5, rel=0.06)
    assert on_device(Clip(), 5000) == Clip()
    # The run's stream takes no part in it.
    made = [update([[0.1, 0.0]], [4], [0.0] * 3) for _ in range(2)]
    for run, one in enumerate(made):
        protect(a, one, 0, person(), 0, run, 0)
    np.testing.assert_array_equal(made[0].rows, made[1].rows)


def test_a_person_stops_at_the_number_of_allowed_disclosures():
    step, people = Gaussian(noise=1.0, epsilon=30.0, disclosures=2), person()
    sizes = []
    for _ in range(4):
        made = update([[0.1, 0.2]], [4], [1.0, 1.0, 1.0])
        protect(step, made, 0, people, 0, 1, 0)
        sizes.append((int(made.offset[1]), int(made.size[0]), bool(made.head.any())))
    assert sizes == [(ITEMS, 1, True)] * 2 + [(0, 0, False)] * 2
    assert people.disclosed[0] == 2


def test_two_of_three_figures_give_the_third():
    by_noise = calibrated(Gaussian(noise=20.0, epsilon=8.0))
    promise = guarantee(by_noise)
    assert promise.spent(by_noise.disclosures) <= 8 < promise.spent(by_noise.disclosures + 1)
    by_count = calibrated(Gaussian(disclosures=by_noise.disclosures, epsilon=8.0))
    assert 0.95 * 20 < by_count.noise <= 20 * 1.001
    assert promise.noise == 10  # replacing data moves an update by twice its bound
    assert calibrated(by_count) == by_count


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Gaussian(), "neither how much noise"),
        (Gaussian(noise=0.1, epsilon=1.0), "a single disclosure"),
        (Gaussian(noise=20.0, epsilon=1.0, disclosures=10**6), "cost more than epsilon = 1"),
    ],
)
def test_figures_that_contradict_each_other_are_refused(step, why):
    with pytest.raises(RecipeError, match=why):
        calibrated(step)


DATA = ratings([[5, 0, 3, 0, 0, 1, 0, 0], [0, 4, 0, 0, 2, 0, 0, 0], [1, 1, 0, 0, 0, 5, 0, 0]])
STEP = Gaussian(length=0.5, disclosures=2, epsilon=8.0, delta=1e-3)


def test_a_federation_stops_when_budgets_are_spent():
    with uncompiled():
        s = simulate(MF(factors=3), DATA, protocol=Federated(), merge=Simple(), steps=[STEP])
        seen = []
        for _ in range(3):
            before, sent = s.tables.rows.copy(), s.messages
            s.advance(1)
            seen.append((float((s.tables.rows != before).mean()), s.messages - sent))
    assert [moved > 0.99 for moved, _ in seen] == [True, True, False]
    assert seen[2] == (0.0, 0)
    assert s.people.disclosed.tolist() == [2, 2, 2]
    assert (s.tables.age == 2).all()


def test_budgets_survive_a_checkpoint():
    with uncompiled():
        parts = {"protocol": Federated(participants=2), "merge": Simple(), "steps": [STEP]}
        a, b = (simulate(MF(factors=3), DATA, **parts) for _ in range(2))
        a.advance(1)
        b.restore({name: array.copy() for name, array in a.state().items()})
        for one in (a, b):
            one.advance(2)
    np.testing.assert_array_equal(a.tables.rows, b.tables.rows)
    np.testing.assert_array_equal(a.people.disclosed, b.people.disclosed)
    assert 0 < b.people.disclosed.max() <= 2


def test_the_amount_of_data_has_no_weight():
    with uncompiled():
        mean, weighed = (
            simulate(MF(factors=3), DATA, protocol=Federated(), merge=rule, steps=[STEP])
            for rule in (Simple(), FedAvg())
        )
        for one in (mean, weighed):
            one.advance(1)
    np.testing.assert_array_equal(mean.tables.rows, weighed.tables.rows)


def test_under_gossip_tables_tell_nothing_but_numbers():
    """Ages of all rows are alike, and sizes are 0; when the budget is spent, training stays private."""
    with uncompiled():
        s = simulate(MF(factors=3), DATA, steps=[STEP])
        for _ in range(6):
            s.advance(1)
            ages = s.tables.age.reshape(3, -1)
            assert (ages == ages[:, :1]).all()
        assert (s.tables.size == 0).all()
        assert s.people.disclosed.tolist() == [2, 2, 2]
        own, _ = s.own()
    assert np.isfinite(own.rows).all()
    assert (s.private.age >= 0).all()


def test_the_remainder_keeps_what_clipping_takes_off_and_no_noise():
    """Until the budget is spent; then all of a training."""
    with uncompiled():
        s = simulate(MF(factors=3), DATA, steps=[STEP._replace(length=10.0, disclosures=1)])
        s.advance(1)
        assert (s.people.disclosed == 1).all()
        np.testing.assert_allclose(s.private.rows, 0, atol=1e-5)
        short = simulate(MF(factors=3), DATA, steps=[STEP._replace(length=1e-3)])
        short.advance(1)
        touched = np.abs(short.private.rows).sum(axis=1) > 0
        s.advance(3)
    rated = np.zeros((3, 8), bool)
    rated[np.repeat(np.arange(3), np.diff(DATA.indptr)), DATA.item] = True
    np.testing.assert_array_equal(touched, rated.ravel() & np.repeat(short.people.steps > 0, 8))
    assert (np.abs(s.private.rows).sum(axis=1) > 0)[rated.ravel()].any()


def test_observers_see_what_is_sent_and_nobody_is_counted_twice():
    seen = []
    watch = Observation(True, np.empty(0, np.int32), 1, 1, lambda round, records: seen.extend(records))
    with uncompiled():
        parts = {"protocol": Federated(), "merge": Simple(), "steps": [STEP]}
        s = simulate(MF(factors=3), DATA, **parts, observation=watch)
        before = s.tables.rows.copy()
        s.advance(1)
    record = seen[0]
    assert record["size"].tolist() == [1, 1, 1]
    assert record["ids"].tolist() == list(range(8)) * 3
    mean = record["rows"].reshape(3, 8, -1).mean(axis=0)
    np.testing.assert_allclose(s.tables.rows - before, mean, atol=1e-5)
    assert s.people.disclosed.tolist() == [1, 1, 1]


def test_compiled_federations_equal_plain_python():
    found = []
    for plain in (True, False):
        s = None
        parts = {"protocol": Federated(), "merge": Simple(), "steps": [STEP]}
        if plain:
            with uncompiled():
                s = simulate(MF(factors=3), DATA, **parts)
                s.advance(2)
        else:
            s = simulate(MF(factors=3), DATA, **parts)
            s.advance(2)
        found.append(s.tables.rows.copy())
    np.testing.assert_allclose(*found, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("steps", "why"),
    [((STEP, Clip()), "A step after the one"), ((STEP, STEP), "Two components add noise")],
)
def test_only_compression_may_follow(steps, why):
    with pytest.raises(RecipeError, match=why):
        simulate(MF(factors=3), DATA, protocol=Federated(), merge=Simple(), steps=steps)


def test_clip_may_come_before_and_compression_after():
    made, people = update([[3.0, 4.0]], [4], [0.0] * 3), person()
    steps = sequence([Clip(length=0.1), STEP._replace(noise=1.0), Chain(share=0.5)])
    protect(steps, made, 0, people, 0, 1, 0)
    assert made.offset[1] == ITEMS // 2
    assert len(set(made.ids[: ITEMS // 2].tolist())) == ITEMS // 2
