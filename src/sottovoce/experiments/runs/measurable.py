"""What can be measured on a split of some data, known before anything is trained.

A list of K items tells nothing if it holds all items to choose from: HR@20 among 15 items is always 1.
Such metrics are left out, and so is the RMSE of ratings that are all the same. If no metric is left, or
nobody can be tested, that is an error with a remedy. Notes say what a reader should know about the test.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.interactions import Interactions
from sottovoce.data.sampling import seen
from sottovoce.data.split import Split
from sottovoce.errors import DataError, RecipeError
from sottovoce.evaluate.names import Names, asked, measured
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.sections import Evaluate
from sottovoce.metrics import LISTED, RANKED, RATED
from sottovoce.registry import nearest

_MOST = 0.5  # a metric is left out if more than this share of lists hold all items to choose from
_BLOCK = 1 << 16
_WITHOUT_K = ("user-coverage",)
Lengths = NDArray[np.int64]


class Measurable(NamedTuple):
    """The part of an `[evaluate]` section that can be measured."""

    ks: tuple[int, ...]
    without: dict[str, str]
    """The metrics that are left out, such as "hr@20", and why."""
    tested: int
    """How many people have held-out items."""
    notes: tuple[str, ...]
    """What to know about the test."""


def measurable(data: Interactions, split: Split, evaluate: Evaluate) -> Measurable:
    """What can be measured; an error if that is nothing."""
    tested = int(np.count_nonzero(split.tested))
    _require(data, split, tested)
    wanted, sampled = asked(split, evaluate.metrics, evaluate.candidates)
    notes = [*_people(data, split, tested)]
    without: dict[str, str] = {}
    if any(name in RATED for name in wanted) and _same(split):
        without |= dict.fromkeys(RATED, "all ratings are the same")
        if all(name in RATED for name in wanted):
            raise DataError(
                f"All ratings of {data.name} are the same, so there is nothing to predict.",
                "Give data with ratings, or a split that ranks items, such as 'local-holdout'.",
            )
        notes.append(
            f"Not measured: {_told(n for n in RATED if n in wanted)}, because all ratings are the same."
        )
    kinds = {
        name: lengths
        for kind in (RANKED, LISTED)
        for name, lengths in _lengths(split, [n for n in wanted if n in kind], sampled).items()
    }
    if sampled and kinds:
        notes += _rivals(split)
    ks = tuple(evaluate.ks)
    if kinds:
        ks, trivial = _worth(data, ks, kinds, notes)
        without |= trivial
        if not ks and not any(name in RATED and name not in without for name in wanted):
            raise _too_long(data, evaluate.ks, kinds)
    return Measurable(ks or tuple(evaluate.ks[:1]), without, tested, tuple(notes))


def metric_names(split: Split, evaluate: Evaluate, found: Measurable) -> Names:
    """The names of everything that the run will measure."""
    return measured(split, found.ks, evaluate.metrics, evaluate.candidates, found.without)


def main_metric(metrics: Sequence[str], recipe: Recipe, found: Measurable) -> str:
    """The metric the recipe asks for, or the usual one of this kind of evaluation."""
    wanted, largest = recipe.evaluate.metric, max(found.ks)
    if not metrics:
        raise RecipeError(
            "evaluate.metrics names only metrics of the system as a whole, and a run is judged by metrics "
            "that each person has a value of.",
            "Add one of these, for example 'precision'.",
        )
    if wanted is None:
        return f"hr@{largest}" if f"hr@{largest}" in metrics else metrics[0]
    if wanted in found.without:
        raise RecipeError(
            f"evaluate.metric = {wanted!r} is not measured here: {found.without[wanted]}.",
            f"Choose one of {', '.join(metrics)}.",
        )
    if wanted not in metrics:
        raise RecipeError(
            f"evaluate.metric = {wanted!r} is not measured by the split {recipe.split.name!r}.",
            nearest(wanted, list(metrics)),
        )
    return wanted


def _require(data: Interactions, split: Split, tested: int) -> None:
    """Refuse data on which no recommender can be tested."""
    if data.items < 2:
        raise DataError(
            f"{data.name} has {'one item' if data.items else 'no items'}, so nothing can be recommended.",
            "Give data with several items; check which column holds them.",
        )
    if len(data) and _twice(data):
        raise DataError(
            f"In {data.name}, each person's only item has the person's own id: one column is used for both.",
            "Name the two columns: --columns user=…,item=…, or columns= in Python.",
        )
    if tested == 0:
        whose = "the only person has" if data.people == 1 else f"all {data.people:,} people have"
        why = f": {whose} {split.untested}" if split.untested else ""
        raise DataError(
            f"Nobody can be tested on {data.name}{why}.",
            "Give data with more interactions of each person, or choose another split; check which column "
            "holds the people.",
        )
    if len(split.test) == 0:
        raise DataError(
            f"All {split.missed.sum():,} held-out interactions of {data.name} are with items that are in "
            "nobody's training set, so no method can find any.",
            "Check which column holds the times, or choose another split, such as 'local-holdout'.",
        )


def _twice(data: Interactions) -> bool:
    """Whether people and items are the same column."""
    if data.people != data.items:
        return False
    owner = np.repeat(np.arange(data.people), np.diff(data.indptr))
    return bool((data.users[owner] == data.catalog.ids[data.item]).all())


def _people(data: Interactions, split: Split, tested: int) -> list[str]:
    """Notes on who is not tested."""
    notes, left = [], data.people - tested
    if data.people == 1:
        notes.append("There is only one person, so there is nobody to learn from.")
    if left:
        be, they = ("is", "the person has") if left == 1 else ("are", "they have")
        why = f": {they} {split.untested}" if split.untested else ""
        notes.append(f"{left:,} of {data.people:,} people {be} not tested{why}.")
    if bare := int(np.count_nonzero(np.diff(split.train.indptr) == 0)):
        who = (
            "1 person has nothing to train on, and sends"
            if bare == 1
            else (f"{bare:,} people have nothing to train on, and send")
        )
        notes.append(f"{who} nothing. Others' data alone decide how items are ranked there.")
    if tested == 1:
        notes.append("Only one person is tested, so no difference can be told from chance.")
    return notes


def _same(split: Split) -> bool:
    values = [part.value for part in (split.train, split.test) if len(part)]
    return bool(min(v.min() for v in values) == max(v.max() for v in values))


def _rivals(split: Split) -> list[str]:
    """A note if held-out items have fewer candidates than the split should draw."""
    wanted, rivals = split.candidates.shape[1], _candidates(split)
    short = int(np.count_nonzero(rivals < wanted))
    if not short:
        return []
    what = "All" if short == len(rivals) else f"{short:,} of {len(rivals):,}"
    found = f"{int(np.median(rivals))} at the median, {rivals.min()} at least"
    return [f"{what} held-out items are ranked among fewer than {wanted} others: {found}."]


def _candidates(split: Split) -> Lengths:
    """How many candidates each test entry has."""
    drawn = split.candidates
    if drawn.min(initial=0) >= 0:
        return np.full(len(drawn), drawn.shape[1], np.int64)
    blocks = [drawn[n : n + _BLOCK] for n in range(0, len(drawn), _BLOCK)]
    return np.concatenate([np.count_nonzero(block >= 0, axis=1) for block in blocks])


def _lengths(split: Split, names: Sequence[str], sampled: bool) -> dict[str, Lengths]:
    """From how many items the lists of each metric are chosen, including the held-out ones."""
    found = {}
    for name in names:
        among = (sampled or name == "f1-list") and split.candidates.shape[1] > 0
        if name in RANKED:
            found[name] = (_candidates(split) if among else _unmet(split, own=True)) + 1
        else:
            found[name] = _listed(split) if among else _unmet(split, own=False)
    return found


def _unmet(split: Split, own: bool) -> Lengths:
    """How many items each tested person did not train on; with `own`, for each entry, items in no part."""
    tested = np.diff(split.test.indptr)
    parts = [split.train, *([split.test] if own else [])]
    parts += [split.weighting] if own and split.weighting is not None else []
    met = np.zeros(len(tested), np.int64)
    for part in parts:
        # An item in several parts counts in each: a lower bound, exact if nothing repeats.
        met += seen(part.indptr, part.item).counts
    left = np.maximum(split.test.items - met, 0)
    return np.repeat(left, tested) if own else left[tested > 0]


def _listed(split: Split) -> Lengths:
    """How many items are in a list of a person's test items and the candidates of the first of them."""
    first = split.test.indptr[:-1][np.diff(split.test.indptr) > 0]
    tests = seen(split.test.indptr, split.test.item).counts
    return _candidates(split)[first] + tests[tests > 0]


