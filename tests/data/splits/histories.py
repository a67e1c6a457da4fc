"""Communities from lists of items, and random ones."""

import numpy as np
from hypothesis import strategies as st

from sottovoce.data.interactions import Catalog, Interactions, build

ITEMS = 30


def community(histories: list[list[int]], items: int = ITEMS) -> Interactions:
    pairs = [(person, item) for person, history in enumerate(histories) for item in history]
    user, item = zip(*pairs, strict=True)
    catalog = Catalog("c", np.array([str(n) for n in range(items)]))
    return build("c", user, item, np.arange(len(pairs)) % 5 + 1, catalog=catalog)


histories = st.lists(st.lists(st.integers(0, ITEMS - 1), min_size=1, max_size=40), min_size=1, max_size=12)


def rows_of(data: Interactions, person: int) -> list[tuple[int, float]]:
    part = slice(data.indptr[person], data.indptr[person + 1])
    return list(zip(data.item[part].tolist(), data.value[part].tolist(), strict=True))
