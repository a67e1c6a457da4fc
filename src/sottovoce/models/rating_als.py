"""Ratings from sums: biased matrix factorization, solved from the mean of people's statistics.

A rating is predicted as μ + s (b + cⱼ + x·yⱼ): the mean μ of all ratings, their standard deviation s, and the
biases b of the person and cⱼ of the item (Koren, Bell and Volinsky 2009). With t = (rating − μ) / s and
f = (yⱼ, 1), a person solves the private part exactly against the items' vectors and biases,

    (x, b) = A⁻¹ Σ_own f (t − cⱼ),   A = Σ_own f fᵀ + diag(λ + Σ_own dⱼ, …, β),

and gives statistics, whose sum over people is all that anybody needs. With wⱼ = (yⱼ, cⱼ / ζ), z = (x, ζ) and
ζ = 1/4 they are, for each own item j,

    gⱼ = z (t − b − z·wⱼ) − σ² (A⁻¹ f)ₓ + M wⱼ   and a count of 1,

and for a person with m ratings m P, where P = z zᵀ + σ² (A⁻¹)ₓ, the sums of the ratings, of their squares and
of E (below), and m. (·)ₓ is the part that belongs to x. From the sums every item is solved:

    wⱼ = (nⱼ M + Λ)⁻¹ Σ gⱼ,   Λ = diag(λ, …, β ζ²),   nⱼ = N times the mean count.

Exact least squares would need Σ P over the people who rated an item, k²/2 numbers for each row. Here nⱼ M
takes its place, with M = Σ m P / Σ m of the sweep before, and gⱼ makes up for the difference at the item's
last vector: the fixed point is the same, and a row has k + 2 numbers. The first sweep has no M of a sweep
before: gⱼ = z (t − b), and M is the new one.

What is solved from few ratings is uncertain and would fit noise. Both sides allow for it, as in variational
Bayes (Lim and Teh 2007). σ² A⁻¹ is the uncertainty of (x, b), and dⱼ = σ² / (λ + nⱼ tr(Mₓ) / k) that of yⱼ,
for simplicity the same in all directions. σ², the noise of ratings, is the mean of their expected errors

    E = (t − b − z·wⱼ)² + σ² fᵀ A⁻¹ f + dⱼ tr(Pₓ).

So μ, s, σ² and nⱼ follow from sums, and the same λ (`regularization`) and β (`bias_regularization`) serve
people and items with any number of ratings. Defaults were chosen on ratings held out of the training sets of
MovieLens 100K and 1M. ζ makes biases about as large as x: messages may round the numbers of a row together.

A row holds wⱼ and the mean count. The head holds the lower triangle of M, then mean and standard deviation of
the ratings, in quarters of the scale from its middle, σ², the mean of m, and the number of sweeps.
"""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from annotated_types import Ge, Gt, Le

