"""`rating` holds out random ratings of each person."""

from hypothesis import given
from hypothesis import strategies as st

from sottovoce import kernels
from sottovoce.data.interactions import Interactions
from sottovoce.data.splits.rating import Rating
from tests.data.splits.histories import community, histories, rows_of


def rating_reference(data: Interactions, holdout: int, seed: int, person: int) -> list[int]:
    """The held-out places: each place in turn, with the chance that is left over places left."""
    key = kernels.stream(seed, kernels.SPLIT, person, 0)
    count = len(rows_of(data, person))
    chosen: list[int] = []
    for n in range(count if count > holdout else 0):
        if kernels.uniform(key, n) < (holdout - len(chosen)) / (count - n):
            chosen.append(n)
    return chosen


@given(histories, st.integers(1, 12), st.integers(0, 2**31))
def test_rating(histories: list[list[int]], holdout: int, seed: int) -> None:
    data = community(histories)
    split = Rating(holdout).split(data, seed)
    for person in range(data.people):
        rows = rows_of(data, person)
        chosen = rating_reference(data, holdout, seed, person)
        assert len(chosen) == (holdout if len(rows) > holdout else 0)
        assert rows_of(split.test, person) == [rows[n] for n in chosen]
        assert rows_of(split.train, person) == [row for n, row in enumerate(rows) if n not in chosen]
    assert split.weighting is None
    assert split.candidates.shape == (len(split.test), 0)
    assert split.weighting_candidates.shape == (0, 0)
