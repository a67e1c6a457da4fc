"""The network of neural collaborative filtering: how its numbers are laid out, and both directions.

`tests/models/test_network.py` holds gradients of whole batches against differences.
"""

import numpy as np
import pytest

from sottovoce.models._tower import LANES, backward, beginning, forward, lanes, numbers, weights
from tests.models.ncf import layers_of


def test_as_many_lanes_as_pairs_in_full_vectors():
    assert lanes(LANES + 1) == lanes(LANES) == LANES
    assert [lanes(1), lanes(0)] == [lanes(3), 0]
    for pairs in range(1, LANES + 1):
        assert pairs <= lanes(pairs) <= LANES
        assert lanes(pairs) % lanes(1) == 0


@pytest.mark.parametrize(
    ("product", "sizes", "in_head", "per_pair"),
    [
        (6, (0,), 6 + 1, 3 * 6 + 1),
        (0, (12, 5, 4), 12 * 5 + 5 + 5 * 4 + 4 + 4 + 1, 12 + 5 + 4 + 1),
        (3, (6, 5, 4), 6 * 5 + 5 + 5 * 4 + 4 + 7 + 1, 9 + 6 + 5 + 4 + 1),
    ],
    ids=["gmf", "mlp", "neumf"],
)
def test_how_many_numbers_there_are(product, sizes, in_head, per_pair):
    assert weights(product, sizes) == in_head
    assert numbers(product, sizes) == per_pair


def network(product, sizes, pairs=5, seed=3):
    """Random rows, vectors and a head, and `x` with both put into lanes."""
    rng = np.random.default_rng(seed)
    half = sizes[0] // 2
    rows, vectors = rng.normal(size=(2, pairs, product + half))
    head = rng.normal(size=weights(product, sizes))
    x = np.zeros((numbers(product, sizes), lanes(pairs)))
    begin = beginning(product, sizes)
    x[:product, :pairs], x[product : 2 * product, :pairs] = vectors[:, :product].T, rows[:, :product].T
    x[begin : begin + half, :pairs] = vectors[:, product:].T
    x[begin + half : begin + 2 * half, :pairs] = rows[:, product:].T
    return rows, vectors, head, x


def output(product, sizes, rows, vectors, head):
    """z of each pair, by the equations of the module."""
    *hidden, (weight, bias) = layers_of(product, sizes, head)
    x = np.hstack([vectors[:, product:], rows[:, product:]])
    for w, b in hidden:
        x = np.maximum(x @ w.T + b, 0)
    return np.hstack([vectors[:, :product] * rows[:, :product], x]) @ weight[0] + bias[0]


SHAPES = [(6, (0,)), (0, (12, 5, 4)), (3, (6, 5, 4)), (2, (4, 3))]


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize(("product", "sizes"), SHAPES)
def test_forwards_is_the_equation(product, sizes, alone):
    rows, vectors, head, x = network(product, sizes)
    if alone:  # all lanes share one vector, which is read from `person` alone
        vectors[:] = vectors[0]
        begin = beginning(product, sizes)
        x[:product], x[begin : begin + sizes[0] // 2] = np.nan, np.nan
    forward(product, sizes, vectors[0] if alone else vectors[0, :0], head, x)
    np.testing.assert_allclose(x[-1, :5], output(product, sizes, rows, vectors, head), rtol=1e-12)


@pytest.mark.parametrize(("product", "sizes"), SHAPES)
def test_backwards_is_the_derivative_of_every_number(product, sizes):
    """Of Σ aₙ zₙ by central differences; the shared vector's derivative is a sum over pairs."""
    rows, vectors, head, x = network(product, sizes)
    vectors[:] = vectors[0]
    person, a = vectors[0].copy(), np.random.default_rng(1).normal(size=5)
    forward(product, sizes, person, head, x)
    error, to_head, to_person = np.zeros_like(x), np.zeros_like(head), np.zeros_like(person)
    error[-1, :5] = a
    backward(product, sizes, person, to_person, head, x, error, to_head)

    def slope(array, place):
        kept, ends = array[place], []
        for moved in (kept + 1e-6, kept - 1e-6):
            array[place] = moved
            ends.append(a @ output(product, sizes, rows, np.tile(person, (5, 1)), head))
        array[place] = kept
        return (ends[0] - ends[1]) / 2e-6

    for array, found in ((head, to_head), (person, to_person)):
        slopes = [slope(array, place) for place in range(len(array))]
        np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-8)
        assert np.abs(slopes).max() > 0.1
    begin = beginning(product, sizes) + sizes[0] // 2
    to_rows = np.vstack([error[product : 2 * product, :5], error[begin : begin + sizes[0] // 2, :5]]).T
    slopes = [[slope(rows, (n, d)) for d in range(rows.shape[1])] for n in range(5)]
    np.testing.assert_allclose(to_rows, slopes, rtol=1e-6, atol=1e-8)
