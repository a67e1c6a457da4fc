"""Central references: each against a slow one in plain words, and all against a known answer."""

import numpy as np
import pytest

from sottovoce.data.interactions import Catalog, build
from sottovoce.data.split import Split
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.references._given import BLOCK, given, memory_needed, scored
from sottovoce.evaluate.references._outside import consumed, neighbours
from sottovoce.kernels import set_threads
from sottovoce.metrics.rank import lot, rank
from sottovoce.registry import build as component
from sottovoce.registry import names

RANKING = ["als", "bpr", "ease", "item-knn", "mult-vae", "user-knn"]
SMALL = {
    "als": {"factors": 4, "regularization": 1.0},
    "bpr": {"factors": 4, "epochs": 300, "step": 0.05},
    "mult-vae": {"hidden": 8, "latent": 4, "epochs": 300, "batch": 8, "step": 0.01},
}


def reference(name, **settings):
    return component("reference", name, SMALL.get(name, {}) | settings, "test")


def camps(people=24, items=16):
    """Two camps that share no items; each person lacks one item of the own camp, and one has nothing."""
    pairs = [
        (p, j)
        for p in range(people)
        for j in range(items)
        if j % 2 == p % 2 and j // 2 != p // 2 % (items // 2)
    ]
    catalog = Catalog("camps", np.array([str(j) for j in range(items)]))
    data = build("camps", *map(np.array, zip(*pairs, strict=True)), catalog=catalog)
    return data.take(np.arange(len(data)) >= data.indptr[1])


def noise(seed=0, people=30, items=20):
    random = np.random.default_rng(seed)
    person, item = np.nonzero(random.random((people, items)) < 0.3)
    catalog = Catalog("noise", np.array([str(j) for j in range(items)]))
    return build("noise", person, item, random.integers(1, 6, len(item)), catalog=catalog, scale=(1, 5))


def dense(data):
    matrix = np.zeros((data.people, data.items))
    matrix[np.repeat(np.arange(data.people), np.diff(data.indptr)), data.item] = 1
    return matrix


def scores(name, data, **settings):
    return reference(name, **settings).fit(data, 1)(0, data.people)


def test_all_are_there():
    assert names("reference") == sorted([*RANKING, "biased-mf", "tuned-als"])


