"""People who come later: taken out of the run, tested on the same items whatever is known of them."""

import numpy as np
import pytest

import sottovoce
from sottovoce.errors import RecipeError, RunError
from sottovoce.testing.networks import checkerboard

pytestmark = pytest.mark.usefixtures("uncompiled")  # small enough for plain Python, which needs no compiling

SETTINGS = {
    "model.factors": 3,
    "protocol.exact": True,
    "protocol.group": 1,
    "privacy.disclose": ["statistics"],
    "split.candidates": 5,
    "evaluate.ks": [2],
    "run.rounds": 3,
}


def measured(**more):
    settings = SETTINGS | more.pop("settings", {})
    return sottovoce.newcomers("consensus", data=checkerboard(), settings=settings, **more)


def test_newcomers_are_served_by_what_is_known_of_them():
    """On a checkerboard one item tells the colour, and popularity tells nothing."""
    found = measured(share=0.2, known=(1, 3), members=True)
    assert (found.people, found.others) == (4, 16)
    assert [row.known for row in found.rows] == [1, 3, None]
    first = found.rows[0].popularity["hr@2"]
    for row in found.rows:
        assert len(row.newcomers["hr@2"]) == len(row.members["hr@2"]) == 4
        np.testing.assert_array_equal(row.popularity["hr@2"], first)  # the same test items and candidates
    assert found.rows[2].newcomers["hr@2"].mean() > first.mean()
    assert found.rows[2].members["hr@2"].mean() > first.mean()
    again = measured(share=0.2, known=(1, 3))
    assert again.rows[0].members == {}
    np.testing.assert_array_equal(again.rows[0].newcomers["hr@2"], found.rows[0].newcomers["hr@2"])


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(RunError, match="have 99 training items"):
        measured(share=0.2, known=(99,))
    with pytest.raises(RunError, match="0 of 20 people"):
        measured(share=0.01, known=(1,))
    with pytest.raises(RecipeError, match="ranks among all items"):
        measured(settings={"split.name": "temporal-holdout", "split.candidates": None})
