"""Shared by references from other libraries: the data as a sparse matrix, and limits on threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.kernels import threads
from sottovoce.state import Floats


def consumed(train: Interactions) -> Any:
    """A sparse matrix [people, items] with 1 for each pair in the data, even if it repeats."""
    from scipy.sparse import csr_matrix

    ones = np.ones(len(train), np.float32)
    # A copy, because the next line sorts items in place, and the run trains on them too.
    matrix = csr_matrix((ones, train.item, train.indptr), shape=(train.people, train.items), copy=True)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def neighbours(matrix: Any, k: int) -> Any:
    """The cosine of each column with its k most similar columns: a sparse matrix [columns, columns]."""
    from implicit.nearest_neighbours import ItemItemRecommender
    from scipy.sparse import diags_array

    # The lengths of columns of ones and zeros; an empty column gets 1 to avoid a division by zero.
    lengths = np.sqrt(np.maximum(np.asarray(matrix.sum(axis=0), np.float64).ravel(), 1))
    scaled = (matrix @ diags_array(1 / lengths)).tocsr()
    with limited() as count:
        model = ItemItemRecommender(K=k + 1, num_threads=count)  # each column is most similar to itself
        model.fit(scaled, show_progress=False)
    return model.similarity


@contextmanager
def limited() -> Iterator[int]:
    """The number of threads that a library may use. BLAS gets one, so that results do not depend on it."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield threads()


def products(person: Floats, item: Floats) -> Scorer:
    """The scorer of a factorization: the product of a person's and an item's vector."""

    def score(begin: int, end: int) -> Floats:
        with limited():
            scores: Floats = person[begin:end] @ item.T
            return scores

    return score