def _worth(
    data: Interactions, ks: tuple[int, ...], kinds: Mapping[str, Lengths], notes: list[str]
) -> tuple[tuple[int, ...], dict[str, str]]:
    """The K that are worth measuring, and the metrics that are not; adds to `notes`."""
    without: dict[str, str] = {}
    for k in ks:
        shares = {n: float(np.mean(lengths <= k)) for n, lengths in kinds.items() if n not in _WITHOUT_K}
        most = max((int(kinds[name].max()) for name in shares), default=0)
        held = "holds all" if most <= k else "holds, for most people, all"
        why = f"a list of {k} {held} items to choose from"
        out = [f"{name}@{k}" for name, share in shares.items() if share > _MOST]
        without |= dict.fromkeys(out, why)
        if out:
            notes.append(f"Not measured: {_told(out)}, because {why} ({_range(kinds, shares)}).")
        some = max((share for share in shares.values() if 0 < share <= _MOST), default=0.0)
        if some:
            what = f"{100 * some:.0f} %" if some >= 0.01 else "Less than 1 %"
            notes.append(f"{what} of lists of {k} hold all items to choose from, whatever the model.")
    measured = [k for k in ks if any(f"{n}@{k}" not in without for n in kinds if n not in _WITHOUT_K)]
    return tuple(measured), without


def _range(kinds: Mapping[str, Lengths], names: Mapping[str, float]) -> str:
    low, high = min(kinds[n].min() for n in names), max(kinds[n].max() for n in names)
    return f"{low} items" if low == high else f"{low} to {high} items"


def _told(names: Iterable[object]) -> str:
    listed = [str(name) for name in names]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"


def _too_long(data: Interactions, ks: Sequence[int], kinds: Mapping[str, Lengths]) -> DataError | RecipeError:
    """The error if lists of no length are worth measuring."""
    longest = int(max(np.median(lengths) for lengths in kinds.values()))
    if longest < 2 and data.people == 1:
        return DataError(
            f"{data.name} is about one person, who has met all of its items: there is nobody to learn from, "
            "and there are no other items to rank held-out items among.",
            "Give data of several people; check which column holds them.",
        )
    if longest < 2:
        return DataError(
            f"All people who can be measured have met nearly all of the {data.items:,} items of {data.name}, "
            "so there are no other items to rank held-out items among.",
            "Give data with more items, or a split that predicts ratings.",
        )
    shorter = sorted({1, longest // 2})
    return RecipeError(
        f"Lists of {_told(sorted(ks))} are too long for {data.name}: they hold all of the {longest} items "
        "that there usually are to choose from.",
        f"Choose shorter lists (evaluate.ks = {shorter}), or data with more items.",
    )
