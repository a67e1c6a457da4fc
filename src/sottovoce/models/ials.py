"""Implicit feedback: each person solves a private vector exactly and moves shared vectors by small steps.

Every item that a person has not consumed counts as a 0 with weight α, every consumed one as a 1 with
weight 1 (Hu, Koren and Volinsky 2008). Regularization grows with these weights, on both sides (Rendle
et al. 2022). A training solves the person's private vector u exactly against the items' vectors Y, as
alternating least squares does,

    u = (α YᵀY + (1 − α) Σ_own y yᵀ + λ (1 + m + α n) I)⁻¹ Σ_own y,

where the person has m of n items, and then moves all vectors one step along the person's residuals,

    yⱼ ← (yⱼ + σⱼ (pⱼ − u·yⱼ) u) / (1 + λ σⱼ),   σⱼ = η wⱼ min(s, 1 / (α + (1 − α) fⱼ)) / |u|²,

with wⱼ = 1, pⱼ = 1 for the person's items and wⱼ = α, pⱼ = 0 for all others. fⱼ is the share of people who
have the item. Few people move a rare item, so each of them moves it further, up to s times. η falls
geometrically from `step` to `last_step` over `calls` trainings, which the run expects of a person. λ is
`regularization`, s is `stretch`.

Nobody counts people, but everybody can know the shares fⱼ: a person adds 1 to the first number of the row of
each own item, and 1 to a count in the head. Merging averages both alike, so their quotient soon is fⱼ on
every node. How far a single addition spreads is left to chance, so each person divides it into equal parts,
one for each of the first half of the trainings. From the shares follow the density of the data, the weight
α = `share` √density, and the score of an item,

    u·yⱼ + c · 5 / (5 + m) · fⱼ / (fⱼ + α (1 − fⱼ)).

The last fraction is the best score that is the same for everybody under the weights above. It counts more for
people with fewer items. The community chooses its weight c, `popularity`: each person measures how well a
few weights rank the person's weighting set, and the head carries the averages. Where vectors know
nothing of people's taste, the community comes to recommend what is popular.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import dot, helper, inlined, normal
from sottovoce.kernels.symmetric import solve
from sottovoce.models.interface import (
    Context,
    Shape,
    resolve,
    score,
    score_all,
    shape,
    start_row,
    start_user,
    train,
)
from sottovoce.registry import component
from sottovoce.state import flat, locate, width

FEW = 5.0
"""A person with this many items gives popularity half the weight that a person without items gives it."""
WEIGHTS = np.array([1 / 16, 1 / 4, 1, 4, 16, 64], np.float32)
"""The values that c is chosen from."""
JUDGED, FIRST = 4, 20
"""How many items of the weighting set a training looks at, and the length of lists, as in NDCG@20."""


@component("model", "ials")
class IALS(NamedTuple):
    """Implicit matrix factorization with an exactly solved private vector."""

    factors: Annotated[int, Ge(2), Le(512)] = 16
    """Numbers for each item: its popularity, and a vector of one less."""
    unobserved: Annotated[float, Ge(0), Le(1)] = 0.0
    """α, the weight of items that a person has not consumed; 0 means `share` √density."""
    share: Annotated[float, Gt(0), Le(10)] = 0.5
    """α divided by the square root of the density, if `unobserved` leaves it open."""
    regularization: Annotated[float, Gt(0)] = 0.01
    """λ, for each unit of weight."""
    popularity: Annotated[float, Ge(0)] = 0.0
    """c, the weight of popularity; 0 means chosen by weighting sets, and 4 where there are none."""
    step: Annotated[float, Ge(0), Le(2)] = 0.0
    """η at the beginning; 0 means 1.5 if everybody has a table, which merging averages, else 0.1."""
    last_step: Annotated[float, Ge(0), Le(2)] = 0.0
    """η at the end; 0 means a tenth of the first."""
    stretch: Annotated[float, Ge(1), Le(100)] = 10.0
    """s, how many times as far rare items are moved, at most."""
    spread: Annotated[float, Ge(0)] = 0.0
    """Standard deviation of the vectors' first values, times √k; 0 means 0.01 if everybody has a table, else
    0.1: people who train one table in turn would wipe out much smaller values."""
    calls: Annotated[int, Ge(0)] = 0
    """Trainings of a person over which η falls; 0 means those of the whole run."""


@resolve.rule(IALS)
def _resolve(model: IALS, context: Context) -> Any:
    alone = context.sharing <= 1
    step = model.step or (1.5 if alone else 0.1)
    last, spread = model.last_step or step / 10, model.spread or (0.01 if alone else 0.1)
    return model._replace(step=step, last_step=last, spread=spread, calls=model.calls or context.calls)


@shape.rule(IALS)
def _shape(model: IALS) -> Shape:
    # A person's vector holds c · 5 / (5 + m), u, α, how much of the items and of the person was counted so
    # far, and the qualities that were received so far.
    return Shape(row=model.factors, head=1 + len(WEIGHTS), user=model.factors + 3 + len(WEIGHTS))


@start_row.rule(IALS)
def _start_row(model, row, key):
    row[0] = 0
    for d in range(1, model.factors):
        row[d] = model.spread / math.sqrt(model.factors) * normal(key, d)


@start_user.rule(IALS)
def _start_user(model, user, key):
    user[:] = 0


@inlined
def _add_outer(matrix, row, factor, k):
    for a in range(k):
        y = factor * row[a]
        for b in range(k):
            matrix[a, b] += y * row[b]


@inlined
def _bounded(share):
    return min(max(share, np.float32(0)), np.float32(1))


@inlined
def _popular(share, alpha):
    """f / (f + α (1 − f)), the best score that is the same for everybody."""
    f = _bounded(share)
    return f / (f + alpha * (np.float32(1) - f)) if f > 0 else np.float32(0)


@inlined
def _counted(head):
    """1 / (people counted in a table): an item's first number times this is its share fⱼ."""
    return np.float32(1) / head[0] if head[0] > 0 else np.float32(0)


