"""Interactions as plain rows, for tests to compare."""

import numpy as np

from sottovoce.data.interactions import Interactions


def facts(data: Interactions) -> list[tuple[str, str, float, int]]:
    """Who, what, value and time of every interaction, in order."""
    who = np.repeat(data.users, np.diff(data.indptr)).tolist()
    what = data.catalog.ids[data.item].tolist()
    return list(zip(who, what, data.value.tolist(), data.time.tolist(), strict=True))
