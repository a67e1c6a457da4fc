"""What the references from other libraries share: the data as they take it, and their threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.evaluate.references.interface import Scorer
from sottovoce.kernels import threads
from sottovoce.state import Floats


def consumed(train: Interactions) -> Any:
    """Who has what: a sparse matrix [people, items] with 1 for every pair, however often it occurs."""
    from scipy.sparse import csr_matrix

    ones = np.ones(len(train), np.float32)
    # A copy, because what follows sorts items in place, and they are those that the run trains on.
    matrix = csr_matrix((ones, train.item, train.indptr), shape=(train.people, train.items), copy=True)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def neighbours(matrix: Any, k: int) -> Any:
    """The cosine of each column with the k columns most like it: a sparse matrix, a row for each."""
    from implicit.nearest_neighbours import ItemItemRecommender
    from scipy.sparse import diags_array

    # The length of a column of ones and zeros; nobody has what has length 0.
    lengths = np.sqrt(np.maximum(np.asarray(matrix.sum(axis=0), np.float64).ravel(), 1))
    scaled = (matrix @ diags_array(1 / lengths)).tocsr()
    with limited() as count:
        model = ItemItemRecommender(K=k + 1, num_threads=count)  # each is most like itself
        model.fit(scaled, show_progress=False)
    return model.similarity


@contextmanager
def limited() -> Iterator[int]:
    """How many threads a library may start. BLAS gets one: figures must not depend on the number."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield threads()


def products(person: Floats, item: Floats) -> Scorer:
    """The scorer of a factorization: a person's vector times an item's."""

    def score(begin: int, end: int) -> Floats:
        with limited():
            scores: Floats = person[begin:end] @ item.T
            return scores

    return score
