"""Metrics: pure functions of scores and held-out items. Each file has a scalar kernel and an array wrapper.

This module lists their names in a recipe. A metric of the first K places has K in its name: "hr@10".
Communication cost and freshness follow from the settings of a protocol: they are functions to call.
"""

RANKED = ("hr", "ndcg", "mrr")
"""Metrics of ranks: each held-out item is ranked on its own, among its candidates."""
LISTED = (
    "precision",
    "recall",
    "f1",
    "f1-list",
    "f1-of-means",
    "item-coverage",
    "items-covered",
    "user-coverage",
    "precision-of-served",
    "recall-of-served",
    "gini",
    "evenness",
    "popularity-bias",
    "top-pop-overlap",
    "bias-disparity",
)
"""Metrics of lists: each person gets one list of recommendations."""
RATED = ("rmse", "mae")
"""Metrics of predicted ratings."""
NAMES = RANKED + LISTED + RATED

_LOWER = frozenset({"rmse", "mae", "gini", "popularity-bias", "top-pop-overlap", "bias-disparity"})


def lower_is_better(metric: str) -> bool:
    """Whether lower values of a metric, such as "rmse" or "gini@10", are better."""
    return metric.partition("@")[0] in _LOWER
