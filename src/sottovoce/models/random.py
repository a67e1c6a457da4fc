"""Random: scores by chance, fixed for each person and item. The baseline of a model that knows nothing."""

import math
from typing import Any, NamedTuple

from sottovoce.kernels import RANDOM, stream, uniform
from sottovoce.models.interface import (
    Context,
    Shape,
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


@component("model", "random")
class Random(NamedTuple):
    """Rank by chance, predict a rating by chance."""

    low: float = math.nan
    """The lowest possible rating; by default as the data says."""
    high: float = math.nan
    """The highest possible rating; by default as the data says."""
    seed: int = 0
    """The seed of the scores."""


@resolve.rule(Random)
def _resolve(model: Random, context: Context) -> Any:
    return model._replace(low=context.low, high=context.high) if math.isnan(model.low) else model


@shape.rule(Random)
def _shape(model: Random) -> Shape:
    return Shape(row=1, head=0, user=0)


@start_row.rule(Random)
def _start_row(model, row, key):
    row[:] = 0


@start_user.rule(Random)
def _start_user(model, user, key):
    user[:] = 0


@touched.rule(Random)
def _touched(model, tables, slot, people, person, run):
    pass


@train.rule(Random)
def _train(model, tables, slot, people, person, run):
    return 0


@score.rule(Random)
def _score(model, tables, slot, people, person, item):
    return uniform(stream(model.seed, RANDOM, people.key[person], 0), item)


@predict.rule(Random)
def _predict(model, tables, slot, people, person, item):
    return model.low + (model.high - model.low) * uniform(
        stream(model.seed, RANDOM, people.key[person], 0), item
    )
