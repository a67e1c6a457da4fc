"""Which items does a person have? What updates of pair-wise ranking (`bpr`) tell, by the signs of biases.

A triple lifts the bias of an item that the person has, and lowers that of a sampled one that the person has
not. Steps may withhold the first of the two (`positive-feedback`). The second is always sent, as
Anelli et al. (2020) hold it to tell nothing sensitive (Section 3.1.2). Here each way gives an item the chance
that the person has it:

| way      | chance of an item                                                                     |
|----------|---------------------------------------------------------------------------------------|
| `rose`   | 1 if its bias rose in a message                                                       |
| `unseen` | of those whose bias never fell, from how many sampled items were seen                 |
| `likely` | `unseen` and 1 if its bias rose; the rest by how many others have the item            |

Sampled items are drawn from the M items that a person has not. One of them is missed by all of D draws with
probability (1 − 1/M)ᴰ, one's own item with probability 1. By Bayes' rule the chance of an item that
never fell is o / (o + (1 − 1/M)ᴰ) with prior odds o. The observer knows how many items people have on
average: the number of triples, or of aggregations in an epoch, says it. It counts a row that changed as one
draw.

Named are as many of the likeliest items as give the highest expected F1, which needs no truth.
"""

import numpy as np

from sottovoce.evaluate.audit.changes import Changes, summed
from sottovoce.state import Doubles

LEAST = 0.5
"""How many items are expected to be withheld at least, by somebody who has disclosed more than the mean."""


def rose(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: 1 for items whose bias rose in a message."""
    return (summed(changes, _up(changes), targets, items) > 0).astype(np.float64)


def fell(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: 1 for items whose bias fell in a message, which the person does not have."""
    return (summed(changes, _down(changes), targets, items) > 0).astype(np.float64)


def unseen(changes: Changes, targets: int, items: int, held: float) -> Doubles:
    """[P, items]: the chance of each item that never fell, whether it rose or not.

    `held` is how many items people have on average.
    """
    prior = np.full((targets, items), held / items)
    return np.where(fell(changes, targets, items) > 0, 0.0, _chance(changes, prior, held))


def likely(changes: Changes, targets: int, items: int, held: float) -> Doubles:
    """[P, items]: 1 for items that rose; what else a person has is likelier among what rose for others."""
    up, down = rose(changes, targets, items), fell(changes, targets, items)
    left = np.maximum(held - up.sum(axis=1, keepdims=True), LEAST)
    weight = np.where(up + down > 0, 0.0, 1 + up.sum(axis=0))
    prior = left * weight / np.maximum(weight.sum(axis=1, keepdims=True), 1)
    return np.where(up > 0, 1.0, np.where(down > 0, 0.0, _chance(changes, prior, held)))


def likeliest(chance: Doubles) -> Doubles:
    """[P, items]: 1 for the items with the highest `chance` [P, items], as many as make the expected F1,
    2 Σ_named p / (number named + Σ p), as large as possible."""
    ordered = -np.sort(-chance, axis=1)
    expected = np.cumsum(ordered, axis=1)
    total = expected[:, [-1]]
    with np.errstate(invalid="ignore"):
        f1 = expected / (np.arange(1, chance.shape[1] + 1) + total)
    lowest = np.take_along_axis(ordered, f1.argmax(axis=1)[:, None], axis=1)
    return np.asarray((chance >= lowest) & (chance > 0), np.float64)


def _chance(changes: Changes, prior: Doubles, held: float) -> Doubles:
    """[P, items]: the chance of items that never fell, after all draws of each target."""
    targets, items = prior.shape
    draws = np.bincount(changes.target, _down(changes), targets)
    missed = np.exp(draws * np.log1p(-1 / max(2.0, items - held)))[:, None]
    odds = prior / np.maximum(1 - prior, 1e-9)
    return np.asarray(odds / (odds + missed))


def _up(changes: Changes) -> Doubles:
    return (changes.change[:, -1] > 0).astype(np.float64)


def _down(changes: Changes) -> Doubles:
    return (changes.change[:, -1] < 0).astype(np.float64)
