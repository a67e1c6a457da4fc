"""Metrics of lists: for each person, for the whole system, and for categories of items."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sottovoce.data.sampling import seen
from sottovoce.errors import DataError
from sottovoce.evaluate.lists import among_candidates, averages, in_catalogue, overlaps, spread
from sottovoce.evaluate.scoring import contexts
from sottovoce.metrics.bias_disparity import bias, bias_disparity
from sottovoce.metrics.f1 import f1_of_means
from sottovoce.metrics.gini import evenness
from sottovoce.metrics.item_coverage import items_covered
from sottovoce.metrics.user_coverage import mean_of_served
from sottovoce.state import People, Tables, slots_of

if TYPE_CHECKING:
    from sottovoce.data.interactions import Catalog
    from sottovoce.data.split import Split

PerUser = dict[str, NDArray[np.float64]]


def listed(
    model: Any,
    tables: Tables,
    people: People,
    split: "Split",
    ks: Sequence[int],
    wanted: Sequence[str],
    sampled: bool,
) -> tuple[PerUser, dict[str, float], dict[str, dict[str, float]]]:
    """All metrics of lists: per person, overall, and by category if `wanted` has bias-disparity."""
    count, items, lengths = len(people.steps), split.test.items, np.array(ks, np.int64)
    popularity = _popularity(people, items)
    tests, before = seen(split.test.indptr, split.test.item), contexts(model, split)
    relevant = tests.counts
    if split.beyond is not None:
        relevant = relevant + seen(split.beyond.indptr, split.beyond.item).counts

    def measure(among: bool) -> tuple[NDArray[np.int32], list[NDArray[np.float64]]]:
        """Lists [people, max(ks)]; precision, recall, F1, popularity bias [K, people]; coverage [people]."""
        item = np.empty((count, max(ks)), np.int32)
        hit = np.empty(item.shape, np.int32)
        state = model, tables, people, slots_of(people)
        if among:
            rows = split.test.item, *before, split.candidates
            among_candidates(*state, *tests, *rows, item, hit, batch=count)
        else:
            in_catalogue(*state, items, *tests, relevant, *before, item, hit, batch=count)
        out = [*np.empty((4, len(ks), count)), np.empty(count)]
        averages(item, hit, relevant, popularity, lengths, *out, batch=count)
        if among:  # candidates belong to test items: whose test items are all beyond has no list
            out[-1][(tests.counts == 0) & (relevant > 0)] = np.nan
        return item, out

    item, (precision, recall, f1, popular, coverage) = measure(sampled)
    per_user: PerUser = {"user-coverage": coverage}
    for i, k in enumerate(ks):
        per_user |= {f"precision@{k}": precision[i], f"recall@{k}": recall[i], f"f1@{k}": f1[i]}
        per_user[f"popularity-bias@{k}"] = popular[i]
    if "top-pop-overlap" in wanted:
        overlap = np.empty((len(ks), count))
        order = np.argsort(-popularity, kind="stable")
        overlaps(people, relevant, item, popularity, order, lengths, overlap, batch=count)
        per_user |= {f"top-pop-overlap@{k}": overlap[i] for i, k in enumerate(ks)}
    if "f1-list" in wanted:
        own = f1 if sampled else measure(True)[1][2]
        per_user |= {f"f1-list@{k}": own[i] for i, k in enumerate(ks)}

    counts = np.empty((len(ks), items), np.int64)
    covered, gini = np.empty(len(ks)), np.empty(len(ks))
    spread(item, lengths, counts, covered, gini, batch=len(ks))
    overall: dict[str, float] = {}
    by_category: dict[str, dict[str, float]] = {}
    for i, k in enumerate(ks):
        overall |= {f"item-coverage@{k}": float(covered[i]), f"gini@{k}": float(gini[i])}
        overall |= {f"items-covered@{k}": items_covered(counts[i]), f"evenness@{k}": evenness(counts[i])}
        overall |= _means(k, precision[i], recall[i], coverage)
        if "bias-disparity" in wanted:
            shifts = _disparities(split.test.catalog, counts[i], np.bincount(people.item, minlength=items))
            by_category[f"bias-disparity@{k}"] = shifts
            known = np.abs([shift for shift in shifts.values() if not np.isnan(shift)])
            overall[f"bias-disparity@{k}"] = float(known.mean()) if len(known) else np.nan
    return per_user, overall, by_category


def _means(
    k: int, precision: NDArray[np.float64], recall: NDArray[np.float64], coverage: NDArray[np.float64]
) -> dict[str, float]:
    """What is computed from the means over tested people, and over those of them who have a list."""
    tested = ~np.isnan(precision)
    p, r, lists = precision[tested], recall[tested], coverage[tested] > 0
    return {
        f"f1-of-means@{k}": f1_of_means(p, r) if len(p) else np.nan,
        f"precision-of-served@{k}": mean_of_served(p, lists),
        f"recall-of-served@{k}": mean_of_served(r, lists),
    }


def _popularity(people: People, items: int) -> NDArray[np.float64]:
    """[items]: the share of people who have each item in their data."""
    indptr, ordered, count = seen(people.indptr, people.item)
    lengths = np.diff(indptr)
    place = np.arange(len(ordered)) - np.repeat(indptr[:-1], lengths)
    once = ordered[place < np.repeat(count, lengths)]
    return np.bincount(once, minlength=items) / max(1, len(count))


def _disparities(
    catalog: "Catalog", recommended: NDArray[np.int64], training: NDArray[np.int64]
) -> dict[str, float]:
    """The bias disparity of each category, for all people together."""
    if catalog.categories is None:
        raise DataError(
            f"The catalogue {catalog.name} has no categories, so there is no bias disparity.",
            "Remove 'bias-disparity' from the metrics, or use data with categories.",
        )
    before, after = category_bias(catalog, training), category_bias(catalog, recommended)
    shifts = bias_disparity(list(after.values()), list(before.values()))
    return dict(zip(before, shifts.tolist(), strict=True))


def category_bias(catalog: "Catalog", counts: NDArray[np.int64]) -> dict[str, float]:
    """The bias to each category: B_T of Table 1 (Anelli et al. 2020) for `counts` [items] in training."""
    kinds = catalog.categories or []
    names = sorted({name for own in kinds for name in own})
    number = {name: n for n, name in enumerate(names)}
    pairs = [(j, number[name]) for j, own in enumerate(kinds) for name in own]
    item, category = np.array(pairs, np.int64).reshape(-1, 2).T
    return dict(zip(names, bias(counts, item, category, len(names)).tolist(), strict=True))
