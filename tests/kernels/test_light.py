"""The first kernel does not load SciPy, and code that multiplies matrices still finds it."""

import subprocess
import sys

import pytest

KERNEL = """
import sys
import numpy as np
from sottovoce.kernels import driver
def multiply(a, b):
    return %s
print(driver(multiply)(np.ones((2, 2)), np.ones((2, 2)))[0, 0], "scipy.linalg" in sys.modules)
"""


def test_the_first_kernel_does_not_load_scipy():
    pytest.importorskip("scipy")
    assert _printed("a * b") == "1.0 False"


def test_products_of_matrices_work():
    pytest.importorskip("scipy")
    assert _printed("np.dot(a, b)").startswith("2.0")


def _printed(expression):
    run = subprocess.run(
        [sys.executable, "-c", KERNEL % expression], check=True, capture_output=True, text=True
    )
    return run.stdout.strip()
