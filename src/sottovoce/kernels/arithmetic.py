"""Sums in a fixed order: serial and parallel code, a node and the simulator agree to the last bit."""

import numpy as np

from sottovoce.kernels.components import inlined


@inlined
def dot_at(a, b, begin, count):
    """The product of `a` and `b[begin:]`, summed in four lanes: in a fixed order, yet it vectorises."""
    s0 = s1 = s2 = s3 = np.float32(0)
    even = count - count % 4
    for d in range(0, even, 4):
        s0 += a[d] * b[begin + d]
        s1 += a[d + 1] * b[begin + d + 1]
        s2 += a[d + 2] * b[begin + d + 2]
        s3 += a[d + 3] * b[begin + d + 3]
    for d in range(even, count):
        s0 += a[d] * b[begin + d]
    return (s0 + s1) + (s2 + s3)


@inlined
def dot(a, b, count):
    """The product of two vectors."""
    return dot_at(a, b, 0, count)


@inlined
def between(mine, theirs, share):
    """From `mine` towards `theirs`: exactly there for share 1, exactly nowhere for 0 or if they are equal.

    So what counts for nothing does no harm either, be it infinite or no number at all.
    """
    moved = mine + share * (theirs - mine)
    return mine if share == 0 else theirs if share == 1 else moved
