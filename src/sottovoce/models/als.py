"""Alternating least squares from sums: people send statistics, and items' vectors are solved from their mean.

Every item that a person has not consumed counts as a 0 with weight α, every consumed one as a 1 with weight 1
(Hu, Koren and Volinsky 2008). A person with m of n items solves a private vector exactly against the items'
vectors Y,

    u = (α YᵀY + (1 − α) Σ_own y yᵀ + λᵤ I)⁻¹ Σ_own y,   λᵤ = λ (m + αn) / (m̄ + αn),

and gives statistics, whose sum over people is all that anybody needs: for each own item j

    bⱼ = u (1 − (1 − α) u·yⱼ) + (1 − α) M yⱼ,   cⱼ = 1,

and u uᵀ, m u uᵀ and m. From their means over people, b̄, c̄, Ḡ, M̄ = mean(m u uᵀ) / m̄ and m̄, every item's
vector is solved:

    yⱼ = (α Ḡ + (1 − α) c̄ⱼ M + κ (α + c̄ⱼ) I)⁻¹ b̄ⱼ,   κ = λ / (N (m̄ / n + α)).

Exact least squares would need Σ u uᵀ over the people who have an item, k²/2 numbers for each row. Here c̄ⱼ M
takes its place, with M of the sweep before, and bⱼ makes up for the difference at the item's last vector: the
fixed point is that of exact least squares, and a row has k + 1 numbers. In the first `plain` sweeps, bⱼ = u.
After them vectors move by the share `blend` of the way, because small α and λ would make them swing.

Settings follow from counts: α = `share` √density, λ = `regularization` (N / n)^0.1, and regularization grows
with the weights, on both sides (Rendle et al. 2022). The score adds popularity, which counts more for people
with fewer items: u·yⱼ + 5 / (5 + m) · c̄ⱼ.

A row holds yⱼ and c̄ⱼ. The head holds the lower triangles of YᵀY and M, then m̄ and the number of sweeps.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import STORAGE, dot, dot_at, from_float32, helper, inlined, normal, stream, to_float32
from sottovoce.kernels.symmetric import (
    add_outer,
    backward,
    eigenvectors,
    factorize,
    forward,
    solve,
    triangle,
    unpacked,
)
from sottovoce.models.interface import (
    Context,
    Shape,
    own_items,
    resolve,
    score,
    score_all,
    shape,
    start_row,
    start_user,
    together,
    touched,
    train,
)
from sottovoce.models.statistics import fade_row, finish, hold_row, prepare, solve_row, statistics
from sottovoce.registry import component
from sottovoce.state import flat, locate, rounding, width
from sottovoce.state.scratch import room_for_update, take_rows

FEW = 5.0
"""A person with this many items gives popularity half the weight that a person without items gives it."""


@component("model", "als", learns="statistics")
class ALS(NamedTuple):
    """Implicit matrix factorization by alternating least squares, from sums of people's statistics."""

    factors: Annotated[int, Ge(1), Le(256)] = 32
    """k, the length of vectors."""
    unobserved: Annotated[float, Ge(0), Le(1)] = 0.0
    """α, the weight of items that a person has not consumed; 0 means `share` √density."""
    share: Annotated[float, Gt(0), Le(10)] = 0.7
    """α divided by the square root of the density, if `unobserved` leaves it open."""
    regularization: Annotated[float, Gt(0)] = 5.0
    """λ is this times (people / items)^0.1."""
    popularity: Annotated[float, Ge(0)] = 1.0
    """The weight of popularity in the score."""
    plain: Annotated[int, Ge(1)] = 2
    """Sweeps at the beginning in which bⱼ = u, and vectors move all the way."""
    blend: Annotated[float, Gt(0), Le(1)] = 0.6
    """The share of the way that vectors move in later sweeps."""
    spread: Annotated[float, Gt(0)] = 0.1
    """Standard deviation of the vectors' first values, times √k."""
    people: Annotated[int, Ge(0)] = 0
    """N, for regularization; 0 means as many as there are."""
    items: Annotated[int, Ge(0)] = 0
    """n; 0 means the size of the catalogue."""


