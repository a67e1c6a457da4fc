"""A tiny kernel with which `doctor` tests that compiling, caching and threads work."""

from sottovoce.kernels import driver, helper, prange


@helper
def _square(value):
    return value * value


@driver
def squares(out):
    """Fill `out` with 0, 1, 4, 9 …"""
    for index in prange(len(out)):
        out[index] = _square(index)
