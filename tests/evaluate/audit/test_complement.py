"""Items that a person does not have."""

import numpy as np

from sottovoce.evaluate.audit import complement
from tests.evaluate.audit.crowd import owned, sampled


def test_rows_that_stay_are_nobodys():
    own = owned()
    found = complement.attack(
        complement.missing(sampled(own, rounds=5), *own.shape), own, np.arange(len(own))
    )
    assert found.precision.value == 1
    assert found.precision.guessing < 0.9
    assert found.recall.value > 0.5
    early = complement.missing(sampled(own, rounds=1), *own.shape)
    assert complement.attack(early, own, np.arange(len(own))).recall.value < found.recall.value


def test_by_hand():
    """Two targets, three items; the second target sent nothing."""
    own = np.array([[True, False, False], [True, True, False]])
    named = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    found = complement.attack(named, own, np.arange(2))
    assert found.precision.value == 1
    assert found.precision.people == 1
    assert found.recall.value == 0.25
    np.testing.assert_allclose(found.recall.guessing, (1 / 3 + 0) / 2)