@resolve.rule(ALS)
def _resolve(model: ALS, context: Context) -> Any:
    return model._replace(people=model.people or context.people, items=model.items or context.items)


@shape.rule(ALS)
def _shape(model: ALS) -> Shape:
    k = model.factors
    return Shape(row=k + 1, head=2 * triangle(k) + 2, user=k + 1)


@start_row.rule(ALS)
def _start_row(model, row, key):
    for d in range(model.factors):
        row[d] = model.spread / math.sqrt(model.factors) * normal(key, d)
    row[model.factors] = 0


@start_user.rule(ALS)
def _start_user(model, user, key):
    user[:] = 0


@inlined
def _weight(model, mean):
    """α, where people have `mean` items on average."""
    found = model.unobserved if model.unobserved > 0 else model.share * math.sqrt(mean / model.items)
    return min(1.0, found)


@inlined
def _ridge(model):
    """λ."""
    return model.regularization * (max(model.people, 1) / model.items) ** 0.1


@helper
def _products(tables, slot, k):
    """YᵀY [k, k] of a table's rows. Loops as in `_solved`."""
    total, y = np.zeros((k, k), np.float32), np.empty(k, np.float32)
    for n in range(tables.offset[slot], tables.offset[slot + 1]):
        for a in range(k):
            y[a] = to_float32(tables.rows[n, a])
        for a in range(k):
            part = y[a]
            for b in range(k):
                total[a, b] += part * y[b]
    return total


@helper
def _gram(tables, slot, k):
    """YᵀY [k, k] of a table: from its head, or from its rows before there is one."""
    head, size = tables.head[slot], triangle(k)
    if head[2 * size] > 0:
        return unpacked(head[:size], k)
    return _products(tables, slot, k).astype(np.float64)


@helper
def _vector(model, gram, rows, begin, end, mean, k):
    """u [k], float64, of a person whose items' rows are rows[begin:end]; `gram` is used up.

    People have `mean` items on average; 0: that is not known yet, and the person's own number serves.
    """
    count = end - begin
    typical = mean if mean > 0 else max(float(count), 1.0)
    alpha, u = _weight(model, typical), np.zeros(k)
    for a in range(k):
        for b in range(a + 1):
            gram[a, b] *= alpha
    for n in range(begin, end):
        for a in range(k):
            scaled = (1 - alpha) * rows[n, a]
            u[a] += rows[n, a]
            for b in range(a + 1):
                gram[a, b] += scaled * rows[n, b]
    ridge = _ridge(model) * (count + alpha * model.items) / (typical + alpha * model.items)
    for a in range(k):
        gram[a, a] += ridge
    solve(gram, u, k)
    return u


@helper
def _keep(model, user, u, count, k):
    """The person's vector, with the weight of popularity at its end."""
    for d in range(k):
        user[d] = u[d]
    user[k] = model.popularity * FEW / (FEW + count)


@touched.rule(ALS)
def _touched(model, tables, slot, people, person, run):
    own_items(tables, slot, people, person)


@train.rule(ALS)
def _train(model, tables, slot, people, person, run):
    """Solve the person's vector against a table. Nothing that is shared changes."""
    k = width(tables) - 1
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    rows = np.empty((len(own), k), np.float32)
    for n in range(len(own)):
        at = locate(tables, slot, own[n])
        for d in range(k):
            rows[n, d] = to_float32(tables.rows[at, d])
    mean = float(tables.head[slot, 2 * triangle(k)])
    u = _vector(model, _gram(tables, slot, k), rows, 0, len(own), mean, k)
    _keep(model, people.user[person], u, len(own), k)
    return len(own)


