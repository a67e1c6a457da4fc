"""Blocks of participants: everybody in one, and about as much work for however many threads."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.protocols._blocks import BLOCKS, CHUNKS, divide


@given(st.lists(st.integers(0, 60), max_size=6), st.integers(0, 99))
def test_every_chunk_is_in_a_block(sizes, seed):
    rng = np.random.default_rng(seed)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 60))])
    persons = np.concatenate([rng.permutation(60)[:size] for size in sizes] + [np.empty(0, np.int64)])
    place = divide(indptr, first, persons)
    assert place.shape == (len(sizes), max(sizes, default=0))
    for group, size in zip(place, sizes, strict=True):
        assert ((group[:size] >= 0) & (group[:size] < BLOCKS)).all()


def test_threads_have_about_as_much_to_do():
    """Groups of 20 with the skew of MovieLens 100K, and a crowd that is cut into chunks."""
    rng = np.random.default_rng(1)
    counts = 20 + rng.exponential(86, 943).astype(np.int64)
    indptr, persons = np.concatenate([[0], np.cumsum(counts)]), rng.permutation(943)
    first = np.arange(0, 941, 20)
    for group, begin in zip(divide(indptr, first, persons), first, strict=False):
        work = np.bincount(group, 1 + counts[persons[begin : begin + 20]], BLOCKS)
        halves = work.reshape(2, -1).sum(axis=1)
        assert halves.max() < 1.05 * halves.mean()
    crowd = divide(indptr, np.array([0, 943]), persons)
    assert crowd.shape == (1, CHUNKS)
    chunks = np.arange(CHUNKS + 1) * 943 // CHUNKS
    work = np.bincount(crowd[0], np.add.reduceat(1 + counts[persons], chunks[:-1]), BLOCKS)
    assert work.max() < 1.05 * work.mean()
