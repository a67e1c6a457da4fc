"""Every person's own model against the person's own held-out data.

With candidates (`local-holdout`), each held-out item is ranked among its own candidates: HR@K and
NDCG@K of a person are the means over the person's items, the overall figure is the mean over
people. Without candidates (`rating`), the overall RMSE is that of all held-out ratings together
(Section 6.5, Hegedűs et al. 2019), and a person's is that of the own ratings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.errors import DataError
from sottovoce.evaluate.ranking import averages, ranks
from sottovoce.evaluate.rating import squared_errors
from sottovoce.evaluate.scoring import slots_of
from sottovoce.state import People, Tables

if TYPE_CHECKING:
    from sottovoce.data.split import Split


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Metrics by name, such as "hr@20", overall and for each person (NaN: nothing was held out)."""

    metrics: dict[str, float]
    per_user: dict[str, NDArray[np.float64]]


def evaluate(
    model: Any, tables: Tables, people: People, split: "Split", ks: Sequence[int] = (5, 10, 20)
) -> Evaluation:
    """How good everybody's model is on the test part of `split`, ranked lists at each of `ks`."""
    _check(split, people)
    if split.candidates.shape[1]:
        return _ranking(model, tables, people, split, ks)
    return _rating(model, tables, people, split)


def _check(split: "Split", people: People) -> None:
    """Compiled code does not look whether an index is in range."""
    test, count = split.test, len(people.steps)
    where = f"The split {split.name!r}"
    if test.people != count:
        raise DataError(f"{where} is for {test.people} people, the models are those of {count}.")
    if len(split.candidates) != len(test):
        problem = f"{where} has {len(test)} test items and {len(split.candidates)} rows of candidates."
        raise DataError(problem, "Give each test item a row, filled up with −1 where it is short.")
    highest = max(test.item.max(initial=-1), split.candidates.max(initial=-1))
    if test.item.min(initial=0) < 0 or highest >= test.items:
        problem = f"{where} has items that are not in the catalogue of {test.items} items."
        raise DataError(problem, "Number items from 0.")


def _ranking(model: Any, tables: Tables, people: People, split: "Split", ks: Sequence[int]) -> Evaluation:
    test, count = split.test, len(people.steps)
    places = np.empty(len(test), np.int32)
    arguments = (slots_of(people), test.items, test.indptr, test.item, split.candidates, places)
    ranks(model, tables, people, *arguments, batch=count)
    hr, ndcg = np.empty((len(ks), count)), np.empty((len(ks), count))
    averages(test.indptr, places, np.array(ks, np.int64), hr, ndcg, batch=count)
    per_user = {f"hr@{k}": row for k, row in zip(ks, hr, strict=True)}
    per_user |= {f"ndcg@{k}": row for k, row in zip(ks, ndcg, strict=True)}
    asked = np.diff(test.indptr) > 0
    return Evaluation({name: _mean(row[asked]) for name, row in per_user.items()}, per_user)


def _rating(model: Any, tables: Tables, people: People, split: "Split") -> Evaluation:
    test, count = split.test, len(people.steps)
    errors = np.empty(len(test))
    arguments = (slots_of(people), test.indptr, test.item, test.value, errors)
    squared_errors(model, tables, people, *arguments, batch=count)
    lengths = np.diff(test.indptr)
    sums = np.bincount(np.repeat(np.arange(count), lengths), errors, count)
    own = np.sqrt(np.divide(sums, lengths, out=np.full(count, np.nan), where=lengths > 0))
    return Evaluation({"rmse": float(np.sqrt(_mean(errors)))}, {"rmse": own})


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")
