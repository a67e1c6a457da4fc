"""Small communities of people who walk from place to place."""

import numpy as np

from sottovoce.data.interactions import Catalog, Interactions

HOUR = 3600


def walks(
    people: int = 10, items: int = 15, length: int = 14, seed: int = 1, stray: float = 0.5
) -> Interactions:
    """People who go from each place to the next one of a ring, or now and then anywhere; it takes hours.

    They may stay where they are, and pairs of people have made the same number of visits.
    """
    rng = np.random.default_rng(seed)
    places = np.empty((people, length), np.int32)
    places[:, 0] = rng.integers(0, items, people)
    for n in range(1, length):
        anywhere = rng.random(people) < stray
        places[:, n] = np.where(anywhere, rng.integers(0, items, people), (places[:, n - 1] + 1) % items)
    times = 1_300_000_000 + np.cumsum(rng.integers(1, 10 * HOUR, places.shape), axis=1)
    around = 2 * np.pi * np.arange(items) / items
    coordinates = np.stack([40.7 + 0.1 * np.sin(around), -74 + 0.1 * np.cos(around)], 1)
    return Interactions(
        name="walks",
        indptr=np.arange(people + 1) * length,
        item=places.ravel(),
        value=np.ones(places.size, np.float32),
        time=times.ravel(),
        users=np.arange(people).astype(str),
        catalog=Catalog("walks", np.arange(items).astype(str), coordinates=coordinates.astype(np.float32)),
        scale=(0.0, 1.0),
    )
