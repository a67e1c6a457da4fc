"""Alternating least squares from sums: people send statistics, and items' vectors are solved from their mean.

Every item that a person has not consumed counts as a 0 with weight α, every consumed one as a 1 with weight 1
(Hu, Koren and Volinsky 2008). A person with m of n items solves a private vector exactly against the items'
vectors Y,

    u = (α YᵀY + (1 − α) Σ_own y yᵀ + λᵤ I)⁻¹ Σ_own y,   λᵤ = λ (m + αn) / (m̄ + αn),

and gives statistics, whose sum over people is all that anybody needs: for each own item j

    bⱼ = u (1 − (1 − α) u·yⱼ) + (1 − α) C yⱼ,   cⱼ = 1,   C = s M,

and u uᵀ, m u uᵀ and m. From their means over people, b̄, c̄, Ḡ, M̄ = mean(m u uᵀ) / m̄ and m̄, every item's
vector is solved:

    yⱼ = (α Ḡ + (1 − α) c̄ⱼ C + κ (α + c̄ⱼ) I)⁻¹ b̄ⱼ,   κ = λ / (N (m̄ / n + α)).

Exact least squares would need Σ u uᵀ over the people who have an item, k²/2 numbers for each row. Here c̄ⱼ C
takes its place, with M of the sweep before, and bⱼ makes up for the difference at the item's last vector: the
fixed point is that of exact least squares, and a row has k + 1 numbers. An item's people are more alike than
any people, so along yⱼ their u uᵀ is on average s times M: s = Σ (u·yⱼ)² / Σ yⱼ·M yⱼ over all interactions,
which is 1.7 in MovieLens 100K and 5 to 7 in sparse data. With s = 1, vectors swing where α and λ are small.
In the first sweep bⱼ = u and s = 1, in the next two s = 3. After the first, vectors move by the share `blend`
of the way.

Settings follow from counts: α = `share` √density, λ = `regularization` (N / n)^0.1, and regularization grows
with the weights, on both sides (Rendle et al. 2022). After `patience` sweeps, weighting sets move α and λ
(`models.chosen`). The score adds popularity, which counts more for people with fewer items:
u·yⱼ + max(w, f) f c̄ⱼ, where f = 5 / (5 + m). Weighting sets choose w, `popularity`. They speak for people
with many items, and often choose 0; f is what people with few items, such as newcomers, need at least. People
without a weighting set hold back a share `held` of their items for it until all have made `settled` sweeps
(`models.held_back`). If interactions have times, they choose how much more their newest items count in the
vector that they score with (`models.own_vector`).

A row holds yⱼ and c̄ⱼ. The head holds the lower triangles of YᵀY and M, s and both of its sums, what is
chosen, then m̄ and the number of sweeps.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le, Lt
from numpy.typing import NDArray

from sottovoce.kernels import dot, dot_at, from_float32, helper, inlined, normal, to_float32
from sottovoce.kernels.symmetric import (
    add_outer,
    make_positive,
    moments,
    pencil,
    solve_pencil,
    triangle,
    unpacked,
)
from sottovoce.models.als_head import alikeness, choices, gram_of, in_use, mean_count, products_of
from sottovoce.models.chosen import CANDIDATES, CHOSEN, SCORES, SETTINGS, judge, move, popularity
from sottovoce.models.held_back import judges_itself, parted
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
from sottovoce.models.own_vector import own_vector, recent_vector, ridge, unobserved_weight
from sottovoce.models.statistics import (
    balance,
    fade_row,
    finish,
    judged,
    prepare,
    solve_row,
    statistics,
    sweep,
)
from sottovoce.registry import component
from sottovoce.state import Doubles, flat, hold, locate, rounding, width
from sottovoce.state.scratch import take_rows

FEW = 5.0
"""A person with this many items gives popularity half the weight that a person without items gives it."""
CAREFUL, MOST = 3.0, 30.0
"""s before it is known, and its largest value."""
LEAST = 1e-3
"""The least m̄ that noisy sums, or sums of people without items, can give."""


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
    popularity: Annotated[float, Ge(0)] = 0.0
    """w, the weight of popularity in the score; 0 means chosen by weighting sets, or 1."""
    pace: Annotated[float, Ge(0), Le(2)] = 0.5
    """Octaves by which weighting sets move α and λ in a sweep, at most; 0: they stay."""
    patience: Annotated[int, Ge(1)] = 4
    """Sweeps before weighting sets move α and λ."""
    held: Annotated[float, Ge(0), Lt(1)] = 0.1
    """The share of items that a person without a weighting set holds back in the first sweeps."""
    settled: Annotated[int, Ge(0)] = 8
    """Sweeps after which nobody holds items back."""
    recency: bool = True
    """Whether people without a weighting set choose how much more their newest items count. Only where
    interactions have times: the order of others means nothing."""
    caution: Annotated[float, Ge(0)] = 0.0
    """How many times M stands for u uᵀ of a person who has an item; 0 means found from sums."""
    blend: Annotated[float, Gt(0), Le(1)] = 0.9
    """The share of the way that vectors move after the first sweep."""
    spread: Annotated[float, Gt(0)] = 0.05
    """Standard deviation of the vectors' first values, times √k."""
    people: Annotated[int, Ge(0)] = 0
    """N, for regularization; 0 means as many as there are."""
    items: Annotated[int, Ge(0)] = 0
    """n; 0 means the size of the catalogue."""