@helper
def _row_statistics(rows, begin, end, u, alpha, other, plain, k):
    """Turn the items' vectors rows[begin:end] into b; `other` is M [k, k]."""
    y = np.empty(k)
    for n in range(begin, end):
        for d in range(k):
            y[d] = rows[n, d]
        part = 1.0 if plain else 1 - (1 - alpha) * dot(u, y, k)
        for a in range(k):
            value = part * u[a]
            if not plain:
                value += (1 - alpha) * dot(other[a], y, k)
            rows[n, a] = value
        rows[n, k] = 1


@statistics.rule(ALS)
def _statistics(model, tables, slot, updates, place, people, person, run):
    k = width(tables) - 1
    size, head = triangle(k), tables.head[slot]
    own_items(updates, place, people, person)
    take_rows(tables, slot, updates, place)
    begin, end = updates.offset[place], updates.offset[place + 1]
    mean = float(head[2 * size])
    u = _vector(model, _gram(tables, slot, k), updates.rows, begin, end, mean, k)
    _keep(model, people.user[person], u, end - begin, k)
    plain = head[2 * size + 1] < model.plain
    alpha = _weight(model, mean) if mean > 0 else 0.0
    _row_statistics(updates.rows, begin, end, u, alpha, unpacked(head[size : 2 * size], k), plain, k)
    mine = updates.head[place]
    mine[:] = 0
    add_outer(mine[:size], u, 1.0, k)
    add_outer(mine[size : 2 * size], u, float(end - begin), k)
    mine[2 * size], mine[2 * size + 1] = end - begin, 1
    return 1


@prepare.rule(ALS)
def _prepare(model, tables, slot, total, weight):
    """Pᵀ [k, k], P [k, k] and the eigenvalues g [k], below each other: yⱼ = P diag(1 / (1 + c̄ⱼ g)) Pᵀ b̄ⱼ.

    With A = α Ḡ + κ α I = L Lᵀ and B = (1 − α) M + κ I, the matrix of item j is A + c̄ⱼ B. P is L⁻ᵀ Q, where
    Q has the eigenvectors of L⁻¹ B L⁻ᵀ and g their eigenvalues.
    """
    k = width(tables) - 1
    size, head = triangle(k), tables.head[slot]
    mean, plain = float(total[2 * size]) / weight, head[2 * size + 1] < model.plain
    alpha, people = _weight(model, mean), float(max(model.people, 1))
    kappa = _ridge(model) / (people * (mean / model.items + alpha))
    left, newest = unpacked(total[:size], k), unpacked(total[size : 2 * size], k)
    right = newest / (mean * weight) if plain else unpacked(head[size : 2 * size], k)
    for a in range(k):
        for b in range(k):
            left[a, b] = alpha * left[a, b] / weight
            right[a, b] = (1 - alpha) * right[a, b]
        left[a, a] += kappa * alpha
        right[a, a] += kappa
    factorize(left, k)
    for a in range(k):  # L⁻¹ B, then (L⁻¹ (L⁻¹ B)ᵀ), which is L⁻¹ B L⁻ᵀ
        forward(left, right[:, a], k)
    for a in range(k):
        forward(left, right[a], k)
    found = eigenvectors(right, k)
    solver = np.empty((2 * k + 1, k), np.float32)
    for a in range(k):
        backward(left, found[a], k)
        for d in range(k):
            solver[a, d] = solver[k + d, a] = found[a, d]
        solver[2 * k, a] = max(right[a, a], 0.0)
    share = 1.0 if plain else model.blend
    at = 0
    for a in range(k):
        for b in range(a + 1):
            head[size + at + b] += share * (newest[a, b] / (mean * weight) - head[size + at + b])
        at += a + 1
    head[2 * size] = mean
    return solver


@inlined
def _share(model, tables, slot):
    """How far vectors move in the sweep that is under way."""
    return 1.0 if tables.head[slot, tables.head.shape[1] - 1] < model.plain else model.blend


@fade_row.rule(ALS)
def _fade_row(model, tables, slot, item, key):
    """What moves towards nothing, unless there are statistics of the item."""
    at, keep = tables.offset[slot] + item, np.float32(1 - _share(model, tables, slot))
    for d in range(width(tables)):
        value = keep * to_float32(tables.rows[at, d])
        tables.rows[at, d] = from_float32(tables.rows, value, rounding(tables, key, item, d))


