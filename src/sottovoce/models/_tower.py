"""The network of neural collaborative filtering, forwards and backwards (He et al. 2017).

A pair of a person and an item has two parts, each of which may be left out by a width of 0: the product
of one half of their vectors, element by element (GMF), and a tower of layers with ReLU over the other
halves, one after the other (MLP). One output layer sees both:

    x₀ = [pᵤ | pⱼ]     xₙ = max(0, Wₙ xₙ₋₁ + bₙ)     z = h · [qᵤ ∘ qⱼ | x_N] + h₀

The head holds W₁ row by row, b₁, W₂, … , h and h₀. Up to LANES pairs are computed at a time: a number of the
network is a row with a place for each, so that every inner loop runs over lanes and vectorises whatever
the sizes of layers are. Gradients are those of the sum over lanes. Arrays are of single or double precision.

Where all pairs are of one person, `person` is that vector, [qᵤ | pᵤ]: what it adds to the first layer is
computed once for all lanes, and the derivatives by it from sums over them. Else `person` is empty, and
every lane has a vector of its own.
"""

import numpy as np

from sottovoce.kernels import helper, summing

LANES = 64
"""The most pairs at a time: with half as many it is a quarter slower, and so are cheap models with more."""


@helper
def lanes(pairs):
    """How many lanes to have for so many pairs: full vectors of eight."""
    return min(LANES, (pairs + 7) // 8 * 8)


@helper
def weights(product, sizes):
    """How many numbers the head holds; `sizes` are those of x₀ and of the layers."""
    count = product + sizes[-1] + 1
    for n in range(1, len(sizes)):
        count += (sizes[n - 1] + 1) * sizes[n]
    return count


@helper
def numbers(product, sizes):
    """How many numbers the network has between its input and its output, z, which is the last."""
    count = 3 * product + 1
    for n in range(len(sizes)):
        count += sizes[n]
    return count


@helper
def beginning(product, sizes):
    """Where x₀ begins. In front of it are qᵤ and qⱼ; their product comes in front of the last layer."""
    return 2 * product + (product if len(sizes) == 1 else 0)


@helper
def _add_products(out, first, x, begin, weight, at, inputs, outputs, across, along):
    """out[first + o] += Σᵢ weight[at + o · along + i · across] x[begin + i], in every lane.

    Four outputs at once share what they read. Rows are taken first: one number as an index vectorises better.
    """
    fours, full = inputs - inputs % 4, outputs - outputs % 4
    for o in range(0, full, 4):
        y0, y1, y2, y3 = out[first + o], out[first + o + 1], out[first + o + 2], out[first + o + 3]
        for i in range(0, fours, 4):
            k = at + o * along + i * across
            a0, a1, a2, a3 = weight[k], weight[k + across], weight[k + 2 * across], weight[k + 3 * across]
            k += along
            b0, b1, b2, b3 = weight[k], weight[k + across], weight[k + 2 * across], weight[k + 3 * across]
            k += along
            c0, c1, c2, c3 = weight[k], weight[k + across], weight[k + 2 * across], weight[k + 3 * across]
            k += along
            d0, d1, d2, d3 = weight[k], weight[k + across], weight[k + 2 * across], weight[k + 3 * across]
            x0, x1, x2, x3 = x[begin + i], x[begin + i + 1], x[begin + i + 2], x[begin + i + 3]
            for lane in range(x.shape[1]):
                p, q, r, s = x0[lane], x1[lane], x2[lane], x3[lane]
                y0[lane] += (a0 * p + a1 * q) + (a2 * r + a3 * s)
                y1[lane] += (b0 * p + b1 * q) + (b2 * r + b3 * s)
                y2[lane] += (c0 * p + c1 * q) + (c2 * r + c3 * s)
                y3[lane] += (d0 * p + d1 * q) + (d2 * r + d3 * s)
    for o in range(outputs):
        y = out[first + o]
        for i in range(fours if o < full else 0, inputs):
            a, x0 = weight[at + o * along + i * across], x[begin + i]
            for lane in range(x.shape[1]):
                y[lane] += a * x0[lane]


@summing
def _add_outer(total, at, error, first, x, begin, inputs, outputs, along):
    """total[at + o · along + i] += error[first + o] · x[begin + i], over lanes; eight at once share reads."""
    zero = total.dtype.type(0)
    twos, full = inputs - inputs % 2, outputs - outputs % 4
    for o in range(0, full, 4):
        e0, e1, e2, e3 = error[first + o], error[first + o + 1], error[first + o + 2], error[first + o + 3]
        for i in range(0, twos, 2):
            x0, x1 = x[begin + i], x[begin + i + 1]
            a = b = c = d = e = f = g = h = zero
            for lane in range(x.shape[1]):
                left, right = x0[lane], x1[lane]
                a += e0[lane] * left
                b += e0[lane] * right
                c += e1[lane] * left
                d += e1[lane] * right
                e += e2[lane] * left
                f += e2[lane] * right
                g += e3[lane] * left
                h += e3[lane] * right
            k = at + o * along + i
            total[k] += a
            total[k + 1] += b
            k += along
            total[k] += c
            total[k + 1] += d
            k += along
            total[k] += e
            total[k + 1] += f
            k += along
            total[k] += g
            total[k + 1] += h
    for o in range(outputs):
        e0 = error[first + o]
        for i in range(twos if o < full else 0, inputs):
            a, x0 = zero, x[begin + i]
            for lane in range(x.shape[1]):
                a += e0[lane] * x0[lane]
            total[at + o * along + i] += a


@summing
def _add_sums(total, at, error, first, count):
    """total[at + o] += error[first + o], over lanes."""
    for o in range(count):
        a = total.dtype.type(0)
        for lane in range(error.shape[1]):
            a += error[first + o, lane]
        total[at + o] += a


@helper
def _from_person(product, half, person, head, w, inputs, outputs, bias):
    """Write what the first layer has in all lanes: b₁, and what the person's half of x₀ adds to it."""
    for o in range(outputs):
        bias[o] = head[w + inputs * outputs + o]
        for i in range(half):
            bias[o] += head[w + o * inputs + i] * person[product + i]


@helper
def _to_person(product, half, person, to_person, head, w, inputs, errors, gradient):
    """Add the derivatives by the person's half of x₀, and by the weights upon it, given sums over lanes."""
    for o in range(len(errors)):
        for i in range(half):
            gradient[w + o * inputs + i] += errors[o] * person[product + i]
            to_person[product + i] += errors[o] * head[w + o * inputs + i]


@helper
def forward(product, sizes, person, head, x):
    """Compute all of `x` from qᵤ, qⱼ and x₀ in it; where all is one person's, from qⱼ and pⱼ."""
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
            for lane in range(x.shape[1]):
                x[to + o, lane] = bias[o]
        _add_products(x, to, x, at + known, head, w + known, inputs - known, outputs, 1, inputs)
        for o in range(outputs):
            for lane in range(x.shape[1]):
                x[to + o, lane] = max(x[to + o, lane], zero)
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
    _add_products(x, z, x, begin, head, w, features, 1, 1, 0)


@helper
def backward(product, sizes, person, to_person, head, x, error, gradient):
    """Compute all of `error`, the derivatives of the loss by `x`, from the one by z, which is the last in it.

    Derivatives by the head are added to `gradient`, those by `person` to `to_person`.
    """
    last, alone = len(sizes) - 1, len(person) > 0
    zero = x.dtype.type(0)
    features = product + sizes[last]
    z, w = numbers(product, sizes) - 1, weights(product, sizes) - features - 1
    begin = z - features
    _add_outer(gradient, w, error, z, x, begin, features, 1, features)
    _add_sums(gradient, w + features, error, z, 1)
    for f in range(features):
        a = head[w + f]
        for lane in range(x.shape[1]):
            error[begin + f, lane] = a * error[z, lane]
    for d in range(product):
        if alone:
            _add_outer(to_person, d, error, begin + d, x, product + d, 1, 1, 1)
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
            for lane in range(x.shape[1]):
                error[at + o, lane] = error[at + o, lane] if x[at + o, lane] > zero else zero
        _add_outer(gradient, w + known, error, at, x, below + known, inputs - known, outputs, inputs)
        errors = np.zeros(outputs, x.dtype)
        _add_sums(errors, 0, error, at, outputs)
        _to_person(product, known, person, to_person, head, w, inputs, errors, gradient)
        for o in range(outputs):
            gradient[w + inputs * outputs + o] += errors[o]
        for i in range(known, inputs):
            for lane in range(x.shape[1]):
                error[below + i, lane] = zero
        _add_products(error, below + known, error, at, head, w + known, outputs, inputs - known, inputs, 1)
        at = below
