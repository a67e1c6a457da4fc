"""How metrics are called, written and explained."""

import math

_CAPITALS = {"hr", "ndcg", "mrr", "f1", "rmse", "mae"}
_PLAIN = {"rmse", "mae", "gini", "bias-disparity"}
_COUNTS = {"items-covered"}
_SAID = {
    "hr": "{value} of held-out items are among the first {k}",
    "ndcg": "NDCG@{k} is {value}",
    "mrr": "the mean reciprocal rank of held-out items within the first {k} is {value}",
    "precision": "{value} of the first {k} are items that were held out",
    "recall": "{value} of a person's held-out items are among the first {k}",
    "f1": "F1@{k}, which weighs precision and recall, is {value}",
    "f1-list": "F1@{k} in one list of held-out items and candidates is {value}",
    "item-coverage": "{value} of the catalogue is among somebody's first {k}",
    "f1-of-means": "F1@{k} of the mean precision and the mean recall is {value}",
    "items-covered": "{value} items are among somebody's first {k}",
    "precision-of-served": "for people with a list, {value} of the first {k} are items that were held out",
    "recall-of-served": "of people with a list, {value} of held-out items are among the first {k}",
    "top-pop-overlap": "{value} of the first {k} are no more than what is most popular",
    "user-coverage": "{value} of people get recommendations",
    "gini": "the Gini coefficient of how often items are among the first {k} is {value}",
    "evenness": "recommendations are spread over items with an evenness of {value}",
    "popularity-bias": "an item among the first {k} is known to {value} of people",
    "bias-disparity": "categories are shifted by {value} of their share in training",
    "rmse": "predicted ratings are off by {value} (RMSE)",
    "mae": "predicted ratings are off by {value} (MAE)",
}
_EXPLAINED = {
    "hr": "Share of held-out items found among the first {k}; higher is better.",
    "ndcg": "Like HR, but a place near the top of the first {k} counts more; higher is better.",
    "mrr": "One over the rank of a held-out item, 0 beyond {k}; higher is better.",
    "precision": "Share of the first {k} that was held out; higher is better.",
    "recall": "Share of a person's held-out items among the first {k}; higher is better.",
    "f1": "Harmonic mean of precision and recall; higher is better.",
    "f1-list": "F1 in one list of all held-out items and candidates; higher is better.",
    "item-coverage": "Share of the catalogue that is recommended to anybody; higher is better.",
    "f1-of-means": "Harmonic mean of the mean precision and the mean recall; higher is better.",
    "items-covered": "Number of items that are recommended to anybody; higher is better.",
    "precision-of-served": "Precision of people who get a list at all; higher is better.",
    "recall-of-served": "Recall of people who get a list at all; higher is better.",
    "top-pop-overlap": "Share of a list that popularity alone would recommend; lower is more personal.",
    "user-coverage": "Share of people who get a list at all; higher is better.",
    "gini": "How unequally recommendations fall on items; lower is more even.",
    "evenness": "How evenly recommendations fall on items; higher is more even.",
    "popularity-bias": "Share of people who know a recommended item; lower is less biased.",
    "bias-disparity": "How far categories are shifted from their share in training; lower is less.",
    "rmse": "Root of the mean squared error of predicted ratings; lower is better.",
    "mae": "Mean absolute error of predicted ratings; lower is better.",
}


def accuracy(metric: str) -> bool:
    """Whether it measures how well a method knows what people like, not how it spreads attention."""
    kind = metric.partition("@")[0]
    return kind in _CAPITALS or kind in (
        "precision",
        "recall",
        "f1-list",
        "f1-of-means",
        "precision-of-served",
        "recall-of-served",
    )


def percent(metric: str) -> bool:
    """Whether its values are shares."""
    return metric.partition("@")[0] not in _PLAIN | _COUNTS


def name(metric: str) -> str:
    """`HR@20`, `Item coverage@10`."""
    kind, at, k = metric.partition("@")
    words = kind.upper() if kind in _CAPITALS else kind.replace("-", " ").capitalize()
    return f"{words}{at}{k}"


def figure(metric: str, value: float | None, digits: int = 1) -> str:
    """A value of a metric; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return "—"
    if metric.partition("@")[0] in _COUNTS:
        return f"{value:,.0f}"
    return f"{100 * value:.{digits}f} %" if percent(metric) else f"{value:.{digits + 2}f}"


def interval(metric: str, low: float, high: float, sign: bool = False) -> str:
    """`87.1 to 89.9`, in the units of `figure`."""
    unit, digits = (100, 1) if percent(metric) else (1, 3)
    plus = "+" if sign else ""
    return f"{unit * low:{plus}.{digits}f} to {unit * high:{plus}.{digits}f}".replace("-", "−")


def said(metric: str, value: float | None) -> str:
    """A value in words."""
    kind, _, k = metric.partition("@")
    return _SAID[kind].format(value=figure(metric, value), k=k or "ones")


def explained(metric: str) -> str:
    """What a metric is, and which end is the good one."""
    kind, _, k = metric.partition("@")
    return _EXPLAINED.get(kind, "").format(k=k)
