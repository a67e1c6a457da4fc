"""Communities with times, and random ones."""

import numpy as np
from hypothesis import strategies as st

from sottovoce.data.interactions import Catalog, Interactions, build

ITEMS = 20


events = st.lists(
    st.lists(st.tuples(st.integers(0, ITEMS - 1), st.integers(0, 4)), min_size=1, max_size=15),
    min_size=1,
    max_size=10,
)


def community(histories: list[list[tuple[int, int]]]) -> Interactions:
    """Each person's items with their times; values number the rows as the source lists them."""
    rows = [(person, item, time) for person, own in enumerate(histories) for item, time in own]
    user, item, time = zip(*rows, strict=True)
    catalog = Catalog("c", np.array([str(n) for n in range(ITEMS)]))
    return build("c", user, item, np.arange(len(rows)), time, catalog=catalog, scale=(0, len(rows)))


def values_of(data: Interactions, person: int) -> list[float]:
    return data.value[data.indptr[person] : data.indptr[person + 1]].tolist()
