"""The bytes that are counted are those that state machines really exchange."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce.combine.sums._masked import Session
from sottovoce.exchange.secure.contribution import Plan
from sottovoce.exchange.secure.sizes import exchanged
from tests.exchange.secure.test_two_sums import contributions


@settings(max_examples=20)
@given(st.data())
def test_sizes_are_those_of_real_messages(data):
    people = data.draw(st.integers(2, 7))
    threshold = data.draw(st.integers(people // 2 + 1, people))
    heard = data.draw(st.integers(0, people))
    plan = Plan(
        items=data.draw(st.integers(0, 12)),
        width=data.draw(st.integers(0, 3)),
        head=data.draw(st.integers(0, 3)),
        totals=data.draw(st.integers(0, 2)),
        k=data.draw(st.integers(1, threshold)),
        bits=data.draw(st.sampled_from([32, 64])),
    )
    session = Session(plan, contributions(plan, people, 1)[:heard], people, threshold, b"sizes")
    session.run()
    assert (session.result is None) == (heard < threshold)
    rows = 0 if session.result is None else len(session.result.items)
    found = exchanged(plan, people, heard, rows, threshold)
    assert (found.messages, found.lost, found.bytes) == (session.messages, session.lost, session.bytes)


@pytest.mark.parametrize("rows", [0, 5])
def test_many_rounds_at_once(rows):
    plan = Plan(items=9, width=2, head=1, totals=1, k=1)
    people, heard, threshold = np.array([3, 5, 8]), np.array([3, 2, 7]), np.array([3, 4, 6])
    every = exchanged(plan, people, heard, np.full(3, rows), threshold)
    for n in range(3):
        alone = exchanged(plan, int(people[n]), int(heard[n]), rows, int(threshold[n]))
        assert tuple(each[n] for each in every) == alone