@helper
def _count(rows, head, own, user, part, k):
    """Raise what is counted of a person, and of each of the person's items `own`, to the share `part`."""
    more = (part * np.float32(len(own)) - user[k + 1]) / np.float32(max(len(own), 1))
    for n in range(len(own)):
        rows[own[n], 0] += more
    user[k + 1] = part * np.float32(len(own))
    head[0] += part - user[k + 2]
    user[k + 2] = part


@helper
def _vector(model, rows, own, alpha, k):
    """u [k], solved exactly from `rows` [n, k]; its first number, which belongs to popularity, is 0."""
    matrix, u = np.zeros((k, k), np.float32), np.zeros(k, np.float32)
    for j in range(len(rows)):
        _add_outer(matrix, rows[j], alpha, k)
    rest = np.float32(1 - alpha)
    for n in range(len(own)):
        _add_outer(matrix, rows[own[n]], rest, k)
        for d in range(1, k):
            u[d] += rows[own[n], d]
    ridge = np.float32(model.regularization * (1 + len(own) + alpha * len(rows)))
    for d in range(1, k):
        matrix[d, d] += ridge
        matrix[d, 0] = 0
        matrix[0, d] = 0
    matrix[0, 0] = 1
    solve(matrix, u, k)
    return u


@helper
def _judge(rows, head, user, weighting, candidates, trainings, u, alpha, few, k):
    """Add to the head how well each weight of popularity ranks items of the person's weighting set.

    `candidates` [n, C] are ranked against `weighting` [n]; -1 stands for no item. After t `trainings` the new
    measurement has the share 2 / (t + 2) in the person's average.
    """
    if len(weighting) == 0 or candidates.shape[1] == 0:
        return
    count, scale = candidates.shape[1], _counted(head)
    found = np.zeros(len(WEIGHTS), np.float32)
    taste, known = np.empty(count + 1, np.float32), np.empty(count + 1, np.float32)
    for n in range(len(weighting)):
        for c in range(count + 1):
            item = weighting[n] if c == count else candidates[n, c]
            taste[c] = dot(u, rows[item], k) if item >= 0 else np.float32(-np.inf)
            known[c] = few * _popular(rows[item, 0] * scale, alpha) if item >= 0 else np.float32(0)
        for w in range(len(WEIGHTS)):
            mine, before = taste[count] + WEIGHTS[w] * known[count], 0
            for c in range(count):
                before += taste[c] + WEIGHTS[w] * known[c] >= mine
            if before < FIRST:
                found[w] += np.float32(1 / math.log2(2 + before) / len(weighting))
    part = np.float32(2 / (trainings + 2))
    for w in range(len(WEIGHTS)):
        change = part * (found[w] - user[k + 3 + w])
        user[k + 3 + w] += change
        head[1 + w] += change