from sottovoce.kernels import dot, dot_at, from_float32, helper, inlined, normal, to_float32
from sottovoce.kernels.symmetric import (
    add_outer,
    backward,
    eigenvectors,
    factorize,
    forward,
    triangle,
    unpacked,
)
from sottovoce.models.interface import (
    Context,
    Shape,
    own_items,
    predict,
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
from sottovoce.models.statistics import fade_row, finish, prepare, solve_row, statistics, sweep
from sottovoce.registry import component
from sottovoce.state import flat, locate, rounding, width

ZETA = 0.25
"""ζ, the number in the place of a bias: x has about this size."""
NOISE = 0.5
"""σ² before there is an estimate: about what remains of the variance of ratings."""


@component("model", "rating-als", learns="statistics")
class RatingALS(NamedTuple):
    """Biased matrix factorization of ratings, from sums of people's statistics."""

    factors: Annotated[int, Ge(1), Le(256)] = 16
    """k, the length of vectors."""
    regularization: Annotated[float, Gt(0)] = 7.0
    """λ, on vectors."""
    bias_regularization: Annotated[float, Gt(0)] = 5.0
    """β, on biases."""
    spread: Annotated[float, Gt(0)] = 1.0
    """Standard deviation of the vectors' first values, times √k."""
    low: float = math.nan
    """The lowest possible rating; by default as the data says."""
    high: float = math.nan
    """The highest possible rating; by default as the data says."""
    people: Annotated[int, Ge(0)] = 0
    """N; 0 means as many as there are."""


@resolve.rule(RatingALS)
def _resolve(model: RatingALS, context: Context) -> Any:
    low = context.low if math.isnan(model.low) else model.low
    high = context.high if math.isnan(model.high) else model.high
    return model._replace(low=low, high=high, people=model.people or context.people)


@shape.rule(RatingALS)
def _shape(model: RatingALS) -> Shape:
    # A person's vector holds s x, s ζ and μ + s b, so that a score needs nothing else but a row.
    wide = model.factors + 1
    return Shape(row=wide + 1, head=triangle(wide) + 5, user=wide + 1)


@start_row.rule(RatingALS)
def _start_row(model, row, key):
    for d in range(model.factors):
        row[d] = model.spread / math.sqrt(model.factors) * normal(key, d)
    row[model.factors] = 0
    row[model.factors + 1] = 0


@start_user.rule(RatingALS)
def _start_user(model, user, key):
    user[:] = 0
    user[model.factors + 1] = (model.low + model.high) / 2


@inlined
def _centred(model, rating):
    """A rating, in quarters of the scale from its middle."""
    return 4 * (rating - (model.low + model.high) / 2) / (model.high - model.low)


@inlined
def _deviation(head, wide):
    """s in these units; 1 before any sum."""
    found = float(head[triangle(wide) + 1])
    return found if found > 0 else 1.0


@inlined
def _noise(head, wide):
    """σ²."""
    found = float(head[triangle(wide) + 2])
    return found if found > 0 else NOISE


@inlined
def _doubt(model, head, wide):
    """tr(M) / k · N and σ², from which dⱼ follows; σ² is 0 before any sum."""
    total, at = 0.0, 0
    for a in range(wide - 1):
        at += a
        total += head[at + a]
    return total / (wide - 1) * max(model.people, 1), float(head[triangle(wide) + 2])


@helper
def _own(model, tables, slot, people, person, wide):
    """A person's t [m], and of the items the rows f = (y, 1) [m, k + 1], the biases c [m] and d [m]."""
    begin, end = people.indptr[person], people.indptr[person + 1]
    head = tables.head[slot]
    mean, deviation = float(head[triangle(wide)]), _deviation(head, wide)
    gain, noise = _doubt(model, head, wide)
    t, rows = np.empty(end - begin), np.empty((end - begin, wide))
    bias, doubt = np.empty(end - begin), np.empty(end - begin)
    for n in range(end - begin):
        at = locate(tables, slot, people.item[begin + n])
        for d in range(wide - 1):
            rows[n, d] = to_float32(tables.rows[at, d])
        rows[n, wide - 1] = 1
        bias[n] = ZETA * to_float32(tables.rows[at, wide - 1])
        doubt[n] = noise / (model.regularization + gain * to_float32(tables.rows[at, wide]))
        t[n] = (_centred(model, people.value[begin + n]) - mean) / deviation
    return t, rows, bias, doubt


@helper
def _solved(model, t, rows, bias, doubt, wide):
    """Cholesky's factor of A [k + 1, k + 1], and (x, b) [k + 1]."""
    matrix, x = np.zeros((wide, wide)), np.zeros(wide)
    ridge = model.regularization
    for n in range(len(t)):
        for a in range(wide):
            x[a] += rows[n, a] * (t[n] - bias[n])
            for b in range(a + 1):
                matrix[a, b] += rows[n, a] * rows[n, b]
        ridge += doubt[n]
    for a in range(wide - 1):
        matrix[a, a] += ridge
    matrix[wide - 1, wide - 1] += model.bias_regularization
    factorize(matrix, wide)
    forward(matrix, x, wide)
    backward(matrix, x, wide)
    return matrix, x


@helper
def _keep(model, head, user, x, wide):
    """What the person needs for predictions, in units of ratings."""
    quarter = (model.high - model.low) / 4
    scale = quarter * _deviation(head, wide)
    for d in range(wide - 1):
        user[d] = scale * x[d]
    user[wide - 1] = scale * ZETA
    user[wide] = (model.low + model.high) / 2 + quarter * head[triangle(wide)] + scale * x[wide - 1]


@touched.rule(RatingALS)
def _touched(model, tables, slot, people, person, run):
    own_items(tables, slot, people, person)


@train.rule(RatingALS)
def _train(model, tables, slot, people, person, run):
    """Solve the person's vector and bias against a table. Nothing that is shared changes."""
    wide = width(tables) - 1
    t, rows, bias, doubt = _own(model, tables, slot, people, person, wide)
    _, x = _solved(model, t, rows, bias, doubt, wide)
    _keep(model, tables.head[slot], people.user[person], x, wide)
    return len(t)


@helper
def _uncertainty(factor, noise, wide):
    """σ² A⁻¹, from Cholesky's factor of A."""
    found = np.eye(wide)
    for a in range(wide):
        forward(factor, found[a], wide)
        backward(factor, found[a], wide)
        for b in range(wide):
            found[a, b] *= noise
    return found


@helper
def _add_head(mine, centred, x, wrong, cov, wide):
    """m P, the sums of ratings and of squares, `wrong`, m, and 1; x is z here."""
    size, count = triangle(wide), len(centred)
    add_outer(mine[:size], x, float(count), wide)
    at = 0
    for a in range(wide - 1):
        for b in range(a + 1):
            mine[at + b] += count * cov[a, b]
        at += a + 1
    for n in range(count):
        mine[size] += centred[n]
        mine[size + 1] += centred[n] * centred[n]
    mine[size + 2], mine[size + 3], mine[size + 4] = wrong, count, 1


@statistics.rule(RatingALS)
def _statistics(model, tables, slot, updates, place, people, person, run):
    wide = width(tables) - 1
    size, head, begin = triangle(wide), tables.head[slot], people.indptr[person]
    t, rows, bias, doubt = _own(model, tables, slot, people, person, wide)
    factor, x = _solved(model, t, rows, bias, doubt, wide)
    _keep(model, head, people.user[person], x, wide)
    cov, other = _uncertainty(factor, _noise(head, wide), wide), unpacked(head[:size], wide)
    plain, mine = head[size + 4] == 0, x[wide - 1]
    x[wide - 1] = ZETA
    certain, wrong = 0.0, 0.0  # tr(P) over x, and the sum of E
    for d in range(wide - 1):
        certain += x[d] * x[d] + cov[d, d]
    own_items(updates, place, people, person)
    for n in range(updates.offset[place], updates.offset[place + 1]):
        for d in range(wide + 1):
            updates.rows[n, d] = 0
    w, centred = np.empty(wide), np.empty(len(t))
    for n in range(len(t)):
        at, f = locate(updates, place, people.item[begin + n]), rows[n]
        for d in range(wide - 1):
            w[d] = f[d]
        w[wide - 1] = bias[n] / ZETA
        left = t[n] - mine - dot(x, w, wide)
        wrong += left * left + doubt[n] * certain
        part = t[n] - mine if plain else left
        for d in range(wide):
            value, blur = part * x[d], dot(cov[d], f, wide)
            wrong += f[d] * blur
            if not plain:
                value += dot(other[d], w, wide) - (blur if d < wide - 1 else 0.0)
            updates.rows[at, d] += value
        updates.rows[at, wide] += 1
        centred[n] = _centred(model, people.value[begin + n])
    updates.head[place, :] = 0
    _add_head(updates.head[place], centred, x, wrong, cov, wide)
    return 1


@prepare.rule(RatingALS)
def _prepare(model, tables, slot, total, weight):
    """P [k + 1, k + 1] and eigenvalues g [k + 1], in the last row: wⱼ = P diag(1 / (1 + nⱼ g)) Pᵀ Σ gⱼ.

    P is Λ^-½ Q, where Q has the eigenvectors of Λ^-½ M Λ^-½ and g their eigenvalues.
    """
    wide = width(tables) - 1
    size, head = triangle(wide), tables.head[slot]
    ratings, plain = max(float(total[size + 3]), 1e-12), head[size + 4] == 0
    matrix = unpacked(total[:size], wide) / ratings if plain else unpacked(head[:size], wide)
    roots = np.full(wide, 1 / math.sqrt(model.regularization))
    roots[wide - 1] = 1 / (ZETA * math.sqrt(model.bias_regularization))
    for a in range(wide):
        for b in range(wide):
            matrix[a, b] *= roots[a] * roots[b]
    found, solver = eigenvectors(matrix, wide), np.empty((wide + 1, wide), np.float32)
    for a in range(wide):
        for d in range(wide):
            solver[a, d] = found[a, d] * roots[d]
        solver[wide, a] = max(matrix[a, a], 0.0)
    for d in range(size):
        head[d] = total[d] / ratings
    mean = total[size] / ratings
    variance = total[size + 1] / ratings - mean * mean
    head[size] = mean
    head[size + 1] = math.sqrt(variance) if variance > 1e-6 else 1.0  # all ratings may be the same
    head[size + 2] = max(total[size + 2] / ratings, 1e-6)
    head[size + 3] = total[size + 3] / weight
    return solver


@fade_row.rule(RatingALS)
def _fade_row(model, tables, slot, item, key):
    """Nothing is known of an item without statistics."""
    at = tables.offset[slot] + item
    for d in range(width(tables)):
        tables.rows[at, d] = from_float32(tables.rows, np.float32(0), rounding(tables, key, item, d))


@solve_row.rule(RatingALS)
def _solve_row(model, solver, tables, slot, item, total, weight, key):
    wide, at = width(tables) - 1, tables.offset[slot] + item
    share, people = max(total[wide] / weight, 0.0), float(max(model.people, 1))
    solved = np.zeros(wide)
    for a in range(wide):
        along = 0.0
        for d in range(wide):
            along += solver[a, d] * total[d]
        along *= people / weight / (1 + people * share * solver[wide, a])
        for d in range(wide):
            solved[d] += along * solver[a, d]
    for d in range(wide + 1):
        value = np.float32(share if d == wide else solved[d])
        tables.rows[at, d] = from_float32(tables.rows, value, rounding(tables, key, item, d))


@finish.rule(RatingALS)
def _finish(model, tables, slot):
    tables.head[slot, tables.head.shape[1] - 1] += 1


@together.rule(RatingALS)
def _together(model, tables, slot, people, run):
    return sweep(model, tables, slot, people, run)


@score.rule(RatingALS)
def _score(model, tables, slot, people, person, item):
    wide, user = width(tables) - 1, people.user[person]
    rows = tables.rows.reshape(tables.rows.size)
    return user[wide] + dot_at(user, rows, locate(tables, slot, item) * (wide + 1), wide)


@score_all.rule(RatingALS)
def _score_all(model, tables, slot, people, person, scores):
    wide = width(tables) - 1
    user = people.user[person].copy()  # its own memory, so that storing a score cannot change it
    rows = flat(tables, slot)
    for j in range(len(scores)):
        scores[j] = user[wide] + dot_at(user, rows, j * (wide + 1), wide)


@predict.rule(RatingALS)
def _predict(model, tables, slot, people, person, item):
    """The score, within the scale."""
    found = score(model, tables, slot, people, person, item)
    return min(max(found, np.float32(model.low)), np.float32(model.high))
