"""FCF: against equations in NumPy, in a federation and centrally, and what the variant of FPL sends."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.data.interactions import build
from sottovoce.errors import RecipeError
from sottovoce.models.fcf import FCF, SPREAD, FCFConsumed
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.protocols.gossip import Gossip
from tests.networks import ratings, simulate

TABLE = [[3, 0, 1, 0, 0, 2], [0, 2, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0]]
DATA = ratings(TABLE)
K, LAMBDA = 3, 0.7
Doubles = NDArray[np.float64]


def solved(y: Doubles, confidence: Doubles, wanted: Doubles) -> Doubles:
    """x of every person, [people, k]: (Yᵀ C Y + λ I)⁻¹ Yᵀ C p."""
    rows = []
    for c, p in zip(confidence, wanted, strict=True):
        rows.append(np.linalg.solve(y.T @ np.diag(c) @ y + LAMBDA * np.eye(K), y.T @ np.diag(c) @ p))
    return np.array(rows)


def slope(y: Doubles, x: Doubles, confidence: Doubles, wanted: Doubles) -> Doubles:
    """The gradient of Σ c (p − x·y)² + λ |y|² by y: [items, k]."""
    gradient = 2 * LAMBDA * y
    for u in range(len(x)):
        for j in range(len(y)):
            gradient[j] -= 2 * confidence[u, j] * (wanted[u, j] - x[u] @ y[j]) * x[u]
    return gradient


def weights(alpha: float, others: float) -> tuple[Doubles, Doubles]:
    table = np.array(TABLE, np.float64)
    return np.where(table > 0, 1 + alpha * table, others), (table > 0).astype(np.float64)


VARIANTS: dict[str, tuple[Any, tuple[float, float]]] = {
    "fcf": (FCF(factors=K, confidence=0.5, regularization=LAMBDA, step=0.01), (0.5, 1.0)),
    "fcf-consumed": (FCFConsumed(factors=K, regularization=LAMBDA, step=0.01), (0.0, 0.0)),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_central_steps_are_those_of_the_equations(name: str) -> None:
    model, (alpha, others) = VARIANTS[name]
    found = simulate(model, DATA, protocol=Central())
    y = found.tables.rows.astype(np.float64)
    for _ in range(3):
        found.advance(1)
        x = solved(y, *weights(alpha, others))
        np.testing.assert_allclose(found.people.user, x, rtol=1e-4, atol=1e-6)
        y = y - 0.01 * slope(y, x, *weights(alpha, others))
        np.testing.assert_allclose(found.tables.rows, y, rtol=1e-4, atol=1e-6)


def test_a_federation_takes_the_same_step() -> None:
    """The mean over four people of parts that are four times as long is their sum."""
    model, _ = VARIANTS["fcf"]
    central = simulate(model, DATA, protocol=Central())
    served = simulate(model._replace(step=0.04), DATA, protocol=Federated(), merge=Simple())
    np.testing.assert_array_equal(central.tables.rows, served.tables.rows)
    for _ in range(3):
        central.advance(1)
        served.advance(1)
        np.testing.assert_allclose(served.tables.rows, central.tables.rows, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(served.people.user, central.people.user, rtol=1e-4, atol=1e-6)


def test_consumed_items_alone_are_sent() -> None:
    model, _ = VARIANTS["fcf-consumed"]
    served = simulate(model, DATA, protocol=Federated(), merge=Simple())
    every = simulate(VARIANTS["fcf"][0], DATA, protocol=Federated(), merge=Simple())
    before = served.tables.rows.copy()
    for network in (served, every):
        network.advance(1)
    had = np.array(TABLE).any(axis=0)
    assert (served.tables.rows != before).any(axis=1).tolist() == had.tolist()
    assert (every.tables.age > 0).all()
    assert served.bytes < every.bytes


def test_adam_by_the_equations() -> None:
    model, (alpha, others) = VARIANTS["fcf"]
    found = simulate(model._replace(optimizer="adam"), DATA, protocol=Central())
    y, m, v = found.tables.rows[:, :K].astype(np.float64), np.zeros((6, K)), np.zeros((6, K))
    assert found.tables.rows.shape == (6, 3 * K)
    for t in range(1, 5):
        found.advance(1)
        g = slope(y, solved(y, *weights(alpha, others)), *weights(alpha, others))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        y = y - 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        np.testing.assert_allclose(found.tables.rows[:, :K], y, rtol=1e-3, atol=1e-5)


def test_adam_needs_central_training() -> None:
    for protocol in (Federated(), Gossip()):
        with pytest.raises(RecipeError, match=r"'central' keeps them\. .*\"sgd\""):
            simulate(FCF(optimizer="adam"), DATA, protocol=protocol)


def test_repeated_items_add_up() -> None:
    """An item that occurs twice with 1 is one that occurs once with 2, in any order."""
    once = build("t", ["a", "a", "b"], ["1", "2", "2"], [2.0, 1.0, 1.0], scale=(0, 5))
    twice = build("t", ["a", "a", "a", "b"], ["1", "2", "1", "2"], scale=(0, 5))
    found = [simulate(VARIANTS["fcf"][0], data, protocol=Central()) for data in (once, twice)]
    for network in found:
        network.advance(2)
    np.testing.assert_allclose(found[0].tables.rows, found[1].tables.rows, rtol=1e-6)


def test_vectors_start_as_in_the_code_of_fpl() -> None:
    rows = simulate(FCF(factors=50), ratings([[1.0] * 200] * 2), protocol=Central()).tables.rows
    assert abs(rows.std() - SPREAD) < 0.005
    assert abs(rows.mean()) < 0.005
