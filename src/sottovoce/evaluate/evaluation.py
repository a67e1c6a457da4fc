"""Evaluate each person's model on the person's held-out data.

- HR, NDCG and MRR rank each held-out item among its candidates, or among all items of the catalogue that
  the person has not seen. A person's figure is the mean over the person's items; the overall figure is
  the mean over people.
- Precision, recall, F1, coverage, Gini, popularity bias and bias disparity come from one list per person
  (`lists.py`).
- The overall RMSE and MAE are over all held-out ratings together (Section 6.5, Hegedűs et al. 2019); a
  person's are over the person's ratings.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce import plural
from sottovoce.data.sampling import seen
from sottovoce.errors import DataError
from sottovoce.evaluate.listed import listed
from sottovoce.evaluate.names import Candidates, asked, measured
from sottovoce.evaluate.ranking import averages, ranks, ranks_in_catalogue
from sottovoce.evaluate.rating import errors
from sottovoce.evaluate.scoring import contexts
from sottovoce.metrics import LISTED, RANKED, RATED
from sottovoce.metrics.rank import LAST
from sottovoce.state import People, Tables, slots_of

if TYPE_CHECKING:
    from sottovoce.data.split import Split

_OFF = 10  # a person's RMSE above this many times the largest rating means that the model diverged


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Metrics by name, such as "hr@20": overall, and for each person (NaN if nothing was held out).

    Some metrics, such as coverage, describe the whole system and have no figure per person.
    """

    metrics: dict[str, float]
    per_user: dict[str, NDArray[np.float64]]
    by_category: dict[str, dict[str, float]] = field(default_factory=dict)
    """The bias disparity of each category of items."""
    lost: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    """[people]: whose model diverged: it has no score for any test item, or its predicted ratings are far
    outside the scale."""


def evaluate(
    model: Any,
    tables: Tables,
    people: People,
    split: "Split",
    ks: Sequence[int] = (5, 10, 20),
    *,
    metrics: Sequence[str] | None = None,
    candidates: Candidates | None = None,
    without: Container[str] = (),
) -> Evaluation:
    """Evaluate all models on the test set of `split`. Ranked lists are cut off at each of `ks`.

    `metrics` are names from `sottovoce.metrics.NAMES`; by default those of the split. Items are ranked
    among the `"sampled"` candidates of the split (the default if it has any), or among `"all"` items of
    the catalogue. `without` lists figures to leave out, such as "hr@20".
    """
    names = measured(split, ks, metrics, candidates, without)
    wanted, sampled = asked(split, metrics, candidates)
    _check(split, people)
    ranked, lists = (any(name in kind for name in wanted) for kind in (RANKED, LISTED))
    overall: dict[str, float] = {}
    per_user: dict[str, NDArray[np.float64]] = {}
    by_category: dict[str, dict[str, float]] = {}
    lost = np.zeros(len(people.steps), np.bool_)
    if ranked:
        own, unranked = _ranked(model, tables, people, split, ks, sampled)
        per_user, lost = per_user | own, lost | unranked
    if lists:
        own, overall, by_category = listed(model, tables, people, split, ks, wanted, sampled)
        per_user, lost = per_user | own, lost | _unserved(own["user-coverage"], people, split.test.items)
    overall |= {name: _mean(values) for name, values in per_user.items()}
    if any(name in RATED for name in wanted):
        of_all, own = _rated(model, tables, people, split)
        overall, per_user = overall | of_all, per_user | own
        lost |= own["rmse"] > _OFF * (max(map(abs, split.test.scale)) or 1.0)
    return Evaluation(
        {name: overall[name] for name in names.every},
        {name: per_user[name] for name in names.of_people},
        {name: shifts for name, shifts in by_category.items() if name in names.every},
        lost,
    )


def _check(split: "Split", people: People) -> None:
    """Check indices, because compiled code does not."""
    test, count = split.test, len(people.steps)
    where = f"The split {split.name!r}"
    if test.people != count:
        tested, trained = (plural.count(number, "person") for number in (test.people, count))
        raise DataError(
            f"{where} is for {tested}, but there are models of {trained}.",
            "Use the split with which the models were trained.",
        )
    if len(split.candidates) != len(test):
        problem = f"{where} has {len(test)} test items and {len(split.candidates)} rows of candidates."
        raise DataError(problem, "Give one row of candidates per test item, filled up with −1.")
    highest = max(test.item.max(initial=-1), split.candidates.max(initial=-1))
    if test.item.min(initial=0) < 0 or highest >= test.items:
        problem = f"{where} has items that are not in the catalogue of {test.items} items."
        raise DataError(problem, f"Number items from 0 to {test.items - 1}.")


def _ranked(
    model: Any, tables: Tables, people: People, split: "Split", ks: Sequence[int], sampled: bool
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
    """Each person's metrics, and who has held-out items but no score for any of them."""
    test, count = split.test, len(people.steps)
    places = np.empty(len(test), np.int32)
    held = (slots_of(people), test.items, test.indptr, test.item, *contexts(model, split))
    if sampled:
        ranks(model, tables, people, *held, split.candidates, places, batch=count)
    else:
        ranks_in_catalogue(model, tables, people, *held, places, batch=count)
    out = np.empty((len(RANKED), len(ks), count))
    averages(test.indptr, places, np.array(ks, np.int64), *out, batch=count)
    lengths = np.diff(test.indptr)
    scored = np.bincount(np.repeat(np.arange(count), lengths), places != LAST, count)
    if split.beyond is not None:  # items outside of the catalogue are never found
        out = np.where(lengths > 0, out, 0.0) * lengths / np.maximum(lengths + split.missed, 1)
        out[..., ~split.tested] = np.nan
    found = {f"{name}@{k}": out[m, i] for m, name in enumerate(RANKED) for i, k in enumerate(ks)}
    return found, (lengths > 0) & (scored == 0)


def _unserved(coverage: NDArray[np.float64], people: People, items: int) -> NDArray[np.bool_]:
    """[people]: who gets no list although there are items that the person does not have."""
    met: NDArray[np.int64] = seen(people.indptr, people.item).counts
    return np.asarray((coverage == 0) & (met < items))


def _rated(
    model: Any, tables: Tables, people: People, split: "Split"
) -> tuple[dict[str, float], dict[str, NDArray[np.float64]]]:
    test, count = split.test, len(people.steps)
    squared, absolute = np.empty(len(test)), np.empty(len(test))
    arguments = (slots_of(people), test.indptr, test.item, test.value, squared, absolute)
    errors(model, tables, people, *arguments, batch=count)
    lengths = np.diff(test.indptr)
    owner = np.repeat(np.arange(count), lengths)

    def own(values: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.bincount(owner, values, count)
        return np.where(lengths > 0, sums / np.maximum(lengths, 1), np.nan)

    overall = {"rmse": float(np.sqrt(_mean(squared))), "mae": _mean(absolute)}
    return overall, {"rmse": np.sqrt(own(squared)), "mae": own(absolute)}


def _mean(values: NDArray[np.float64]) -> float:
    """The mean without NaN; NaN if nothing is left."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
