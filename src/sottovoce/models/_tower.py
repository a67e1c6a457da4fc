"""The network of neural collaborative filtering, forwards and backwards (He et al. 2017).

It has two parts, each of which a width of 0 leaves out. GMF multiplies one half of a person's vector by one
half of an item's row, element by element. MLP is a tower of layers with ReLU over the other two halves. One
output layer sees both:

    x₀ = [pᵤ | pⱼ]     xₙ = max(0, Wₙ xₙ₋₁ + bₙ)     z = h · [qᵤ ∘ qⱼ | x_N] + h₀

The head holds W₁ row by row, b₁, W₂, … , h and h₀. Up to LANES pairs of a person and an item are computed at
a time, in arrays [numbers, lanes]: each number of the network has one place per pair, so that every inner
loop runs over lanes and vectorises for any size of layers. Gradients are summed over lanes. Arrays have
single or double precision.

If all pairs belong to one person, `person` is that vector, [qᵤ | pᵤ]. What it adds to the first layer is then
computed once for all lanes, and its derivatives come from sums over lanes. Otherwise `person` is empty, and
every lane holds a vector of its own.
"""

import numpy as np

from sottovoce.kernels import helper, summing
from sottovoce.kernels.blocks import WIDE, add_outer, add_products

LANES = 64
"""The largest number of pairs at a time. Half as many is a quarter slower; more slows cheap models down."""


@helper
def lanes(pairs):
    """How many lanes this many pairs need: full SIMD vectors, at most LANES."""
    return min(LANES, (pairs + WIDE - 1) // WIDE * WIDE)


@helper
def weights(product, sizes):
    """How many numbers the head holds; `sizes` are the sizes of x₀ and of the layers."""
    count = product + sizes[-1] + 1
    for n in range(1, len(sizes)):
        count += (sizes[n - 1] + 1) * sizes[n]
    return count


@helper
def numbers(product, sizes):
    """How many numbers the network has for one pair, from its input to its output z, which comes last."""
    count = 3 * product + 1
    for n in range(len(sizes)):
        count += sizes[n]
    return count


@helper
def beginning(product, sizes):
    """Where x₀ begins. Before it are qᵤ and qⱼ; their product stands right before the last layer."""
    return 2 * product + (product if len(sizes) == 1 else 0)


@summing
def _add_sums(total, at, error, first, count):
    """total[at + o] += error[first + o], over lanes."""
    for o in range(count):
        a, e = total.dtype.type(0), error[first + o]
        for lane in range(len(e)):
            a += e[lane]
        total[at + o] += a


@helper
def _from_person(product, half, person, head, w, inputs, outputs, bias):
    """Write into `bias` [outputs] what the first layer adds in all lanes: b₁ and the person's half of x₀."""
    for o in range(outputs):
        bias[o] = head[w + inputs * outputs + o]
        for i in range(half):
            bias[o] += head[w + o * inputs + i] * person[product + i]


@helper
def _to_person(product, half, person, to_person, head, w, inputs, errors, gradient):
    """Add the derivatives by the person's half of x₀ and by its weights.

    `errors` [outputs] are sums over lanes.
    """
    for o in range(len(errors)):
        for i in range(half):
            gradient[w + o * inputs + i] += errors[o] * person[product + i]
            to_person[product + i] += errors[o] * head[w + o * inputs + i]


@helper
def forward(product, sizes, person, head, x):
    """Compute all of `x` [numbers, lanes] from the qᵤ, qⱼ and x₀ in it; with a `person`, from qⱼ and pⱼ."""
    last, alone = len(sizes) - 1, len(person) > 0
    zero = x.dtype.type(0)
    at, w = beginning(product, sizes), 0
    for n in range(1, last + 1):
        inputs, outputs = sizes[n - 1], sizes[n]
        known = inputs // 2 if alone and n == 1 else 0
        to = at + inputs + (product if n == last else 0)
        bias = np.empty(outputs, x.dtype)
        _from_person(product, known, person, head, w, inputs, outputs, bias)
        for o in range(outputs):
            y, b = x[to + o], bias[o]
            for lane in range(len(y)):
                y[lane] = b
        add_products(x, to, x, at + known, head, w + known, inputs - known, outputs, 1, inputs)
        for o in range(outputs):
            y = x[to + o]
            for lane in range(len(y)):
                y[lane] = max(y[lane], zero)
        at, w = to, w + (inputs + 1) * outputs
    begin, features = at - product, product + sizes[last]
    for d in range(product):
        if alone:
            for lane in range(x.shape[1]):
                x[begin + d, lane] = person[d] * x[product + d, lane]
        else:
            for lane in range(x.shape[1]):
                x[begin + d, lane] = x[d, lane] * x[product + d, lane]
    z, bias_of_z = begin + features, head[w + features]
    for lane in range(x.shape[1]):
        x[z, lane] = bias_of_z
    add_products(x, z, x, begin, head, w, features, 1, 1, 0)


@helper
def backward(product, sizes, person, to_person, head, x, error, gradient):
    """Compute `error` [numbers, lanes], the derivatives of the loss by `x`, from its last row, those by z.

    Derivatives by the head are added to `gradient` [h], those by `person` to `to_person` [w].
    """
    last, alone = len(sizes) - 1, len(person) > 0
    zero = x.dtype.type(0)
    features = product + sizes[last]
    z, w = numbers(product, sizes) - 1, weights(product, sizes) - features - 1
    begin = z - features
    add_outer(gradient, w, error, z, x, begin, features, 1, features)
    _add_sums(gradient, w + features, error, z, 1)
    for f in range(features):
        a = head[w + f]
        for lane in range(x.shape[1]):
            error[begin + f, lane] = a * error[z, lane]
    for d in range(product):
        if alone:
            add_outer(to_person, d, error, begin + d, x, product + d, 1, 1, 1)
            for lane in range(x.shape[1]):
                error[product + d, lane] = error[begin + d, lane] * person[d]
        else:
            for lane in range(x.shape[1]):
                error[d, lane] = error[begin + d, lane] * x[product + d, lane]
                error[product + d, lane] = error[begin + d, lane] * x[d, lane]
    at = begin + product
    for n in range(last, 0, -1):
        inputs, outputs = sizes[n - 1], sizes[n]
        w -= (inputs + 1) * outputs
        known = inputs // 2 if alone and n == 1 else 0
        below = at - inputs - (product if n == last else 0)
        for o in range(outputs):
            y, e = x[at + o], error[at + o]
            for lane in range(len(y)):
                e[lane] = e[lane] if y[lane] > zero else zero
        add_outer(gradient, w + known, error, at, x, below + known, inputs - known, outputs, inputs)
        errors = np.zeros(outputs, x.dtype)
        _add_sums(errors, 0, error, at, outputs)
        _to_person(product, known, person, to_person, head, w, inputs, errors, gradient)
        for o in range(outputs):
            gradient[w + inputs * outputs + o] += errors[o]
        for i in range(known, inputs):
            e = error[below + i]
            for lane in range(len(e)):
                e[lane] = zero
        add_products(error, below + known, error, at, head, w + known, outputs, inputs - known, inputs, 1)
        at = below