@pytest.mark.parametrize("name", RANKING)
def test_the_missing_item_of_the_own_camp_comes_first(name):
    """Somebody of the other camp has nothing that this one has."""
    data = camps()
    everything, had = scores(name, data), dense(data)
    assert everything.shape == (24, 16)
    for person in range(1, 24):
        free = np.flatnonzero(had[person] == 0)
        assert free[np.argmax(everything[person, free])] == person % 2 + 2 * (person // 2 % 8)


def cosines(matrix):
    sizes = matrix.sum(axis=0)
    return matrix.T @ matrix / np.sqrt(np.outer(sizes, sizes))


def test_what_a_run_trains_on_is_left_alone():
    """Items in order of time, some of them twice."""
    data = build("test", ["0"] * 6, list("dbadcb"), value=[1.0, 2, 3, 4, 5, 4])
    before = data.item.copy(), data.indptr.copy(), data.value.copy()
    assert (np.diff(data.item) < 0).any()
    assert consumed(data).nnz == 4
    for kept, now in zip(before, (data.item, data.indptr, data.value), strict=True):
        np.testing.assert_array_equal(now, kept)


def test_neighbours():
    """The highest cosines; of several equal ones at the end of the list, any may be in it."""
    data, k = noise(), 3
    found = neighbours(consumed(data), k).toarray()
    expected = cosines(dense(data))
    for kept, row in zip(found, expected, strict=True):
        assert np.count_nonzero(kept) == k + 1
        np.testing.assert_allclose(np.sort(kept)[-k - 1 :], np.sort(row)[-k - 1 :])
        np.testing.assert_allclose(kept[kept > 0], row[kept > 0])


def test_scores_of_neighbours():
    data = noise()
    matrix = dense(data)
    np.testing.assert_allclose(scores("item-knn", data, k=50), matrix @ cosines(matrix), rtol=1e-5)
    np.testing.assert_allclose(scores("user-knn", data, k=50), cosines(matrix.T) @ matrix, rtol=1e-5)


@pytest.mark.parametrize(("people", "items"), [(30, 20), (12, 40)], ids=["by items", "by people"])
def test_ease_is_ridge_regression_of_each_item_on_the_others(people, items):
    """Where items outnumber people, a matrix of people gives the same scores."""
    data = noise(1, people, items)
    matrix, strength = dense(data), 3.0
    expected = np.empty_like(matrix)
    for j in range(data.items):
        others = np.delete(matrix, j, axis=1)
        gram = others.T @ others + strength * np.eye(data.items - 1)
        expected[:, j] = others @ np.linalg.solve(gram, others.T @ matrix[:, j])
    np.testing.assert_allclose(scores("ease", data, regularization=strength), expected, atol=1e-5)


def test_ease_takes_the_memory_of_the_smaller_side():
    """Six Italian cities have 6,596 people and 34,332 items: 38 GB by items."""
    assert reference("ease").memory_needed(6_596, 34_332) < 2e9
    assert reference("ease").memory_needed(34_332, 6_596) < 2e9


def test_als_ends_where_neither_side_can_improve():
    """At the optimum, everybody's vector solves the normal equations of Hu et al. (2008)."""
    data = noise(2)
    matrix, weight, strength = dense(data), 5.0, 2.0
    found = scores("als", data, factors=1, weight=weight, regularization=strength, iterations=200)
    # found = x yᵀ, and ‖x‖ = ‖y‖ at the optimum, as λ is the same for both.
    _, size, right = np.linalg.svd(found)
    y = right[0] * np.sqrt(size[0])
    for person, had in enumerate(matrix):
        confidence = np.where(had > 0, weight, 1.0)
        x = (confidence * had) @ y / ((confidence * y) @ y + strength)
        np.testing.assert_allclose(found[person], x * y, atol=2e-3)


@pytest.mark.parametrize("name", RANKING)
def test_figures_depend_on_the_seed_but_not_on_threads(name):
    data = noise(3)
    found = []
    for threads in (1, 2):
        with set_threads(threads):
            found.append(reference(name).fit(data, 1)(0, data.people))
    np.testing.assert_array_equal(*found)
    if name in ("als", "bpr"):
        assert not np.array_equal(found[0], reference(name).fit(data, 2)(0, data.people))


def test_blocks_are_parts_of_the_whole():
    data = noise(4)
    for name in (*RANKING, "biased-mf"):
        score = reference(name).fit(data, 1)
        parts = [score(begin, begin + 10) for begin in range(0, data.people, 10)]
        np.testing.assert_allclose(np.concatenate(parts), score(0, data.people), rtol=1e-6, atol=1e-6)


def ranked(data, candidates):
    """A split in which everybody is tested on the first item of their own."""
    first = np.zeros(len(data), bool)
    first[data.indptr[:-1][np.diff(data.indptr) > 0]] = True
    test = data.take(first)
    every = np.tile(np.array(candidates, np.int32), (len(test), 1))
    return Split("first", data, test, None, every, np.empty((0, 0), np.int32))


def test_given_scores_are_what_is_evaluated(monkeypatch):
    from sottovoce.evaluate.references import _given

    data = noise(5)
    split = ranked(data, [0, 1, 2])
    table = np.random.default_rng(6).random((data.people, data.items)).astype(np.float32)
    monkeypatch.setattr(_given, "BLOCK", 7 * data.items)  # the last block is short
    state = given(lambda begin, end: table[begin:end], data)
    np.testing.assert_array_equal(state.tables.rows.reshape(table.shape), table)
    item = split.test.item
    own, everybody = table[np.arange(data.people), item], range(data.people)
    # An item that is its own rival is tied with itself.
    places = [rank(own[p], table[p, :3], lot(p, item[p])) for p in everybody]
    expected = np.mean([place < 2 for place in places])
    assert evaluate(*state, split, ks=(2,)).metrics["hr@2"] == pytest.approx(expected)


def test_people_without_data_score_zero():
    data = camps()
    for name in (*RANKING, "biased-mf"):
        state = scored(reference(name), ranked(data, [0]), 1)
        rows = state.tables.rows.reshape(data.people, data.items)
        assert not rows[0].any()
        assert np.isfinite(rows).all()


def test_biased_mf_is_central_mf():
    """The same RMSE as the tables of the protocol `central` give."""
    from sottovoce.combine.none import Replace
    from sottovoce.models.mf import MF
    from sottovoce.peers.uniform import Uniform
    from sottovoce.protocols.central import Central
    from sottovoce.simulate.engine import Simulation

    data = noise(7, people=40)
    split = Split("own", data, data, None, np.empty((len(data), 0), np.int32), np.empty((0, 0), np.int32))
    central = Simulation(MF(factors=3), Central(), data, 1, merge=Replace(), peers=Uniform(), rounds=3)
    central.advance(3)
    ours = evaluate(central.model, central.tables, central.people, split).metrics
    found = evaluate(*scored(reference("biased-mf", factors=3, epochs=3), split, 1), split).metrics
    assert found["rmse"] == pytest.approx(ours["rmse"], rel=1e-5)


def test_memory_counts_the_scores_and_the_matrix_of_ease():
    data = noise()
    scores = data.people * data.items * 4 + 3 * BLOCK * 8
    assert memory_needed(reference("ease"), data) >= scores + 4 * 8 * min(data.people, data.items) ** 2
    for name in names("reference"):
        assert memory_needed(reference(name), data) > scores


def test_movielens(data_dir):
    """What a central service reaches, where popularity has 0.74 and chance 0.20."""
    from sottovoce.data.load import load
    from sottovoce.data.splits.local_holdout import LocalHoldout

    split = LocalHoldout().split(load("ml-100k", data_dir=data_dir), 1)
    for name, least in (("als", 0.90), ("ease", 0.89), ("user-knn", 0.87), ("item-knn", 0.85), ("bpr", 0.80)):
        state = scored(component("reference", name, {}, "test"), split, 1)
        assert evaluate(*state, split, ks=(20,)).metrics["hr@20"] > least, name
