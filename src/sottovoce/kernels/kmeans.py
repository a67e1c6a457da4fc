"""k-means: groups of points that lie close together (Lloyd 1982).

It starts as k-means++ does (Arthur and Vassilvitskii 2007): each next centre is a point drawn with a chance
in proportion to the squared distance from the nearest centre so far. Then points go to their nearest
centre, of equals to the first, and centres to the mean of their points, until no point moves. A centre
without points takes the point that is farthest from its own. Where points are fewer than clusters, equal
ones counted once, some clusters stay empty.

Sums are taken in fixed blocks of points, so the result does not depend on the number of threads.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.kernels import CLUSTERS, below, driver, helper, prange, stream, uniform

BLOCKS = 16
ITERATIONS = 50
"""At most; a few thousand points are at rest much sooner."""


class Clusters(NamedTuple):
    """Which cluster each point belongs to, and where clusters are."""

    label: NDArray[np.int32]  # [n]
    centre: NDArray[np.float32]  # [k, d]


class _Sums(NamedTuple):
    """What blocks of points add up for every cluster."""

    total: Any  # [blocks, d, k]
    count: Any  # [blocks, k]
    moved: Any  # [blocks], how many points have changed their cluster


@helper
def _put(points, n, centre, c):
    for d in range(points.shape[1]):
        centre[d, c] = points[n, d]


@helper
def _range(count, block):
    return block * count // BLOCKS, (block + 1) * count // BLOCKS


@helper
def _shorten(points, centre, c, nearest, block):
    """Note where a centre is nearer than those before it."""
    begin, end = _range(len(points), block)
    for n in range(begin, end):
        distance = np.float32(0)
        for d in range(points.shape[1]):
            difference = points[n, d] - centre[d, c]
            distance += difference * difference
        nearest[n] = min(nearest[n], distance)


@helper
def _drawn(nearest, chance):
    """The point at this share of the sum of squared distances; -1: every point is a centre already."""
    total = 0.0
    for n in range(len(nearest)):
        total += nearest[n]
    found, left = -1, chance * total
    for n in range(len(nearest)):
        if nearest[n] > 0 and (found < 0 or left >= 0):
            found = n
        left -= nearest[n]
    return found


@helper
def _assign(points, centre, label, nearest, sums, block):
    """Let a block's points go to their nearest centre, and add them up there."""
    total, count = sums.total[block], sums.count[block]
    total[:] = 0
    count[:] = 0
    moved, clusters = 0, len(count)
    distance = np.empty(clusters, np.float32)
    begin, end = _range(len(points), block)
    for n in range(begin, end):
        distance[:] = 0
        for d in range(points.shape[1]):
            own = points[n, d]
            for c in range(clusters):  # a loop over centres vectorises, one over a point's numbers does not
                difference = own - centre[d, c]
                distance[c] += difference * difference
        best = 0
        for c in range(1, clusters):
            if distance[c] < distance[best]:
                best = c
        moved += label[n] != best
        label[n], nearest[n] = best, distance[best]
        count[best] += 1
        for d in range(points.shape[1]):
            total[d, best] += points[n, d]
    sums.moved[block] = moved


@helper
def _centre(points, centre, nearest, sums):
    """Put every centre into the middle of its points, and one without points where it is missed most."""
    for c in range(centre.shape[1]):
        count = 0
        for block in range(BLOCKS):
            count += sums.count[block, c]
        if count > 0:
            for d in range(points.shape[1]):
                total = 0.0
                for block in range(BLOCKS):
                    total += sums.total[block, d, c]
                centre[d, c] = total / count
        else:
            far = np.argmax(nearest)
            if nearest[far] > 0:
                _put(points, far, centre, c)
                nearest[far] = 0


@helper
def _settled(sums):
    return sums.moved.max() == 0


@driver
def _cluster(points, centre, label, nearest, sums, seed, number, iterations):
    key = stream(seed, CLUSTERS, 0, number)
    first = below(key, 0, len(points))
    _put(points, first, centre, 0)
    for c in range(1, centre.shape[1]):
        for block in prange(BLOCKS):
            _shorten(points, centre, c - 1, nearest, block)
        found = _drawn(nearest, uniform(key, c))
        _put(points, first if found < 0 else found, centre, c)
    for iteration in range(iterations):
        if iteration > 0:
            _centre(points, centre, nearest, sums)
        for block in prange(BLOCKS):
            _assign(points, centre, label, nearest, sums, block)
        if _settled(sums):
            break


def kmeans(points: NDArray[np.float32], count: int, seed: int, number: int = 0) -> Clusters:
    """Put points [n, d] into at most `count` clusters; `number` tells several attempts of a run apart."""
    points = np.ascontiguousarray(points, np.float32)
    size, dimensions = points.shape
    centre = np.zeros((dimensions, count), np.float32)
    label = np.full(size, -1, np.int32)
    if size:
        total, each = np.empty((BLOCKS, dimensions, count)), np.empty((BLOCKS, count), np.int64)
        sums = _Sums(total, each, np.zeros(BLOCKS, np.int64))
        # Threads are worth their start where a pass takes longer than that.
        work = size * count * (1 + dimensions) // 10_000
        _cluster(
            points,
            centre,
            label,
            np.full(size, np.inf, np.float32),
            sums,
            seed,
            number,
            ITERATIONS,
            batch=work,
        )
    return Clusters(label, np.ascontiguousarray(centre.T))
