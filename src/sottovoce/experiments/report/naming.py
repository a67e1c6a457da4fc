"""The names of methods: what differs between their recipes."""

from collections.abc import Sequence
from typing import Any

from sottovoce.experiments.recipe import phrases
from sottovoce.experiments.recipe.document import flat
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.report import shared
from sottovoce.registry import label


def decisive(recipe: Recipe) -> dict[str, Any]:
    """The settings that define a method: all that decide a result, except the seed and the evaluation.

    The path of a data file is left out: the hash of the split tells whether data is the same.
    """
    document = recipe.document()
    document["data"].pop("path", None)
    document.pop("evaluate")
    document.pop("privacy")
    document["run"] = {"rounds": document["run"]["rounds"]}
    return flat(document)


def differing(settings: Sequence[dict[str, Any]]) -> list[str]:
    """Keys that some lack, or whose values differ; names of components come first."""
    keys = list(dict.fromkeys(key for one in settings for key in one))
    changed = [key for key in keys if any(one.get(key) != settings[0].get(key) for one in settings)]
    return sorted(changed, key=lambda key: not key.endswith(".name"))


def called(settings: Sequence[dict[str, Any]], recipe: Recipe) -> list[str]:
    """What differs, in few words.

    If the components differ, their names are enough and their settings are left out, unless two methods
    would have the same name.
    """
    if len(settings) == 1:
        return [phrases.method(recipe)]
    changed = differing(settings)
    chosen = [key for key in changed if _telling(key, changed, settings)]
    parts = [[_word(key, one[key]) for key in chosen if key in one] or _without(chosen) for one in settings]
    alike: dict[str, list[int]] = {}
    for n, words in enumerate(parts):
        alike.setdefault(" ".join(words), []).append(n)
    for group in alike.values():
        for key in differing([settings[n] for n in group]):
            for n in group:
                value = settings[n].get(key)
                more = _without([key]) if value is None else [_word(key, value)]
                parts[n] += [word for word in more if word not in parts[n]]
    return _apart([", ".join(words) for words in parts])


def _apart(names: Sequence[str]) -> list[str]:
    """Names without duplicates: the second of two equal names is numbered."""
    met: dict[str, int] = {}
    found = []
    for name in names:
        met[name] = met.get(name, 0) + 1
        found.append(name if met[name] == 1 else f"{name} ({met[name]})")
    return found


def _telling(key: str, changed: Sequence[str], settings: Sequence[dict[str, Any]]) -> bool:
    """Whether a key differs between methods that have it and use the same component."""
    parent = f"{key.rpartition('.')[0]}.name"
    values = [one[key] for one in settings if key in one]
    return any(value != values[0] for value in values) and (key == parent or parent not in changed)


def _without(keys: Sequence[str]) -> list[str]:
    return [f"no {key.rpartition('.')[2]}" for key in keys]


def _word(key: str, value: Any) -> str:
    """`merge linear` for protocol.merge.name, `factors 16` for model.factors, `mf` for model.name."""
    path = key.split(".")
    shown = f"{value:g}" if isinstance(value, float) else str(shared.setting(key, value))
    if isinstance(value, bool):
        shown = shown.lower()
    if path[-1] != "name":
        return f"{path[-1].replace('_', ' ')} {shown}"
    return label(shown) if path[-2] in ("model", "protocol") else f"{path[-2]} {label(shown)}"
