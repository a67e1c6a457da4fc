"""What a page may tell about the machine that made it.

A page may be shared, and folders often hold the name of a person. So a page shows the name of a file, and
not the folders that lead to it.
"""

import re
from pathlib import Path
from typing import Any

from sottovoce import registry
from sottovoce.experiments.recipe import toml
from sottovoce.experiments.recipe.document import shorten
from sottovoce.experiments.recipe.recipe import Recipe

_PATHS = ("path", "start_from")
# From a root (`/`, `~/`, `C:\`) to the last separator; addresses on the network are left alone.
_FOLDERS = re.compile(r"(?<![\w:/\\.~])(?:~[^/\\ ]*|[A-Za-z]:)?[/\\](?:[^/\\]*[/\\])*")


def setting(key: str, value: Any) -> Any:
    """The value of a setting, without the folders of paths in it."""
    last = key.rpartition(".")[2]
    if isinstance(value, dict):
        return {k: setting(k, v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [setting(key, v) for v in value]
    if not isinstance(value, str):
        return value
    is_path = last in _PATHS or registry.is_file(value) or Path(value).expanduser().is_absolute()
    return Path(value).name if is_path else value


def recipe(whole: Recipe) -> str:
    """A recipe as TOML, for a folder that also holds the files it names."""
    document = setting("", whole.document())
    return toml.dumps({section: shorten(table) for section, table in document.items() if table})


def files(whole: Recipe) -> list[str]:
    """The names of the files that a recipe needs beside it."""
    return list(dict.fromkeys(_named("", whole.document())))


def _named(key: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [name for k, v in value.items() for name in _named(k, v)]
    if isinstance(value, list):
        return [name for v in value for name in _named(key, v)]
    shown = setting(key, value)
    is_path = isinstance(value, str) and (key in _PATHS or shown != value)
    return [shown.partition("#")[0]] if is_path else []


def source(whole: Recipe, text: str) -> str:
    """Where data comes from, in words and without folders."""
    if whole.data.path:
        own = re.escape(Path(whole.data.path).name)
        found = re.search(rf"(?:^|[/\\])({own}(?:[\s,;(].*)?)$", text)
        if found:
            return found[1]
    return "; ".join(_FOLDERS.sub("", part) for part in text.split("; ")).strip()
