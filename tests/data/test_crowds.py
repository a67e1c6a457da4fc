"""One cluster of people, and the best known items: by hand, and the dense and sparse MovieLens of PEPPER."""

import numpy as np
import pytest

from sottovoce.data.interactions import build
from sottovoce.data.load import load


def crowd():
    """Three people with six items each, and four with two; items 0 and 1 are known to most."""
    rows = [(p, i) for p in range(3) for i in range(6)] + [(p, i) for p in range(3, 7) for i in (0, 1)]
    return build("crowd", [p for p, _ in rows], [i for _, i in rows])


@pytest.mark.parametrize("by", ["items", "number"])
def test_clusters_of_people_with_many_and_few_items(by):
    from sottovoce.data.filters import Filters

    dense = Filters(cluster="densest", cluster_by=by).apply(crowd())
    sparse = Filters(cluster="sparsest", cluster_by=by).apply(crowd())
    assert (dense.users.tolist(), dense.items) == (["0", "1", "2"], 6)
    assert (sparse.users.tolist(), sparse.items) == (["3", "4", "5", "6"], 2)
    assert f"by {by}" in sparse.source


def test_best_known_items():
    from sottovoce.data.filters import Filters

    kept = Filters(top_items=3).apply(crowd())
    assert kept.catalog.ids.tolist() == ["0", "1", "2"]
    assert np.diff(kept.indptr).tolist() == [3] * 3 + [2] * 4


def test_dense_and_sparse_movielens(data_dir):
    """Belal et al. have 579 people at 0.64 and 201 at 0.99."""
    dense = load("ml-100k", data_dir=data_dir, cluster="densest", top_items=480)
    assert (dense.people, dense.items) == (283, 480)
    assert round(1 - dense.density, 2) == 0.64
    sparse = load("ml-100k", data_dir=data_dir, cluster="sparsest", clusters=7, cluster_by="number")
    assert sparse.people == 199
    assert round(1 - len(sparse) / sparse.people / 1682, 2) == 0.99
