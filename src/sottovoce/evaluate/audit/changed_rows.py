"""Which items does a person have? The rows that changed tell.

The observer is the server, which receives updates, or a neighbour, who subtracts two models of the same
sender. The observer knows the catalogue and how many interactions are behind a message, because that number
is sent with it. Nothing else is assumed: no other people's data, and no model to compare with.

A training changes the rows of a person's items and of items that are drawn as negatives. Several ways to tell
them apart give each item a score:

| way        | score of an item                                                                 |
|------------|----------------------------------------------------------------------------------|
| `changed`  | 1 if its row changed at all                                                      |
| `repeated` | in how many messages its row changed: negatives are drawn anew for each training |
| `every`    | the share of messages in which its row changed, and if all: how rarely others' did |
| `length`   | how far its row moved on average                                                 |
| `side`     | on which side its change lies, along the direction that most changes share       |
| `rare side` | on the other side, for people who withhold some rows of their items                |
| `age`      | by how much the row's age grew                                                   |
| `unusual`  | by how much the row's age grew, less the mean over other people                  |
| `never`    | 1 if its row never changed: one's own items are never drawn as negatives         |

`side` follows from the gradients. In matrix factorization and GMF the change of a row is a number times one
vector of the person, for all rows. The number is positive for an item of the person, and negative for a
negative. The shared direction is the first singular vector of the changes. Which of its two sides is positive
is not known: it is the side whose rows changed in more messages, or after one message the smaller side,
because there are several negatives for each item. If people withhold rows of their own items at random, these
change less often than negatives, and it is the other side (`rare side`).

`never` works if a step hides the rows of one's own items: then the hidden ones stand out after many rounds.

`changed`, and the ways of `pairs` and `withheld`, give chances, and name the items that chances suggest. The
other ways name as many items as the person has, those with the highest scores. Guessing names as many items,
drawn from the catalogue.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sottovoce.evaluate.audit.changes import Changes, always, lengths, shared_direction, summed, times_seen
from sottovoce.evaluate.audit.figures import Figure, over_people, strongest, taken_for_another
from sottovoce.evaluate.audit.pairs import likeliest
from sottovoce.state import Bools, Doubles, Longs


class Found(NamedTuple):
    """How many of the named items are right, and how many of a person's items are named."""

    precision: Figure
    recall: Figure


def changed(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: 1 for rows that changed."""
    return (times_seen(changes, targets, items) > 0).astype(np.float64)


def repeated(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: in how many messages a row changed."""
    return times_seen(changes, targets, items)


def every(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: in which share of the target's messages a row changed.

    A row that changed in all of them has 1 more, and less the mean share of the other targets. This is the
    intersection of a target's messages, with the rows in front that are not in everybody's.
    """
    share = times_seen(changes, targets, items) / np.maximum(always(changes, targets), 1)[:, None]
    others = (share.sum(axis=0) - share) / max(1, targets - 1)
    return np.where(share == 1, 2 - others, share)


def length(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: how far a row moved in a message, on average over the messages that changed it."""
    seen = times_seen(changes, targets, items)
    return summed(changes, lengths(changes), targets, items) / np.maximum(seen, 1)


def side(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: the sum of the row's changes along the direction that most changes of a message share."""
    if not len(changes.item):
        return np.zeros((targets, items))
    _, message = np.unique(changes.message, return_inverse=True)
    count = int(message.max()) + 1
    along = _projected(changes.change.astype(np.float64), message, count)
    along /= np.maximum(_mean(np.abs(along), message, count), 1e-300)[message]
    seen = times_seen(changes, targets, items)[changes.target, changes.item]
    up, down = along > 0, along < 0
    more_often = _mean(seen, message, count, up) - _mean(seen, message, count, down)
    fewer = np.bincount(message, down, count) - np.bincount(message, up, count)
    positive = np.where(more_often != 0, more_often, fewer) >= 0
    return summed(changes, np.where(positive[message], along, -along), targets, items)


def rare_side(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: `side`, if the positive side is the one whose rows changed in fewer messages."""
    return -side(changes, targets, items)


def age(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: by how much the row's age grew."""
    return summed(changes, changes.growth.astype(np.float64), targets, items)


def unusual(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: by how much the row's age grew, less the mean growth of this row over all targets."""
    grown = age(changes, targets, items)
    return np.asarray(grown - grown.mean(axis=0) * (targets > 1))


def never(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, items]: 1 for rows that never changed; 0 everywhere for a target none of whose rows changed."""
    seen = times_seen(changes, targets, items) > 0
    some = seen.any(axis=1, keepdims=True)
    return np.asarray(~seen & some, np.float64)


WAYS: dict[str, Callable[[Changes, int, int], Doubles]] = {
    "changed": changed,
    "repeated": repeated,
    "every": every,
    "length": length,
    "side": side,
    "rare side": rare_side,
    "age": age,
    "unusual": unusual,
    "never": never,
}


CHANCES = ("changed", "rose", "unseen", "likely", "withheld", "everything")
"""Ways whose scores are chances."""


def named(way: str, scores: Doubles, count: Longs) -> Doubles:
    """[P, items]: 1 for items that are named; `count` [P] is how many each target is known to have."""
    return likeliest(scores) if way in CHANCES else strongest(scores, np.clip(count, 1, scores.shape[1]))


def attack(way: str, scores: Doubles, count: Longs, own: Bools, person: Longs) -> Found:
    """How well `scores` [P, items] of a way find the items `own` [P, items].

    `count` [P] is how many items each target is known to have, `person` [P] who the target is.
    """
    items, chosen = own.shape[1], named(way, scores, count)
    right, total, held = (chosen * own).sum(axis=1), chosen.sum(axis=1), own.sum(axis=1)
    other = taken_for_another(chosen, person)
    also = (other * own).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = right / total, right / held
        another = also / other.sum(axis=1), also / held
    return Found(
        over_people(precision, held / items, person, another[0]),
        over_people(recall, total / items, person, another[1]),
    )


def _projected(rows: Doubles, message: Longs, count: int) -> Doubles:
    """[R]: each row along the first singular vector of its message."""
    direction = shared_direction(message, rows, count)
    return np.asarray((rows * direction[message]).sum(axis=1))


def _mean(values: Doubles, message: Longs, count: int, among: Bools | None = None) -> Doubles:
    """[count]: the mean of the values of each message; 0 where there is none."""
    weight = np.ones(len(values)) if among is None else among.astype(np.float64)
    total = np.bincount(message, values * weight, count)
    return np.asarray(total / np.maximum(np.bincount(message, weight, count), 1))
