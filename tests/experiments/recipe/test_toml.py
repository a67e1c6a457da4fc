"""What is written reads back equal."""

import math
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.experiments.recipe import toml

text = st.text(st.characters(exclude_categories=["Cs"]))
scalar = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | text
value = st.recursive(scalar, lambda inner: st.lists(inner) | st.dictionaries(text, inner), max_leaves=8)


@given(st.dictionaries(text, st.dictionaries(text, value)))
def test_round_trip(document):
    assert tomllib.loads(toml.dumps(document)) == document


def test_not_a_number():
    assert math.isnan(tomllib.loads(f"x = {toml.value(math.nan)}")["x"])


def test_what_toml_lacks_is_refused():
    with pytest.raises(TypeError, match="no form for None"):
        toml.value(None)
