"""Everybody's best items: the compiled form, its plain twin, and the definition."""

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.evaluate.recommend import recommend, top
from sottovoce.state import slots_of


@settings(max_examples=60)
@given(data=st.data(), n=st.integers(0, 35))
def test_lists_for_any_number_of_threads(data: st.DataObject, n: int, some_network: Any) -> None:
    net = data.draw(some_network)
    for threads in (1, 2):
        with kernels.set_threads(threads):
            found = recommend(net.model, net.tables, net.people, net.items, n)
        for person in range(len(net.people.steps)):
            scores = net.scores(person)
            known = net.known(person)
            left = [j for j in range(net.items) if j not in known and not math.isnan(scores[j])]
            best = sorted(left, key=lambda j: (-scores[j], j))[:n]
            filler = n - len(best)
            assert found.item[person].tolist() == best + [-1] * filler
            np.testing.assert_array_equal(
                found.score[person], [scores[j] for j in best] + [math.nan] * filler
            )


@settings(max_examples=40)
@given(data=st.data(), n=st.integers(1, 35))
def test_the_plain_form_gives_the_same(data: st.DataObject, n: int, some_network: Any) -> None:
    net = data.draw(some_network)
    fast = recommend(net.model, net.tables, net.people, net.items, n)
    item, score = np.empty_like(fast.item), np.empty_like(fast.score)
    top.plain(net.model, net.tables, net.people, slots_of(net.people), net.items, item, score)
    np.testing.assert_array_equal(fast.item, item)
    np.testing.assert_array_equal(fast.score, score)


def test_what_a_person_has_is_never_recommended_and_ties_go_by_number(make_network: Any) -> None:
    rows = [(0, 3), (0, 1), (0, 2), (0, 2), (0, 2), (0, math.nan), (0, 4)]
    net = make_network(1, 7, [0], [(0, 0)], rows, [[0]], [[6]])
    found = recommend(net.model, net.tables, net.people, items=7, n=3)
    assert found.item.tolist() == [[2, 3, 4]]
    assert found.score.tolist() == [[2, 2, 2]]
