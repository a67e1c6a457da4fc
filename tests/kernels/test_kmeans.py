"""k-means finds clear groups, ends at rest, and gives the same for any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.kernels.kmeans import kmeans


def groups(sizes, apart=100.0, dimensions=3):
    """Points around corners that are far from each other, and which of them each belongs to."""
    rng = np.random.default_rng(3)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    corner = apart * np.array([[n >> d & 1 for d in range(dimensions)] for n in range(len(sizes))])
    points = (corner[truth] + rng.normal(size=(len(truth), dimensions))).astype(np.float32)
    order = rng.permutation(len(truth))
    return points[order], truth[order]


@pytest.mark.parametrize("number", range(20))
def test_clear_groups_are_found_however_unequal(number):
    """k-means++ starts in each of them; random points would all lie in the largest, most often."""
    points, truth = groups([500, 20, 5, 2], apart=1000.0)
    found = kmeans(points, 4, 1, number)
    assert len({(a, b) for a, b in zip(truth, found.label, strict=True)}) == 4
    for c in range(4):
        np.testing.assert_allclose(
            found.centre[c], points[found.label == c].mean(axis=0), rtol=1e-4, atol=1e-4
        )


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(1, 4), st.integers(1, 9), st.integers(0, 99))
def test_it_ends_at_rest(size, dimensions, count, seed):
    """Everybody is nearest to the own centre, which is the mean of its points; clusters are used up."""
    points = np.random.default_rng(seed).normal(size=(size, dimensions)).astype(np.float32)
    label, centre = kmeans(points, count, seed)
    distance = ((points[:, None] - centre[None]) ** 2).sum(axis=2)
    own = distance[np.arange(size), label]
    np.testing.assert_allclose(own, distance.min(axis=1), rtol=1e-4, atol=1e-5)
    assert len(np.unique(label)) == min(size, count)
    for c in np.unique(label):
        np.testing.assert_allclose(centre[c], points[label == c].mean(axis=0), rtol=1e-3, atol=1e-4)


def test_threads_do_not_change_the_result():
    points, _ = groups([20_000, 10_000, 3_000], apart=2.0)
    found = []
    for threads in (1, 2):
        with kernels.set_threads(threads):
            if kernels.threads() < threads:
                pytest.skip("this machine has one core")
            found.append(kmeans(points, 5, 1))
    np.testing.assert_array_equal(found[0].label, found[1].label)
    np.testing.assert_array_equal(found[0].centre, found[1].centre)


def test_equal_points_count_once():
    points = np.repeat(np.array([[1, 2], [3, 4]], np.float32), 5, axis=0)
    label = kmeans(points, 4, 1).label
    assert len(set(label[:5])) == len(set(label[5:])) == 1
    assert label[0] != label[5]
    assert set(kmeans(points[:5], 4, 1).label) == {0}


@pytest.mark.parametrize("shape", [(0, 3), (5, 0), (1, 3)])
def test_hardly_any_points(shape):
    found = kmeans(np.ones(shape, np.float32), 4, 1)
    assert (found.label == np.zeros(shape[0])).all()
    assert found.centre.shape == (4, shape[1])


def test_numbers_that_diverged_do_no_harm():
    points = np.array([[np.nan, 1], [np.inf, 0], [0, 0], [5, 5]], np.float32)
    assert set(kmeans(points, 3, 1).label) <= {0, 1, 2}


def test_attempts_differ():
    points = np.random.default_rng(1).normal(size=(200, 2)).astype(np.float32)
    labels = [kmeans(points, 8, 1, number).label for number in (0, 0, 1)]
    assert (labels[0] == labels[1]).all()
    assert (labels[0] != labels[2]).any()
