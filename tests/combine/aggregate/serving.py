"""One federated round under an aggregation rule, and what each participant's training made of the model."""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.models.gmf import GMF
from sottovoce.models.interface import train
from sottovoce.protocols.federated import Federated
from tests.networks import copy_of, ratings, simulate

PEOPLE, ITEMS = 9, 99


class Round(NamedTuple):
    """The server's model before and after, and nine participants' copies of it, in double precision."""

    before: Any  # [items, w]
    head_before: Any  # [h]
    rows: Any  # [participants, items, w]
    heads: Any  # [participants, h]
    changed: Any  # [participants, items], who trained which row
    instances: Any  # [participants]
    after: Any  # [items, w]
    head_after: Any  # [h]
    age: Any  # [items]


def one_round(rule: Any) -> Round:
    """A round of GMF. Person p has p items, so one person has none; neighbours share most of theirs.

    Use it with the fixture `uncompiled`, so that no kernel is compiled for each rule.
    """
    table = np.zeros((PEOPLE, ITEMS))
    for person in range(PEOPLE):
        table[person, person : 2 * person] = 1 + person % 5
    model, data = GMF(factors=2, negatives=1), ratings(table.tolist())
    server, twin = (simulate(model, data, protocol=Federated(), merge=rule) for _ in range(2))
    own = [copy_of(twin.tables) for _ in range(PEOPLE)]
    instances = [train(twin.model, own[p], 0, twin.people, p, twin.seed) for p in range(PEOPLE)]
    server.advance(1)
    found = Round(
        before=twin.tables.rows,
        head_before=twin.tables.head[0],
        rows=np.array([client.rows for client in own], np.float64),
        heads=np.array([client.head[0] for client in own], np.float64),
        changed=np.array([client.age > 0 for client in own]),
        instances=np.array(instances, np.float64),
        after=server.tables.rows,
        head_after=server.tables.head[0],
        age=server.tables.age,
    )
    contributors = found.changed.sum(axis=0)
    assert found.instances[0] == 0 < found.instances[1:].min() < found.instances.max()
    assert 0 == contributors.min() < 1 < contributors.max() < PEOPLE
    untouched = contributors == 0
    np.testing.assert_array_equal(found.after[untouched], found.before[untouched])
    np.testing.assert_array_equal(found.age, ~untouched)
    return found


def assert_moved(found: Round, rows: Any, head: Any) -> None:
    """The server has moved to these rows and this head."""
    np.testing.assert_allclose(found.after, rows, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.head_after, head, rtol=1e-5, atol=1e-6)
    assert np.abs(found.after - found.before).max() > 1e-5
