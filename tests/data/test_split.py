"""A split among some people tests nobody else, and is otherwise the same."""

import numpy as np

from sottovoce.data.load import load
from sottovoce.registry import build


def test_only_those_who_are_there_are_tested():
    split = build("split", "local-holdout", {"candidates": 7}, "test").split(load("synthetic", users=30), 1)
    there = np.arange(30) % 3 == 0
    some = split.among(there)
    assert (np.diff(some.test.indptr)[~there] == 0).all()
    for person in np.flatnonzero(there):
        ours, all_of_it = (slice(*s.test.indptr[person : person + 2]) for s in (some, split))
        np.testing.assert_array_equal(some.test.item[ours], split.test.item[all_of_it])
        np.testing.assert_array_equal(some.candidates[ours], split.candidates[all_of_it])
    assert some.train is split.train
