"""Put given scores into models, so that the usual evaluation can use them.

Each person has a table with rows of one number: the score of the item. All scores are in memory at once,
because metrics such as item coverage need the lists of all people together.
"""

from typing import NamedTuple

import numpy as np

from sottovoce.data.interactions import Interactions
from sottovoce.data.split import Split
from sottovoce.evaluate.references.interface import Choosing, Reference, Scorer
from sottovoce.models.interface import score
from sottovoce.state import People, Tables, each_alone, locate, new_people, new_weighting, whole

BLOCK = 1 << 22
"""The number of scores that are computed at a time."""


class Given(NamedTuple):
    """A model whose rows are the scores."""


@score.rule(Given)
def _score(model, tables, slot, people, person, item):
    return tables.rows[locate(tables, slot, item), 0]


class Scored(NamedTuple):
    """The arguments of `evaluate`."""

    model: Given
    tables: Tables
    people: People


def memory_needed(reference: Reference, data: Interactions) -> int:
    """Bytes that `scored` needs: the scores of all people and items, and the memory for fitting."""
    return data.people * data.items * 4 + 3 * BLOCK * 8 + reference.memory_needed(data.people, data.items)


def scored(reference: Reference, split: Split, seed: int) -> Scored:
    """Fit a reference to the training set of a split, and compute all scores."""
    train = split.train
    fitted = reference.choose(split, seed) if isinstance(reference, Choosing) else reference
    return given(fitted.fit(train, seed), train, split.weighting)


def given(scorer: Scorer, train: Interactions, weighting: Interactions | None = None) -> Scored:
    """The scores of all people for all items; 0 for people without training data."""
    count, items = train.people, train.items
    tables = whole(count, items, width=1, head=0)
    rows = tables.rows.reshape(count, items)
    block = max(1, BLOCK // max(1, items))
    for begin in range(0, count, block):
        end = min(begin + block, count)
        rows[begin:end] = scorer(begin, end)
    rows[np.diff(train.indptr) == 0] = 0
    aside = new_weighting(count, weighting)
    everybody = new_people(0, train.indptr, train.item, train.value, each_alone(count), aside)
    return Scored(Given(), tables, everybody)
