"""Popularity: everybody is recommended what most people have. The baseline beside every result.

An item's row holds how often it was consumed and the sum of its ratings. It learns nothing personal, so a
model that is no better has learnt nothing personal either. An item's predicted rating is the mean of its
ratings and one imagined rating in the middle of the scale.
"""

import math
from typing import Any, NamedTuple

from sottovoce.models.interface import (
    Context,
    Shape,
    own_items,
    predict,
    resolve,
    score,
    shape,
    start_row,
    start_user,
    touched,
    train,
)
from sottovoce.registry import component
from sottovoce.state import locate


@component("model", "popularity")
class Popularity(NamedTuple):
    """Rank by the number of interactions, predict the mean rating."""

    middle: float = math.nan
    """The imagined rating; by default the middle of the data's scale."""


@resolve.rule(Popularity)
def _resolve(model: Popularity, context: Context) -> Any:
    return model._replace(middle=(context.low + context.high) / 2) if math.isnan(model.middle) else model


@shape.rule(Popularity)
def _shape(model: Popularity) -> Shape:
    return Shape(row=2, head=0, user=0)


@start_row.rule(Popularity)
def _start_row(model, row, key):
    row[:] = 0


@start_user.rule(Popularity)
def _start_user(model, user, key):
    user[:] = 0


@touched.rule(Popularity)
def _touched(model, tables, slot, people, person, run):
    own_items(tables, slot, people, person)


@train.rule(Popularity)
def _train(model, tables, slot, people, person, run):
    begin, end = people.indptr[person], people.indptr[person + 1]
    for n in range(begin, end):
        j = locate(tables, slot, people.item[n])
        tables.rows[j, 0] += 1
        tables.rows[j, 1] += people.value[n]
        tables.age[j] += 1
    return end - begin


@score.rule(Popularity)
def _score(model, tables, slot, people, person, item):
    return tables.rows[locate(tables, slot, item), 0]


@predict.rule(Popularity)
def _predict(model, tables, slot, people, person, item):
    row = tables.rows[locate(tables, slot, item)]
    return (row[1] + model.middle) / (row[0] + 1)
