"""A bound on the length of an update that always holds, as noise for differential privacy needs it."""

import math

import numpy as np

from sottovoce.kernels import helper
from sottovoce.state import width


@helper
def clipping_factor(updates, place, length):
    """What to multiply an update with so that it is at most `length` long; 0 if it is not finite.

    The length is that of the whole update, rows and head together, summed in 64 bits.
    """
    total, rows = 0.0, updates.rows
    for n in range(updates.offset[place], updates.offset[place + 1]):
        for d in range(width(updates)):
            total += np.float64(rows[n, d]) ** 2
    for d in range(updates.head.shape[1]):
        total += np.float64(updates.head[place, d]) ** 2
    if not total < np.inf:
        return 0.0
    # A little less than the bound, so that rounding errors do not exceed it.
    return min(1.0, length * (1 - 1e-6) / math.sqrt(total)) if total > 0 else 1.0


@helper
def shorten(updates, place, length):
    """Make an update at most `length` long; one that is not finite becomes zero."""
    factor = np.float32(clipping_factor(updates, place, length))
    if factor < 1:
        for n in range(updates.offset[place], updates.offset[place + 1]):
            for d in range(width(updates)):
                updates.rows[n, d] = factor * updates.rows[n, d] if factor > 0 else np.float32(0)
        for d in range(updates.head.shape[1]):
            updates.head[place, d] = factor * updates.head[place, d] if factor > 0 else np.float32(0)
