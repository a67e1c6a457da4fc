"""PRME-G: a person's next place is near the person's taste and near where the person is (Feng et al. 2015).

Locations have positions in two spaces of K dimensions: pₗ by preference, where the person's position is x,
and sₗ by sequence. An item's row is (pₗ, sₗ), a person's private vector is x. A person who is at location c,
or left it no more than τ ago, has this distance from l:

    D(c, l) = w (α ‖x − pₗ‖² + (1 − α) ‖s_c − sₗ‖²),    w = (1 + d)^¼

with d the distance of the two in km on a sphere of 6,371 km. If c is unknown or was left earlier, the
distance is ‖x − pₗ‖². The score is −D. Without coordinates w is 1, which is the authors' PRME; without times,
taste alone counts.

A training makes `epochs` passes over the person's check-ins, each in another random order. For a check-in at
i that came from c, one random location j is drawn to which the person was not seen to go from c. All numbers
Θ in D(c, i) and D(c, j) take a step η up the gradient of

    log σ(D(c, j) − D(c, i)) − λ ‖Θ‖²

computed from their values before the step, and their rows grow older by one. α is `alpha`, τ is `threshold`,
η is `step`, λ is `regularization`.

Positions start normal with deviation 0.01: Feng et al. draw from N(0, 0.01), and code that follows them takes
that for the deviation.
"""

import math
from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import TRAIN, below, helper, inlined, normal, stream
from sottovoce.models.interface import (
    Shape,
    score,
    score_all,
    score_some,
    shape,
    start_row,
    start_user,
    touched,
    train,
)
from sottovoce.registry import component
from sottovoce.state import hold, locate, width

SPREAD = 0.01
DIAMETER = 2 * 6371.0  # of the earth, in km
TRIES = 100
"""After this many draws a check-in is skipped: the person goes nearly everywhere from there."""


@component("model", "prme", needs="place")
class PRME(NamedTuple):
    """Personalized ranking metric embedding with distances: where a person goes next."""

    factors: Annotated[int, Ge(1), Le(256)] = 60
    """K, the dimensions of either space."""
    alpha: Annotated[float, Ge(0), Le(1)] = 0.2
    """α, the weight of taste; that of sequence is 1 − α."""
    threshold: Annotated[float, Ge(0)] = 6.0
    """τ, the hours after which a person's last place does not matter any more."""
    step: Annotated[float, Gt(0)] = 0.005
    """η, the learning rate. Gradients grow with w: check-ins all over the world (Gowalla) diverge at 0.1,
    those of one city do not."""
    regularization: Annotated[float, Ge(0)] = 0.03
    """λ, on all positions."""
    epochs: Annotated[int, Ge(1)] = 1
    """Passes over one's own check-ins in each training."""


@shape.rule(PRME)
def _shape(model: PRME) -> Shape:
    return Shape(row=2 * model.factors, head=0, user=model.factors)


@helper
def _start(vector, key):
    for d in range(len(vector)):
        vector[d] = SPREAD * normal(key, d)


@start_row.rule(PRME)
def _start_row(model, row, key):
    _start(row, key)


@start_user.rule(PRME)
def _start_user(model, user, key):
    _start(user, key)


# Distances


@inlined
def _apart(a, b, begin, other, count):
    """The squared distance of `a[begin:]` and `b[other:]`, in four lanes as in `state.dot`."""
    s0 = s1 = s2 = s3 = np.float32(0)
    even = count - count % 4
    for d in range(0, even, 4):
        d0, d1 = a[begin + d] - b[other + d], a[begin + d + 1] - b[other + d + 1]
        d2, d3 = a[begin + d + 2] - b[other + d + 2], a[begin + d + 3] - b[other + d + 3]
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
    for d in range(even, count):
        d0 = a[begin + d] - b[other + d]
        s0 += d0 * d0
    return (s0 + s1) + (s2 + s3)


@inlined
def weight(place, a, b):
    """w of locations `a` and `b`, given unit vectors `place` [items, 3]; 1 if one of them is unknown."""
    x, y, z = place[a, 0] - place[b, 0], place[a, 1] - place[b, 1], place[a, 2] - place[b, 2]
    half = math.sqrt(np.float64(x * x + y * y + z * z)) / 2  # of the straight line: the haversine's root
    if not half > 0:
        return np.float32(1)
    return np.float32(math.sqrt(math.sqrt(1 + DIAMETER * math.asin(min(1.0, half)))))


@inlined
def is_near(model, here, seconds):
    """Whether the place `here`, left `seconds` ago, still matters; -1 is unknown."""
    return here >= 0 and seconds <= 3600 * model.threshold


@inlined
def distance(x, origin, row, taste, way, near, k):
    """D of `row` [2k] from a person at `x` [k] and place `origin` [2k]; `taste` = w α, `way` = w (1 − α)."""
    found = taste * _apart(x, row, 0, 0, k)
    return found + way * _apart(origin, row, k, k, k) if near else found


@inlined
def _goodness(model, place, x, origin, row, here, item, near, k):
    w = weight(place, here, item) if near else np.float32(1)
    taste, way = np.float32(model.alpha) * w if near else w, np.float32(1 - model.alpha) * w
    return -distance(x, origin, row, taste, way, near, k)


@score.rule(PRME)
def _score(model, tables, slot, people, person, item):
    here = people.here[person]
    near = is_near(model, here, people.away[person])
    row = tables.rows[locate(tables, slot, item)]
    origin = tables.rows[locate(tables, slot, here if near else item)]
    x, k = people.user[person], width(tables) // 2
    return _goodness(model, people.place, x, origin, row, here, item, near, k)


