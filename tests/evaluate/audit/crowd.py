"""Made-up people with items, and messages about them whose content is known."""

import numpy as np

from sottovoce.evaluate.audit.changes import Changes


def owned(people=40, items=60, share=0.15, seed=1):
    """[people, items]: who has what; everybody has at least one item."""
    rng = np.random.default_rng(seed)
    own = rng.random((people, items)) < share
    own[np.arange(people), np.arange(people) % items] = True
    return own


def changes(marked, rows, growth=None):
    """Changes of the rows where `marked` [rounds, people, items] is true; `rows` is [rounds, …, items, w]."""
    time, target, item = np.nonzero(marked)
    message = time * marked.shape[1] + target
    grown = np.ones(len(item), np.int64) if growth is None else growth[time, target, item]
    return Changes(target, time, message, item, rows[time, target, item].astype(np.float32), grown)


def sampled(own, rounds, seed=2, width=3, negatives=3, sides=True):
    """Messages as implicit models make them: own items move towards the person's vector, negatives away."""
    rng = np.random.default_rng(seed)
    people, items = own.shape
    marked = np.zeros((rounds, people, items), bool)
    drawn = rng.random((rounds, people, items)) < negatives * own.mean()
    marked[:] = own | drawn
    vectors = rng.normal(size=(people, 1, width))
    sign = np.where(own, 1.0, -1.0) if sides else rng.choice([-1.0, 1.0], own.shape)
    size = rng.uniform(0.5, 1.5, (rounds, people, items))[..., None]
    return changes(marked, size * sign[..., None] * vectors)


def noise(own, rounds, seed=3, width=3):
    """Messages that have nothing to do with what people have."""
    rng = np.random.default_rng(seed)
    marked = rng.random((rounds, *own.shape)) < 0.3
    return changes(marked, rng.normal(size=(rounds, *own.shape, width)), rng.integers(1, 5, marked.shape))
