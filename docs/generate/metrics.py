"""The page about metrics, from the files that compute them."""

import importlib

from docs.generate.source import text
from sottovoce.evaluate import evaluation
from sottovoce.metrics import LISTED, NAMES, RANKED, RATED, lower_is_better

PAGE = "metrics.md"

_HOMES = {
    "f1-list": "f1",
    "f1-of-means": "f1",
    "evenness": "gini",
    "items-covered": "item-coverage",
    "precision-of-served": "user-coverage",
    "recall-of-served": "user-coverage",
}
_COSTS = ("communication_cost", "freshness")
_GROUPS = [
    (RANKED, "One held-out item at a time", "Each held-out item is ranked among its candidates."),
    (LISTED, "One list for each person", "All held-out items of a person are looked up in one list."),
    (RATED, "Predicted ratings", "Held-out ratings are compared with predictions."),
]


def page() -> str:
    parts = [
        "# Metrics",
        (
            "Choose metrics with `[evaluate] metrics`, and list lengths with `ks`: `ndcg` and `ks = [10]` "
            "give `ndcg@10`. Equal scores are ordered by lot; in lists, the test item comes last. If lists "
            "of length K hold all there is to choose from, metrics at this K are meaningless and left out. "
            "[How we evaluate](../explanation/evaluation.md) says why."
        ),
    ]
    parts.append(text(evaluation))
    for names, title, sentence in _GROUPS:
        parts += [f"## {title}", sentence]
        for home in dict.fromkeys(_HOMES.get(name, name) for name in names):
            together = [name for name in NAMES if _HOMES.get(name, name) == home]
            module = importlib.import_module(f"sottovoce.metrics.{home.replace('-', '_')}")
            better = ["lower" if lower_is_better(name) else "higher" for name in together]
            said = [f"`{name}`: {word} is better." for name, word in zip(together, better, strict=True)]
            parts += [f"### {', '.join(f'`{name}`' for name in together)}", text(module), " ".join(said)]
    parts += [
        "## Costs of a protocol",
        "Arithmetic on settings, for Python: functions in modules of `sottovoce.metrics`.",
    ]
    for home in _COSTS:
        module = importlib.import_module(f"sottovoce.metrics.{home}")
        parts += [f"### `{home}`", text(module)]
    return "\n\n".join(parts)