@score_some.rule(PRME)
def _score_some(model, tables, slot, people, person, items, scores):
    k = width(tables) // 2
    rows, place, here = tables.rows, people.place, people.here[person]
    near = is_near(model, here, people.away[person])
    # Their own memory, so that storing a score cannot change them.
    x, origin = people.user[person].copy(), rows[locate(tables, slot, here if near else 0)].copy()
    for n in range(len(items)):
        row = rows[locate(tables, slot, items[n])]
        scores[n] = _goodness(model, place, x, origin, row, here, items[n], near, k)


@score_all.rule(PRME)
def _score_all(model, tables, slot, people, person, scores):
    score_some(model, tables, slot, people, person, np.arange(len(scores)), scores)


# Training


@helper
def _triples(model, people, person, run, epoch, which, other):
    """Write an epoch's check-ins into `which` and a location against each into `other`; return how many."""
    begin, end, items = people.indptr[person], people.indptr[person + 1], len(people.place)
    own, before = people.item[begin:end], people.before[begin:end]
    key = stream(run, TRAIN, people.key[person], people.steps[person] * model.epochs + epoch)
    # Linked lists of the check-ins that came from each location; -1, an unknown location, is the last.
    latest, earlier = np.full(items + 1, -1, np.int32), np.empty(len(own), np.int32)
    order = np.arange(len(own))
    for n in range(len(own)):
        earlier[n] = latest[before[n]]
        latest[before[n]] = n
    index, count = len(own), 0
    for n in range(len(own)):
        m = n + below(key, n, len(own) - n)
        order[n], order[m] = order[m], order[n]
        for _ in range(TRIES):
            j = below(key, index, items)
            index += 1
            seen = latest[before[order[n]]]
            while seen >= 0 and own[seen] != j:
                seen = earlier[seen]
            if seen < 0:
                which[count], other[count] = begin + order[n], j
                count += 1
                break
    return count


@touched.rule(PRME)
def _touched(model, tables, slot, people, person, run):
    room = people.indptr[person + 1] - people.indptr[person]
    which, other = np.empty(room, np.int64), np.empty(room, np.int32)
    for epoch in range(model.epochs):
        count = _triples(model, people, person, run, epoch, which, other)
        hold(tables, slot, other[:count])
        for n in range(count):
            at = which[n]
            hold(tables, slot, people.item[at : at + 1])
            if is_near(model, people.before[at], people.gap[at]):
                hold(tables, slot, people.before[at : at + 1])


@inlined
def _pull(x, i, j, begin, taste_i, taste_j, up, down, k):
    """Move `x` towards i and away from j, i towards `x`, and j away from `x`.

    `up` is the step, `down` the shrinkage. `x` has k numbers; positions in the rows i and j begin at `begin`.
    """
    for d in range(k):
        u, p, q = x[d], i[begin + d], j[begin + d]
        toward, away = taste_i * (u - p), taste_j * (u - q)
        x[d] = u + up * (away - toward) - down * u
        i[begin + d] = p + up * toward - down * p
        j[begin + d] = q - up * away - down * q


@inlined
def ascend(x, c, rows, origin, i, j, tastes, ways, near, up, down, k):
    """One step for a check-in at row i that came from row `origin`, against row j; `c` is room, [k]."""
    _pull(x, rows[i], rows[j], 0, tastes[0], tastes[1], up, down, k)
    if near:
        for d in range(k):
            c[d] = rows[origin, k + d]
        _pull(c, rows[i], rows[j], k, ways[0], ways[1], up, down, k)
        # Written last: if the origin is i or j, that row's own gradient is zero.
        for d in range(k):
            rows[origin, k + d] = c[d]


@helper
def chance(z):
    """1 − σ(z), for any z."""
    if z > 0:
        small = math.exp(-z)
        return small / (1 + small)
    return 1 / (1 + math.exp(z))


@train.rule(PRME)
def _train(model, tables, slot, people, person, run):
    k = width(tables) // 2
    alpha, rest, one = np.float32(model.alpha), np.float32(1 - model.alpha), np.float32(1)
    down = np.float32(2 * model.step * model.regularization)
    item, before, gap, place = people.item, people.before, people.gap, people.place
    rows, age = tables.rows, tables.age
    room = people.indptr[person + 1] - people.indptr[person]
    which, other = np.empty(room, np.int64), np.empty(room, np.int32)
    x, c = people.user[person].copy(), np.empty(k, np.float32)
    instances = 0
    for epoch in range(model.epochs):
        count = _triples(model, people, person, run, epoch, which, other)
        instances += count
        for n in range(count):
            at = which[n]
            here, near = before[at], is_near(model, before[at], gap[at])
            i, j = locate(tables, slot, item[at]), locate(tables, slot, other[n])
            origin = locate(tables, slot, here) if near else i
            w_i = weight(place, here, item[at]) if near else one
            w_j = weight(place, here, other[n]) if near else one
            tastes, ways = (alpha * w_i, alpha * w_j) if near else (one, one), (rest * w_i, rest * w_j)
            z = distance(x, rows[origin], rows[j], tastes[1], ways[1], near, k)
            z -= distance(x, rows[origin], rows[i], tastes[0], ways[0], near, k)
            up = np.float32(2 * model.step * chance(np.float64(z)))
            ascend(x, c, rows, origin, i, j, tastes, ways, near, up, down, k)
            age[i] += 1
            age[j] += 1
            age[origin] += origin not in (i, j)
    for d in range(k):
        people.user[person, d] = x[d]
    return instances
