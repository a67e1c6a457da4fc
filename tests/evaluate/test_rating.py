"""Squared errors of predictions: the compiled form, its plain twin, and the definition."""

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.evaluate.rating import squared_errors
from sottovoce.evaluate.scoring import slots_of


@settings(max_examples=40)
@given(data=st.data())
def test_squared_errors_for_any_number_of_threads(data: st.DataObject, some_held_out: Any) -> None:
    net, held = data.draw(some_held_out)
    arguments = (net.model, net.tables, net.people, slots_of(net.people), held.indptr, held.item, held.value)
    results = []
    for threads in (1, 2):
        out = np.full(len(held.item), -1.0)
        with kernels.set_threads(threads):
            squared_errors(*arguments, out, batch=100)
        results.append(out.tolist())
    plain = np.full(len(held.item), -1.0)
    squared_errors.plain(*arguments, plain)
    person = np.repeat(np.arange(len(held.indptr) - 1), np.diff(held.indptr))
    errors = [net.scores(p)[j] - v for p, j, v in zip(person, held.item, held.value.tolist(), strict=True)]
    expected = [math.inf if math.isnan(e) else e * e for e in errors]
    assert results == [expected, expected]
    assert plain.tolist() == expected
