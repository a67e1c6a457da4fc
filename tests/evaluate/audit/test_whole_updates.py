"""How much of an update is seen."""

import numpy as np
import pytest

from sottovoce.evaluate.audit import whole_updates


def test_all_half_and_nothing():
    true = np.eye(4, dtype=np.float32)
    person = np.arange(4)
    assert whole_updates.attack(true * 3, true, person).value == 1
    assert whole_updates.attack(true * 3, true, person).guessing == 0
    pairs = true[[0, 0, 2, 2]] + true[[1, 1, 3, 3]]
    assert whole_updates.attack(pairs, true, person).value == pytest.approx(0.5**0.5)
    assert whole_updates.attack(0 * true, true, person).value == 0
    everybody = np.ones_like(true)
    figure = whole_updates.attack(everybody, true, person)
    assert figure.value == figure.guessing == 0.5