@inlined
def _chosen(model, head):
    """c: the recipe's, or the one that serves the community best."""
    if model.popularity > 0:
        return np.float32(model.popularity)
    best, c = np.float32(0), np.float32(4)
    for w in range(len(WEIGHTS)):
        if head[1 + w] > best:
            best, c = head[1 + w], WEIGHTS[w]
    return c


@helper
def _move(model, rows, own, u, alpha, scale, step, k):
    """Move all vectors of `rows` [n, k] along the person's residuals; `step` is η / |u|²."""
    consumed, rest = np.zeros(len(rows), np.float32), np.float32(1 - alpha)
    for n in range(len(own)):
        consumed[own[n]] = 1
    most, ridge = np.float32(model.stretch), np.float32(model.regularization)
    for j in range(len(rows)):
        further = min(most, np.float32(1) / (alpha + rest * _bounded(rows[j, 0] * scale)))
        sigma = step * (alpha + rest * consumed[j]) * further
        error = sigma * (consumed[j] - dot(u, rows[j], k))
        keep = np.float32(1) / (np.float32(1) + ridge * sigma)
        popular = rows[j, 0]
        for d in range(k):
            rows[j, d] = keep * (rows[j, d] + error * u[d])
        rows[j, 0] = popular


@train.rule(IALS)
def _train(model, tables, slot, people, person, run):
    k = width(tables)
    own = people.item[people.indptr[person] : people.indptr[person + 1]]
    low, high = tables.offset[slot], tables.offset[slot + 1]
    rows, head, user = tables.rows[low:high], tables.head[slot], people.user[person]
    part = min((people.steps[person] + 1) / max(model.calls // 2, 1), 1.0)
    _count(rows, head, own, user, np.float32(part), k)
    alpha, scale = np.float32(model.unobserved), _counted(head)
    if alpha == 0:
        had = np.float32(0)
        for j in range(len(rows)):
            had += rows[j, 0]
        density = _bounded(had * scale / np.float32(len(rows)))
        alpha = np.float32(min(1.0, model.share * math.sqrt(density)))
    u = _vector(model, rows, own, alpha, k)
    few = np.float32(FEW / (FEW + len(own)))
    begin = people.weighting_indptr[person]
    end = min(people.weighting_indptr[person + 1], begin + JUDGED)
    judged = people.weighting_item[begin:end], people.weighting_candidates[begin:end]
    _judge(rows, head, user, *judged, people.steps[person], u, alpha, few, k)
    user[0] = _chosen(model, head) * few
    for d in range(1, k):
        user[d] = u[d]
    user[k] = alpha
    for j in range(low, high):
        tables.age[j] += 1
    norm = dot(u, u, k)
    if norm > np.float32(1e-20):
        progress = min(people.steps[person] / max(model.calls, 1), 1.0)
        step = np.float32(model.step * (model.last_step / model.step) ** progress) / norm
        _move(model, rows, own, u, alpha, scale, step, k)
    return len(own)


@inlined
def _scored(user, rows, begin, scale, k):
    """The score of the row that begins at `begin` of the flat `rows`."""
    total = user[0] * _popular(rows[begin] * scale, user[k])
    for d in range(1, k):
        total += user[d] * rows[begin + d]
    return total


@score.rule(IALS)
def _score(model, tables, slot, people, person, item):
    k = width(tables)
    rows = tables.rows.reshape(tables.rows.size)
    scale = _counted(tables.head[slot])
    return _scored(people.user[person], rows, locate(tables, slot, item) * k, scale, k)


@score_all.rule(IALS)
def _score_all(model, tables, slot, people, person, scores):
    k = width(tables)
    user = people.user[person].copy()  # its own memory, so that storing a score cannot change it
    rows, scale = flat(tables, slot), _counted(tables.head[slot])
    for j in range(len(scores)):
        scores[j] = _scored(user, rows, j * k, scale, k)
