"""Checks that a model or a merge rule of one's own must pass, for tests in other packages.

    from sottovoce.testing import check_model

    def test_my_model():
        check_model(MyModel(factors=3))

Each check raises an `AssertionError` whose text says what does not hold. No test framework is needed.
"""

from sottovoce.testing.merge_rules import check_merge_rule
from sottovoce.testing.models import check_model
from sottovoce.testing.networks import checkerboard, ratings, simulate, uncompiled

__all__ = ["check_merge_rule", "check_model", "checkerboard", "ratings", "simulate", "uncompiled"]
