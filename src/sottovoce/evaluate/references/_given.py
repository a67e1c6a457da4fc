"""Scores that something else computed, as models that the usual evaluation takes.

Everybody has a table of rows one number wide, and the row of an item is its score. All scores are
there at once, because metrics such as item coverage look at everybody's lists together.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.data.split import Split
from sottovoce.evaluate.references.interface import Reference, Scorer
from sottovoce.models import score
from sottovoce.state import People, Tables, locate, people, whole

BLOCK = 1 << 22
"""Scores that are computed at a time."""


class Given(NamedTuple):
    """The model whose score of an item is the item's row."""


@score.rule(Given)
def _score(model, tables, slot, people, person, item):
    return tables.rows[locate(tables, slot, item), 0]


class Scored(NamedTuple):
    """What `evaluate` asks for."""

    model: Given
    tables: Tables
    people: People


def memory_needed(reference: Reference, data: Interactions) -> int:
    """Bytes that `scored` needs: everybody's score of everything, and what fitting takes."""
    return data.people * data.items * 4 + 3 * BLOCK * 8 + reference.memory_needed(data.people, data.items)


def scored(reference: Reference, split: Split, seed: int) -> Scored:
    """Fit a reference to the training part of a split, and write down everybody's scores."""
    train = split.train
    return given(reference.fit(train, seed), train, split.weighting)


def given(scorer: Scorer, train: Interactions, weighting: Interactions | None = None) -> Scored:
    """Everybody's scores of everything; zero for those who have no training data."""
    count, items = train.people, train.items
    tables = whole(count, items, width=1, head=0)
    rows = tables.rows.reshape(count, items)
    block = max(1, BLOCK // max(1, items))
    for begin in range(0, count, block):
        end = min(begin + block, count)
        rows[begin:end] = scorer(begin, end)
    rows[np.diff(train.indptr) == 0] = 0
    host = np.arange(count, dtype=np.int32)
    everybody = people(0, train.indptr, train.item, train.value, host, count, weighting)
    return Scored(Given(), tables, everybody)