@helper
def _solved(solver, total, count, weight):
    """P diag(1 / (1 + count · g)) Pᵀ total / weight.

    Every loop adds a multiple of a row to a row. The length of rows is not known when this is compiled, so
    that loops are vectorised, and not unrolled.
    """
    k = solver.shape[1]
    along, found = np.zeros(k, np.float32), np.zeros(k, np.float32)
    for d in range(k):
        part = np.float32(total[d])
        for a in range(k):
            along[a] += part * solver[k + d, a]
    for a in range(k):
        along[a] /= np.float32(weight) * (np.float32(1) + count * solver[2 * k, a])
    for a in range(k):
        part = along[a]
        for d in range(k):
            found[d] += part * solver[a, d]
    return found


@solve_row.rule(ALS)
def _solve_row(model, solver, tables, slot, item, total, weight, key):
    k = width(tables) - 1
    at, part = tables.offset[slot] + item, np.float32(_share(model, tables, slot))
    count = max(np.float32(total[k] / weight), np.float32(0))
    solved = _solved(solver, total, count, weight)
    for d in range(k + 1):
        new = count if d == k else solved[d]
        value = to_float32(tables.rows[at, d]) + part * new
        tables.rows[at, d] = from_float32(tables.rows, value, rounding(tables, key, item, d + k + 1))


@hold_row.rule(ALS)
def _hold_row(model, tables, slot, item, count, weight, key):
    """The vector stays; it is nothing if it was never solved."""
    at, k = tables.offset[slot] + item, width(tables) - 1
    old, part = to_float32(tables.rows[at, k]), np.float32(_share(model, tables, slot))
    if tables.age[at] == 0:
        fade_row(model, tables, slot, item, key)
    new = old + part * (np.float32(count / weight) - old)
    tables.rows[at, k] = from_float32(tables.rows, new, rounding(tables, key, item, 2 * k + 1))


@finish.rule(ALS)
def _finish(model, tables, slot):
    k = tables.rows.shape[1] - 1
    total, at = _products(tables, slot, k), 0
    for a in range(k):
        for b in range(a + 1):
            tables.head[slot, at + b] = total[a, b]
        at += a + 1
    tables.head[slot, 2 * triangle(k) + 1] += 1


@together.rule(ALS)
def _together(model, tables, slot, people, run):
    """One sweep with everybody's data."""
    k, updates = width(tables) - 1, room_for_update(tables, slot)
    rows = np.zeros((model.items, k + 1))
    head, count = np.zeros(tables.head.shape[1]), 0
    for n in range(people.first[slot], people.first[slot + 1]):
        updates.offset[1] = 0
        count += statistics(model, tables, slot, updates, 0, people, people.member[n], run)
        for r in range(updates.offset[1]):
            for d in range(k + 1):
                rows[updates.ids[r], d] += updates.rows[r, d]
        head += updates.head[0]
    solver = prepare(model, tables, slot, head, float(count))
    key = stream(run, STORAGE, -1 - slot, tables.clock[slot])
    for item in range(model.items):
        fade_row(model, tables, slot, item, key)
        if rows[item, k] > 0:
            solve_row(model, solver, tables, slot, item, rows[item], float(count), key)
            tables.age[tables.offset[slot] + item] += 1
    finish(model, tables, slot)
    return count


@score.rule(ALS)
def _score(model, tables, slot, people, person, item):
    rows = tables.rows.reshape(tables.rows.size)
    return dot_at(people.user[person], rows, locate(tables, slot, item) * width(tables), width(tables))


@score_all.rule(ALS)
def _score_all(model, tables, slot, people, person, scores):
    user = people.user[person].copy()  # its own memory, so that storing a score cannot change it
    rows = flat(tables, slot)
    for j in range(len(scores)):
        scores[j] = dot_at(user, rows, j * width(tables), width(tables))
