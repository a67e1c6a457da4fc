"""Vectors from changes that are multiples of them."""

import numpy as np

from sottovoce.evaluate.audit import vectors
from tests.evaluate.audit.crowd import changes, owned


def along(true, noise=0.0, seed=3):
    """Rows that move along each person's vector, by random amounts."""
    rng = np.random.default_rng(seed)
    own = owned(len(true))
    amount = rng.normal(size=(2, *own.shape, 1))
    rows = amount * true[None, :, None, :] + noise * rng.normal(size=(2, *own.shape, true.shape[1]))
    return changes(np.broadcast_to(own, (2, *own.shape)), rows)


def test_a_vector_is_known_up_to_its_length_and_sign():
    true = np.random.default_rng(1).normal(size=(30, 4))
    found = vectors.directions(along(true), 30, 4)
    figure = vectors.attack(found, true, np.arange(30))
    assert figure.value > 0.999
    assert 0.2 < figure.guessing < 0.6
    noisy = vectors.attack(vectors.directions(along(true, noise=5.0), 30, 4), true, np.arange(30))
    assert noisy.value < 0.9


def test_the_last_message_counts_and_silent_people_do_not():
    seen = along(np.eye(3)[[0, 1, 2]])
    later = seen._replace(change=np.where(seen.time[:, None] == 1, np.float32([1, 0, 0]), seen.change))
    found = vectors.directions(later, 4, 3)
    np.testing.assert_allclose(abs(found[:3]), np.eye(3)[[0, 0, 0]], atol=1e-6)
    assert np.isnan(found[3]).all()
    assert vectors.attack(found, np.ones((4, 3)), np.arange(4)).people == 3
