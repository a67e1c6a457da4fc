"""Sums of integers equal those of the real protocol bit by bit, and so does the model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import testing
from sottovoce.combine.aggregate.change import Change
from sottovoce.combine.aggregate.fedavg import FedAvg
from sottovoce.combine.aggregate.interface import divisor, stride
from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.combine.aggregate.reptile import Reptile
from sottovoce.combine.aggregate.simple import Simple
from sottovoce.combine.sums._masked import Session, contributions
from sottovoce.combine.sums.interface import remarks
from sottovoce.combine.sums.plain import Plain
from sottovoce.combine.sums.secure import Secure, plan, threshold
from sottovoce.errors import RecipeError
from sottovoce.exchange.compression.interface import Chain
from sottovoce.exchange.secure.group import default_threshold
from sottovoce.protocols.fedfast import FedFast
from sottovoce.protocols.federated import Federated
from tests.combine.sums.federations import aggregate, everybody, federation, updates

RULES = [MFFedAvg(), FedAvg(), Simple(), Reptile(step=0.25)]


def applied(before, rule, found):
    """The server's model after sums of the real protocol: rows and head, in the arithmetic of the server."""
    rows, head = before.rows.copy(), before.head[0].copy()
    totals = found.totals.tolist()
    everybody = np.float32(totals[0]) if rule.over == "participants" else np.float32(0)
    for item, contributors, total in zip(found.items, found.contributors, found.rows, strict=True):
        weight = np.float32(divisor(rule, np.float32(contributors), everybody))
        rows[item] += total.astype(np.float32) * (np.float32(stride(rule)) / weight)
    heads = float(totals[-1])
    if heads > 0:
        weight = np.float32(divisor(rule, heads, heads))
        head += np.float32(stride(rule)) * found.head.astype(np.float32) / weight
    return rows, head


@settings(max_examples=30)
@given(st.data())
def test_sums_and_models_equal_those_of_the_real_protocol(data):
    """Over random groups, thresholds, dropouts, numbers of bits and rules."""
    people = data.draw(st.integers(3, 8))
    rule = data.draw(st.sampled_from(RULES))
    bits, places = data.draw(st.sampled_from([(32, 20), (64, 40)]))
    sum = Secure(bits=bits, row_places=places, threshold=data.draw(st.sampled_from([0.5, 2 / 3, 1.0])), fewest=2)
    least = threshold(sum, people)
    gone = data.draw(st.lists(st.integers(0, people - 1), max_size=people - least, unique=True))
    with testing.uncompiled():
        s = federation(people, sum, rule, seed=data.draw(st.integers(1, 99)))
        groups = everybody(s, tuple(gone))
        for _ in range(2):
            agreed, lines, before = plan(sum, s.task), updates(s, groups), s.tables
            before = before._replace(rows=before.rows.copy(), head=before.head.copy())
            session = Session(agreed, contributions(agreed, rule, lines), people, least, b"seed")
            session.run()
            sent = aggregate(s, groups)
            assert session.result is not None
            rows, head = applied(before, rule, session.result)
            assert sent.tolist() == [len(session.result.items)]
            np.testing.assert_array_equal(s.tables.rows, rows)
            np.testing.assert_array_equal(s.tables.head[0], head)
            age = np.zeros(len(rows))
            age[session.result.items] = 1
            np.testing.assert_array_equal(s.tables.age - before.age * 0 > 0, s.tables.age > 0)
