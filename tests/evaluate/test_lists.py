"""Everybody's lists and what they amount to: compiled, plain, and by definition."""

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.data.sampling import seen
from sottovoce.evaluate.lists import among_candidates, averages, in_catalogue, spread
from sottovoce.metrics.f1 import f1
from sottovoce.metrics.gini import gini
from sottovoce.metrics.item_coverage import item_coverage
from sottovoce.metrics.popularity_bias import popularity_bias
from sottovoce.metrics.precision import precision
from sottovoce.metrics.recall import recall
from sottovoce.state import slots_of

LENGTH = 7
NONE = np.empty(0, np.int32)


def by_definition(net: Any, held: Any, sampled: bool) -> tuple[list[list[int]], list[list[bool]]]:
    """Sort what may be listed by score; among equals, what is under test comes last, then by number."""
    lists, hits = [], []
    for person in range(len(held.indptr) - 1):
        scores = net.scores(person)
        rows = slice(held.indptr[person], held.indptr[person + 1])
        tests = set(held.item[rows].tolist())
        if sampled:
            others = {j for row in held.candidates[rows][:1].tolist() for j in row if j >= 0}
            pool = others | tests
        else:
            pool = set(range(net.items)) - net.known(person)
        known = [j for j in pool if not math.isnan(scores[j])] if tests else []
        best = sorted(known, key=lambda j: (-scores[j], j in tests, j))[:LENGTH]
        lists.append(best + [-1] * (LENGTH - len(best)))
        hits.append([j in tests for j in lists[-1]])
    return lists, hits


@settings(max_examples=60)
@given(data=st.data(), sampled=st.booleans())
def test_lists_for_any_number_of_threads(data: st.DataObject, sampled: bool, some_held_out: Any) -> None:
    net, held = data.draw(some_held_out)
    for row in held.candidates:  # without repeats, as splits draw them
        row[np.setdiff1d(np.arange(len(row)), np.unique(row, return_index=True)[1])] = -1
    count = len(held.indptr) - 1
    state = (net.model, net.tables, net.people, slots_of(net.people))
    tests = seen(held.indptr, held.item)
    for threads in (1, 2, None):
        item, hit = np.zeros((count, LENGTH), np.int32), np.ones((count, LENGTH), np.int32)
        kernel = among_candidates if sampled else in_catalogue
        arguments = (*state, *tests, held.item, NONE, NONE, held.candidates)
        if not sampled:
            arguments = (*state, net.items, *tests, tests.counts, NONE, NONE)
        if threads is None:
            kernel.plain(*arguments, item, hit)
        else:
            with kernels.set_threads(threads):
                kernel(*arguments, item, hit, batch=100)
        assert (item.tolist(), hit.tolist()) == by_definition(net, held, sampled)


@settings(max_examples=60)
@given(
    st.integers(1, 12),
    st.integers(1, 9),
    st.integers(0, 2**32),
    st.lists(st.integers(1, 6), min_size=1, max_size=3),
)
def test_what_lists_amount_to(people: int, items: int, seed: int, ks: list[int]) -> None:
    generator = np.random.default_rng(seed)
    item = np.full((people, 6), -1, np.int32)
    for row in item:
        length = generator.integers(0, min(6, items) + 1)
        row[:length] = generator.permutation(items)[:length]
    relevant = generator.integers(0, 4, people)
    hit = (item >= 0) & (np.cumsum(generator.random(item.shape) < 0.3, axis=1) <= relevant[:, None])
    hit = (hit & (generator.random(item.shape) < 0.5)).astype(np.int32)
    popularity = generator.random(items)
    lengths = np.array(ks, np.int64)
    for threads in (1, 2, None):
        out = [*np.zeros((4, len(ks), people)), np.zeros(people)]
        counts, covered, unequal = np.zeros((len(ks), items), np.int64), np.zeros(len(ks)), np.zeros(len(ks))
        if threads is None:
            averages.plain(item, hit, relevant, popularity, lengths, *out)
            spread.plain(item, lengths, counts, covered, unequal)
        else:
            with kernels.set_threads(threads):
                averages(item, hit, relevant, popularity, lengths, *out, batch=100)
                spread(item, lengths, counts, covered, unequal, batch=100)
        asked = relevant > 0
        np.testing.assert_array_equal(out[4], np.where(asked, item[:, 0] >= 0, math.nan))
        for i, k in enumerate(ks):
            expected = precision(hit, k), recall(hit, relevant, k), f1(hit, relevant, k)
            for ours, theirs in zip(out[:3], expected, strict=True):
                np.testing.assert_allclose(ours[i], np.where(asked, theirs, math.nan))
            np.testing.assert_allclose(out[3][i], popularity_bias(item, popularity, k))
            listed = item[:, :k][item[:, :k] >= 0]
            assert counts[i].tolist() == np.bincount(listed, minlength=items).tolist()
            assert covered[i] == item_coverage(counts[i])
            np.testing.assert_allclose(unequal[i], gini(counts[i]), atol=1e-15)
