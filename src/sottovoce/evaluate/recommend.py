"""Recommend items: the best ones of each person's model that the person does not have yet."""

from typing import Any, NamedTuple

import numpy as np

from sottovoce.evaluate.scoring import forget_known
from sottovoce.kernels import driver, helper, prange
from sottovoce.models.interface import score_all
from sottovoce.state import Floats, Ints, People, Tables, opened, slots_of


class Recommendations(NamedTuple):
    """A list for each person, best first. −1 with the score NaN fills up short lists."""

    item: Ints  # [U, n]
    score: Floats  # [U, n]


@helper
def _behind(items, scores, a, b):
    """Whether entry a comes after entry b: its score is lower, or equal and its number is higher."""
    return scores[a] < scores[b] or (scores[a] == scores[b] and items[a] > items[b])


@helper
def _swap(items, scores, a, b):
    items[a], items[b] = items[b], items[a]
    scores[a], scores[b] = scores[b], scores[a]


@helper
def _sink(items, scores, at, size):
    """Restore the heap below entry `at`. It has `size` entries, with the worst at the top."""
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _behind(items, scores, child + 1, child):
            child += 1
        if not _behind(items, scores, child, at):
            break
        _swap(items, scores, at, child)
        at = child


@helper
def select(every, items, scores):
    """Write the best of the scores `every`, best first, to `items` [n] and `scores` [n]. NaN is left out."""
    size = 0
    for j in range(len(every)):
        if size < len(items):
            if not np.isnan(every[j]):
                items[size], scores[size] = j, every[j]
                size += 1
                if size == len(items):
                    for at in range(size // 2 - 1, -1, -1):
                        _sink(items, scores, at, size)
        elif every[j] > scores[0]:  # with an equal score, the lower number stays
            items[0], scores[0] = j, every[j]
            _sink(items, scores, 0, size)
    if size < len(items):
        items[size:] = -1
        scores[size:] = np.nan
        for at in range(size // 2 - 1, -1, -1):
            _sink(items, scores, at, size)
    for end in range(size - 1, 0, -1):
        _swap(items, scores, 0, end)
        _sink(items, scores, 0, end)


@driver
def top(model, tables, people, slot_of, items, out_item, out_score):
    """Write each person's best items of a catalogue of `items`, and their scores, to arrays [U, n]."""
    for index in prange(len(slot_of)):
        person = np.int64(index)
        every = np.empty(items, np.float32)
        score_all(model, opened(tables, slot_of[person]), 0, people, person, every)
        forget_known(every, people, person)
        select(every, out_item[person], out_score[person])


def recommend(model: Any, tables: Tables, people: People, items: int, n: int) -> Recommendations:
    """The `n` best of `items` items for each person, without training and weighting items.

    Items with equal scores are sorted by number. Items with the score NaN are left out.
    """
    count = len(people.steps)
    lists = Recommendations(np.empty((count, n), np.int32), np.empty((count, n), np.float32))
    if n:
        top(model, tables, people, slots_of(people), items, lists.item, lists.score, batch=count)
    return lists
