"""The network of `gmf`, `mlp` and `neumf`: derivatives by differences, its start, its shape."""

import numpy as np
import pytest

from sottovoce.models._batches import add_gradients
from sottovoce.models._tower import LANES, numbers, weights
from sottovoce.models.interface import Context, resolve
from tests.models.ncf import SETTINGS, built, slopes, small
from tests.networks import simulate


@pytest.mark.parametrize("people", [3, 1])
@pytest.mark.parametrize("name", SETTINGS)
def test_gradients_are_derivatives(name, people):
    """Every number of rows, vectors, and of each layer's weights and biases; the second tile is not full."""
    rng = np.random.default_rng(1)
    network = resolve(built(name), Context(7, 1, 5, 1, 1))
    product, sizes = network.product, network.sizes
    count = LANES + 9
    item, who = rng.integers(0, 7, count).astype(np.int32), rng.integers(0, people, count).astype(np.int32)
    label = rng.random(count) < 0.3
    groups = [rng.normal(size=s) for s in ((7, 6), (people, 6), weights(product, sizes))]
    found = [np.zeros_like(group) for group in groups]
    work = np.zeros((2, numbers(product, sizes), LANES))
    given = [array for pair in zip(groups, found, strict=True) for array in pair]
    add_gradients(network, item, who, label, *given, work)
    for mine, slope in zip(found, slopes(product, sizes, groups, item, who, label), strict=True):
        np.testing.assert_allclose(mine, slope, rtol=1e-5, atol=1e-8)
        assert (np.abs(slope) > 1e-9).mean() > 0.4  # ReLU leaves enough of them to compare


def test_layers_start_as_glorot_and_bengio_proposed():
    data = small()
    s = simulate(built("neumf", layers=[40, 30]), data)
    head, at = s.tables.head[0], 0
    for inputs, outputs in ((6, 40), (40, 30), (33, 1)):
        weight, bias = (
            head[at : at + inputs * outputs],
            head[at + inputs * outputs : at + (inputs + 1) * outputs],
        )
        bound = np.sqrt(6 / (inputs + outputs))
        assert np.abs(weight).max() <= bound
        assert np.abs(weight).max() > 0.8 * bound
        assert (bias == 0).all()
        at += (inputs + 1) * outputs
    assert np.abs(s.tables.rows).max() <= np.sqrt(6 / (data.items + 3))