@resolve.rule(ALS)
def _resolve(model: ALS, context: Context) -> Any:
    return model._replace(
        people=model.people or context.people,
        items=model.items or context.items,
        recency=model.recency and context.times,
    )


@shape.rule(ALS)
def _shape(model: ALS) -> Shape:
    k = model.factors
    return Shape(row=k + 1, head=2 * triangle(k) + 3 + CHOSEN + 2, user=k + 1)


@start_row.rule(ALS)
def _start_row(model, row, key):
    for d in range(model.factors):
        row[d] = model.spread / math.sqrt(model.factors) * normal(key, d)
    row[model.factors] = 0


@start_user.rule(ALS)
def _start_user(model, user, key):
    user[:] = 0


@inlined
def _few(count):
    return FEW / (FEW + count)


@inlined
def _popularity(model, head):
    """w: the recipe's, or the one that serves the community best."""
    return np.float32(model.popularity) if model.popularity > 0 else popularity(choices(head))


@helper
def _keep(model, head, user, u, count, k):
    """The person's vector, with the weight of popularity at its end."""
    for d in range(k):
        user[d] = u[d]
    few, weight = np.float32(_few(count)), _popularity(model, head)
    user[k] = few * (weight if model.popularity > 0 else max(weight, few))


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
    head, gram = tables.head[slot], gram_of(tables, slot, k)
    mean, octaves = mean_count(head), in_use(head)
    if model.recency and mean > 0 and judges_itself(people, person):
        u = recent_vector(model, gram, rows, mean, octaves, k)
    else:
        products, total = moments(rows, 0, len(own), k)
        u = own_vector(model, gram, products, total, len(own), mean, octaves, k)
    _keep(model, head, people.user[person], u, len(own), k)
    return len(own)


@helper
def _row_statistics(rows, begin, end, u, alpha, other, alike, k):
    """Turn the items' vectors rows[begin:end] into b; `other` is M [k, k], or empty in the first sweep.

    `alike` holds s, and takes its sums.
    """
    y = np.empty(k)
    for n in range(begin, end):
        for d in range(k):
            y[d] = rows[n, d]
        taste = dot(u, y, k)
        part = 1 - (1 - alpha) * taste if len(other) else 1.0
        for a in range(k):
            value = part * u[a]
            if len(other):
                along = dot(other[a], y, k)
                alike[2] += y[a] * along
                value += (1 - alpha) * alike[0] * along
            rows[n, a] = value
        alike[1] += taste * taste
        rows[n, k] = 1


@helper
def _judge(model, tables, slot, wanted, rivals, key, u, gram, products, total, count, contribution, k):
    """Add what the person measures on `wanted` items, and the octaves in use, to the contribution."""
    head = tables.head[slot]
    now, later = in_use(head), head[len(head) - 1] >= model.patience and model.pace > 0
    vectors = np.empty((len(CANDIDATES) if later else 1, k), np.float32)
    for v in range(len(vectors)):
        octaves = CANDIDATES[v, 0] + now[0], CANDIDATES[v, 1] + now[1]
        mine = own_vector(model, gram, products, total, count, mean_count(head), octaves, k) if v else u
        for d in range(k):
            vectors[v, d] = mine[d]
    few, weight = np.float32(_few(count)), _popularity(model, head)
    judge(vectors, few, weight, tables, slot, wanted, rivals, key, contribution)
    for d in range(SETTINGS):
        contribution[d] = now[d]


@statistics.rule(ALS)
def _statistics(model, tables, slot, updates, place, people, person, run):
    k = width(tables) - 1
    size, head = triangle(k), tables.head[slot]
    share = model.held if head[len(head) - 1] < model.settled else 0.0
    own, wanted, rivals = parted(share, model.items, people, person, run)
    hold(updates, place, own)
    take_rows(tables, slot, updates, place)
    begin, end = updates.offset[place], updates.offset[place + 1]
    gram, (products, total), mean = (
        gram_of(tables, slot, k),
        moments(updates.rows, begin, end, k),
        mean_count(head),
    )
    u = own_vector(model, gram, products, total, end - begin, mean, in_use(head), k)
    _keep(model, head, people.user[person], u, end - begin, k)
    mine = updates.head[place]
    mine[:] = 0
    alpha, other = 0.0, np.empty((0, 0))
    if mean > 0:
        alpha, other = unobserved_weight(model, mean, choices(head)[0]), unpacked(head[size : 2 * size], k)
        key, count = people.key[person], end - begin
        _judge(model, tables, slot, wanted, rivals, key, u, gram, products, total, count, choices(mine), k)
    alikeness(mine)[0] = alikeness(head)[0]
    _row_statistics(updates.rows, begin, end, u, alpha, other, alikeness(mine), k)
    add_outer(mine[:size], u, 1.0, k)
    add_outer(mine[size : 2 * size], u, float(end - begin), k)
    mine[len(mine) - 2], mine[len(mine) - 1] = end - begin, 1
    return 1


