"""Who resembles whom? People are compared by what they sent (Belal et al. 2023).

Belal, Maouche, Ben Mokhtar and Simonet-Boulogne (arXiv:2306.08929) choose a set of items, and find the people
who like these items by comparing the models that people send, without training anything. They report up to 10
times guessing in federation, and about 3 times under gossip. Here senders are compared with each other, so
what can be compared with their figures is the quotient of success and guessing, and not success itself.

The observer adds up what each sender changed, and compares senders by the cosine of these sums: as whole
changes, as the lengths of the changes of rows, which do not depend on the direction of the person's vector,
or as how often each row changed. An observer who found out people's items compares these instead. The k most
similar senders are named as neighbours. The true neighbours are the k senders whose sets of items have the
highest Jaccard similarity, and all who are as similar as the last of them. Guessing names k of the others.
People who share no item with k others do not count.

Some people resemble many others, so people are not independent of each other and the interval is too narrow:
for random messages, it holds the figure of guessing in about 9 of 10 cases, and not in 19 of 20.
"""

import numpy as np

from sottovoce.evaluate.audit.changes import Changes, lengths, summed, times_seen
from sottovoce.evaluate.audit.figures import Figure, over_people, strongest
from sottovoce.state import Bools, Doubles, Floats, Longs

NEIGHBOURS = 10
"""k; with fewer than 2 k people, a half of them."""


def whole_changes(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, P]: the cosine of what targets changed in all."""
    found = [
        summed(changes, column, targets, items).astype(np.float32)
        for column in changes.change.T.astype(np.float64)
    ]
    return cosine(np.concatenate(found, axis=1))


def row_lengths(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, P]: the cosine of how far targets moved each row."""
    return cosine(summed(changes, lengths(changes), targets, items).astype(np.float32))


def same_rows(changes: Changes, targets: int, items: int) -> Doubles:
    """[P, P]: the cosine of how often targets changed each row."""
    return cosine(times_seen(changes, targets, items).astype(np.float32))


WAYS = {"whole changes": whole_changes, "row lengths": row_lengths, "same rows": same_rows}


def attack(similarity: Doubles, own: Bools, person: Longs) -> Figure:
    """The share of true neighbours among those named by `similarity` [P, P].

    `own` [P, items] is what targets have, `person` [P] who they are; everybody is a target once.
    """
    targets = len(similarity)
    if targets < 2:
        return over_people(np.full(targets, np.nan), np.full(targets, np.nan), person)
    count = min(NEIGHBOURS, targets // 2)
    named = strongest(_others(similarity), np.full(targets, count))
    likeness = _others(jaccard(own))
    last = np.sort(likeness, axis=1)[:, [-count]]
    true = likeness >= last
    found = np.where(last[:, 0] > 0, (named * true).sum(axis=1) / count, np.nan)
    return over_people(found, true.sum(axis=1) / (targets - 1), person)


def cosine(traits: Floats) -> Doubles:
    """[P, P]: the cosine of the rows of `traits`; 0 for a row of zeros."""
    length = np.sqrt((traits.astype(np.float64) ** 2).sum(axis=1))
    unit = (traits / np.maximum(length, 1e-300)[:, None]).astype(np.float32)
    return np.asarray(unit @ unit.T, np.float64)


def jaccard(own: Bools) -> Doubles:
    """[P, P]: |A ∩ B| / |A ∪ B| of people's sets of items."""
    shared = (own.astype(np.float32) @ own.T.astype(np.float32)).astype(np.float64)
    held = own.sum(axis=1)
    return np.asarray(shared / np.maximum(held[:, None] + held - shared, 1))


def _others(similarity: Doubles) -> Doubles:
    """The same, without the similarity of people to themselves."""
    return np.where(np.eye(len(similarity), dtype=np.bool_), -np.inf, similarity)
