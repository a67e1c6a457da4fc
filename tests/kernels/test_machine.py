"""The clock of the machine, and fetching ahead, in compiled code."""

import time

import numpy as np

from sottovoce.kernels import clock, driver, prefetch


@driver
def _times(rows, found):
    for n in range(len(found)):
        prefetch(rows, n)
        found[n] = clock()


def test_compiled_code_and_python_read_the_same_clock():
    rows, found = np.arange(20.0).reshape(10, 2), np.empty(10)
    _times(rows, found)
    before = time.monotonic()
    _times(rows, found)
    after = time.monotonic()
    assert before <= found[0] <= found[-1] <= after
    assert (np.diff(found) >= 0).all()
    assert before <= clock()
    assert rows.ravel().tolist() == list(range(20))