def known_part(model: ALS, head: NDArray[Any]) -> tuple[NDArray[Any], float]:
    """s M and α of a table's `head`, by which rows of contributors differ from multiples of their vectors."""
    k = model.factors
    other = unpacked(head[triangle(k) : 2 * triangle(k)], k)
    alpha = float(unobserved_weight(model, mean_count(head), choices(head)[0]))
    return np.asarray(alikeness(head)[0] * other), alpha


@balance.rule(ALS)
def _balance(model, head, sign):
    """What grows with a person's items is divided by the power of two that is nearest to √n."""
    factor, k = np.float32(2.0 ** (sign * round(math.log2(model.items) / 2))), model.factors
    for d in range(triangle(k), 2 * triangle(k)):
        head[d] *= factor
    alike = alikeness(head)
    alike[1] *= factor
    alike[2] *= factor
    head[len(head) - 2] *= factor


@prepare.rule(ALS)
def _prepare(model, tables, slot, total, weight):
    """The pencil of A = α Ḡ + κ α I and B = (1 − α) C + κ I: item j has the matrix A + c̄ⱼ B."""
    k = width(tables) - 1
    size, head, added = triangle(k), tables.head[slot], choices(total)
    mean, first = max(mean_count(total) / weight, LEAST), mean_count(head) == 0
    alpha, people = unobserved_weight(model, mean, added[0] / weight), float(max(model.people, 1))
    kappa = ridge(model, added[1] / weight) / (people * (mean / model.items + alpha))
    left, newest = unpacked(total[:size], k), unpacked(total[size : 2 * size], k) / (mean * weight)
    same = alikeness(total) / weight
    right = newest.copy() if first else same[0] * unpacked(head[size : 2 * size], k)
    for a in range(k):
        for b in range(k):
            left[a, b] = alpha * left[a, b] / weight
            right[a, b] = (1 - alpha) * right[a, b]
        right[a, a] += kappa
    make_positive(left, kappa * alpha, k)
    at = size
    for a in range(k):
        for b in range(a + 1):
            head[at + b] = newest[a, b]
        at += a + 1
    pace = model.pace if head[len(head) - 1] >= model.patience else 0.0
    move(choices(head), added, weight, pace, model.unobserved == 0)
    known = head[len(head) - 1] >= 2 and same[2] > 0
    alikeness(head)[0] = model.caution or (min(max(same[1] / same[2], 1.0), MOST) if known else CAREFUL)
    head[len(head) - 2] = mean
    return pencil(left, right, k)


@inlined
def _share(model, tables, slot):
    """How far vectors move in the sweep that is under way."""
    return model.blend if tables.head[slot, tables.head.shape[1] - 1] > 0 else 1.0


@fade_row.rule(ALS)
def _fade_row(model, tables, slot, item, key):
    """What moves towards nothing, unless there are statistics of the item."""
    at, keep = tables.offset[slot] + item, np.float32(1 - _share(model, tables, slot))
    for d in range(width(tables)):
        value = keep * to_float32(tables.rows[at, d])
        tables.rows[at, d] = from_float32(tables.rows, value, rounding(tables, key, item, d))


@solve_row.rule(ALS)
def _solve_row(model, solver, tables, slot, item, total, weight, key):
    k = width(tables) - 1
    at, part = tables.offset[slot] + item, np.float32(_share(model, tables, slot))
    count = max(np.float32(total[k] / weight), np.float32(0))
    solved = solve_pencil(solver, count, total, weight)
    for d in range(k + 1):
        new = count if d == k else solved[d]
        value = to_float32(tables.rows[at, d]) + part * new
        tables.rows[at, d] = from_float32(tables.rows, value, rounding(tables, key, item, d + k + 1))


@finish.rule(ALS)
def _finish(model, tables, slot):
    k = tables.rows.shape[1] - 1
    total, at = products_of(tables, slot, k), 0
    for a in range(k):
        for b in range(a + 1):
            tables.head[slot, at + b] = total[a, b]
        at += a + 1
    tables.head[slot, tables.head.shape[1] - 1] += 1


@judged.rule(ALS)
def _judged(model: ALS, heads: Any) -> tuple[Doubles, Doubles]:
    chosen = heads[:, -2 - CHOSEN : -2].astype(np.float64)
    ready = heads[:, -1] >= model.patience
    return np.where(ready, chosen[:, SCORES:].max(axis=1), 0.0), chosen[:, :SETTINGS]


@together.rule(ALS)
def _together(model, tables, slot, people, run):
    return sweep(model, tables, slot, people, run)


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
