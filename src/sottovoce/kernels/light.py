"""Numba's first use without SciPy.

When Numba compiles or loads something for the first time, it imports `scipy.linalg` to see whether that is
there, which takes longer than all else that a node needs to start. Code that multiplies matrices by BLAS
imports it when it is compiled.
"""

import functools
import importlib.util

from numba.np import linalg


@functools.cache
def load_without_scipy() -> None:
    """Load what imports SciPy, with the answer that it is there. Where it is missing, Numba looks itself."""
    if importlib.util.find_spec("scipy") is None or not hasattr(linalg, "ensure_blas"):
        return
    look = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look
