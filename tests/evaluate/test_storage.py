"""Tables of 16 bits are evaluated as tables of 32 bits with the same numbers."""

import numpy as np
import pytest

from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.recommend import recommend
from sottovoce.state import whole

METRICS = "hr", "ndcg", "rmse", "mae", "precision", "f1-list"


@pytest.mark.parametrize("candidates", ["sampled", "all"])
def test_all_metrics_agree(make_network, make_split, candidates):
    rng = np.random.default_rng(3)
    people, items = 7, 60
    # Halves and quarters, which 16 bits hold exactly.
    table = rng.integers(-8, 9, (people * items, 2)) / 4
    train = [rng.permutation(items)[:10].tolist() for _ in range(people)]
    exact = make_network(
        people, items, list(range(people)), rng.integers(-4, 5, (people, 2)) / 4, table, train
    )
    tables = whole(people, items, 2, 0, "bfloat16")
    tables.rows[:] = (table.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    test = [
        [(int(j), float(rng.integers(1, 6))) for j in rng.permutation(items)[: p % 4]] for p in range(people)
    ]
    held = make_split(items, test, rng.integers(-1, items, (sum(map(len, test)), 7)))
    found, expected = (
        evaluate(exact.model, t, exact.people, held, metrics=METRICS, candidates=candidates)
        for t in (tables, exact.tables)
    )
    assert found.metrics == expected.metrics
    for name, values in expected.per_user.items():
        np.testing.assert_array_equal(found.per_user[name], values, err_msg=name)
    lists = (recommend(exact.model, t, exact.people, items, 5) for t in (tables, exact.tables))
    for one, other in zip(*lists, strict=True):
        np.testing.assert_array_equal(one, other)
