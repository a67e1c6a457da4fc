"""Ranks and their averages: the compiled form, its plain twin, and the definition in other words."""

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.evaluate.ranking import averages, ranks, ranks_in_catalogue
from sottovoce.metrics.rank import LAST, lot
from sottovoce.state import slots_of

NONE = np.empty(0, np.int32)


def by_definition(net: Any, held: Any) -> list[int]:
    """Sort the item under test and its candidates, best first, NaN last; a lot decides among equals."""
    found: list[int] = []
    for person in range(len(held.indptr) - 1):
        scores = net.scores(person)
        for n in range(held.indptr[person], held.indptr[person + 1]):
            own = scores[held.item[n]]
            rivals = sorted((scores[j] for j in held.candidates[n] if j >= 0), reverse=True)
            ahead = [score for score in rivals if score > own]
            equal = rivals.count(own)
            place = len(ahead) + int(lot(person, held.item[n]) * (equal + 1))
            found.append(LAST if math.isnan(own) else place)
    return found


@settings(max_examples=60)
@given(data=st.data())
def test_ranks_for_any_number_of_threads(data: st.DataObject, some_held_out: Any) -> None:
    net, held = data.draw(some_held_out)
    arguments = (net.model, net.tables, net.people, slots_of(net.people), net.items)
    arguments += (held.indptr, held.item, NONE, NONE, held.candidates)
    results = []
    for threads in (1, 2):
        out = np.full(len(held.item), -1, np.int32)
        with kernels.set_threads(threads):
            ranks(*arguments, out, batch=100)
        results.append(out.tolist())
    plain = np.full(len(held.item), -1, np.int32)
    ranks.plain(*arguments, plain)
    assert results == [plain.tolist()] * 2
    assert plain.tolist() == by_definition(net, held)


@given(
    st.lists(st.lists(st.integers(0, 30) | st.just(LAST), max_size=5), min_size=1, max_size=12),
    st.lists(st.integers(1, 30), max_size=3),
)
def test_averages_for_any_number_of_threads(ranks: list[list[int]], ks: list[int]) -> None:
    indptr = np.cumsum([0] + [len(own) for own in ranks])
    flat = np.array([r for own in ranks for r in own], np.int32)
    results = []
    for threads in (1, 2, None):
        out = np.zeros((3, len(ks), len(ranks)))
        if threads is None:
            averages.plain(indptr, flat, np.array(ks, np.int64), *out)
        else:
            with kernels.set_threads(threads):
                averages(indptr, flat, np.array(ks, np.int64), *out, batch=100)
        results.append(out)
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_allclose(results[0], results[2], rtol=1e-15)
    for i, k in enumerate(ks):
        for person, own in enumerate(ranks):
            hits = np.mean([r < k for r in own]) if own else math.nan
            gains = np.mean([1 / math.log2(r + 2) if r < k else 0 for r in own]) if own else math.nan
            places = np.mean([1 / (r + 1) if r < k else 0 for r in own]) if own else math.nan
            np.testing.assert_allclose(results[0][:, i, person], [hits, gains, places], rtol=1e-12)


def test_both_ways_of_scoring_give_the_same_ranks(make_network: Any) -> None:
    """One held-out item is scored with its candidates, twenty are looked up in the whole table's scores."""
    generator = np.random.default_rng(3)
    items = 303
    net = make_network(
        1, items, [0], generator.normal(size=2), generator.normal(size=(items, 2)).round(1), [[]]
    )
    item = generator.integers(0, items, 20).astype(np.int32)
    candidates = generator.integers(0, items, (20, 50)).astype(np.int32)
    state = (net.model, net.tables, net.people, np.zeros(1, np.int32), items)
    together, alone = np.empty(20, np.int32), np.empty(20, np.int32)
    ranks(*state, np.array([0, 20]), item, NONE, NONE, candidates, together)
    for n in range(20):
        one = item[n : n + 1], NONE, NONE, candidates[n : n + 1]
        ranks(*state, np.array([0, 1]), *one, alone[n : n + 1])
    assert together.tolist() == alone.tolist()
    assert len(set(alone.tolist())) > 10


@settings(max_examples=40)
@given(data=st.data())
def test_ranks_in_the_catalogue_are_ranks_among_all_unmet_items(
    data: st.DataObject, some_held_out: Any
) -> None:
    net, held = data.draw(some_held_out)
    state = (net.model, net.tables, net.people, slots_of(net.people), net.items)
    state += (held.indptr, held.item, NONE, NONE)
    unmet = np.full((len(held.item), net.items), -1, np.int32)
    for person in range(len(held.indptr) - 1):
        rows = slice(held.indptr[person], held.indptr[person + 1])
        met = [*net.known(person), *held.item[rows].tolist()]
        left = np.setdiff1d(np.arange(net.items), met)
        unmet[rows, : len(left)] = left
    expected = by_definition(net, held._replace(candidates=unmet))
    for threads in (1, 2, None):
        out = np.full(len(held.item), -1, np.int32)
        if threads is None:
            ranks_in_catalogue.plain(*state, out)
        else:
            with kernels.set_threads(threads):
                ranks_in_catalogue(*state, out, batch=100)
        assert out.tolist() == expected
