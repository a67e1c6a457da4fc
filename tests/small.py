"""A recipe for a community so small that a whole run takes a moment, and figures of a made-up run."""

import json
from typing import Any

from sottovoce.experiments.recipe.building import Components
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.result import Result

SMALL: dict[str, dict[str, Any]] = {
    "data": {"name": "synthetic", "users": 60, "items": 80},
    "split": {"name": "local-holdout", "candidates": 20},
    "model": {"name": "mf", "factors": 3},
    "evaluate": {"ks": [5]},
    "run": {"rounds": 2},
}


def changed(document: dict[str, dict[str, Any]], **changes: Any) -> dict[str, dict[str, Any]]:
    """A copy of a recipe's tables with single keys changed, such as `run__rounds=3`."""
    made = {section: dict(table) for section, table in document.items()}
    for key, value in changes.items():
        section, _, name = key.partition("__")
        made.setdefault(section, {})[name] = value
    return made


def components(**sections: Any) -> Components:
    """The components of the small recipe, with whole sections replaced."""
    return Recipe.parse(SMALL | sections).components()


def result(**changes: Any) -> Result:
    """Figures of a run that has only what every result has; `data` is completed."""
    final = changes.get("final", {})
    document: dict[str, Any] = {
        "final": final,
        "best": final,
        "baselines": {},
        **dict.fromkeys(("messages", "bytes", "best_round", "rounds"), 0),
        "seconds": 0.0,
        "nodes": 1,
        "seed": 1,
        "version": "0",
        "metric": next(iter(final), "none"),
        "split": "",
    }
    data = {"name": "data", "people": 1, "items": 1, "interactions": 1} | changes.pop("data", {})
    return Result.model_validate_json(json.dumps(document | changes | {"data": data}))
