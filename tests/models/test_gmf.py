"""`gmf` scores as its equation says, and learns in a federation."""

import numpy as np

from sottovoce.combine.aggregate.mf_fedavg import MFFedAvg
from sottovoce.models.interface import score
from sottovoce.protocols.federated import Federated
from tests.models.ncf import built, groups, separation
from tests.networks import simulate


def test_a_score_is_the_weighted_product():
    """z = h · (qᵤ ∘ qⱼ) + h₀"""
    data, _ = groups()
    s = simulate(built("gmf"), data)
    rng = np.random.default_rng(2)
    s.tables.rows[:], s.people.user[:] = (
        rng.normal(size=s.tables.rows.shape),
        rng.normal(size=s.people.user.shape),
    )
    s.tables.head[:] = rng.normal(size=s.tables.head.shape)
    for slot, person, item in ((0, 0, 0), (3, 3, 7), (2, 5, 23)):
        row, u, head = s.tables.rows[slot * 24 + item], s.people.user[person], s.tables.head[slot]
        z = np.sum(head[:6] * u * row) + head[6]
        found = score(s.model, s.tables, slot, s.people, person, item)
        np.testing.assert_allclose(found, z, rtol=1e-5)


def test_learns_in_a_federation():
    data, liked = groups()
    s = simulate(built("gmf", step=0.02), data, protocol=Federated(participants=8), merge=MFFedAvg())
    s.advance(150)
    assert separation(s, liked) > 0.9
