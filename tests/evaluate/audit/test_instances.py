"""Numbers of instances."""

import numpy as np

from sottovoce.evaluate.audit import instances


def test_what_is_not_said_is_guessed():
    true, person = np.array([5, 7, 7, 9]), np.arange(4)
    assert instances.attack(true, true, person).value == 1
    figure = instances.attack(np.zeros(4, np.int64), true, person)
    assert figure.value == figure.guessing == 0.5
    assert instances.attack(np.array([5, 8, 0, 0]), true, person).value == 0.5
