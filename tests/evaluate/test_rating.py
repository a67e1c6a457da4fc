"""Errors of predictions: the compiled form, its plain twin, and the definition."""

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.evaluate.rating import errors
from sottovoce.state import slots_of


@settings(max_examples=40)
@given(data=st.data())
def test_errors_for_any_number_of_threads(data: st.DataObject, some_held_out: Any) -> None:
    net, held = data.draw(some_held_out)
    arguments = (net.model, net.tables, net.people, slots_of(net.people), held.indptr, held.item, held.value)
    results = []
    for threads in (1, 2, None):
        out = np.full((2, len(held.item)), -1.0)
        if threads is None:
            errors.plain(*arguments, *out)
        else:
            with kernels.set_threads(threads):
                errors(*arguments, *out, batch=100)
        results.append(out.tolist())
    person = np.repeat(np.arange(len(held.indptr) - 1), np.diff(held.indptr))
    wrong = [net.scores(p)[j] - v for p, j, v in zip(person, held.item, held.value.tolist(), strict=True)]
    squared = [math.inf if math.isnan(e) else e * e for e in wrong]
    absolute = [math.inf if math.isnan(e) else abs(e) for e in wrong]
    assert results == [[squared, absolute]] * 3
