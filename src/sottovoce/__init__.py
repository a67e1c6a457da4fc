"""Recommendations from each other's taste, while nobody's data leaves their device.

    import sottovoce as sv

    run = sv.run(sv.load("ml-100k"))  # or with parts: model="ials", protocol="gossip", merge="linear"
    run.recommend(user=42, n=10)

Names are imported when they are first used, so that `import sottovoce` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sottovoce.cli.doctor import doctor
    from sottovoce.data.describe import data_sets, info
    from sottovoce.data.interactions import Catalog, Interactions
    from sottovoce.data.load import load
    from sottovoce.experiments.audit.audit import audit
    from sottovoce.experiments.functions import report, reproduce, sweep
    from sottovoce.experiments.newcomers import newcomers
    from sottovoce.experiments.recipe.shipped import recipes
    from sottovoce.experiments.runs.run import Run
    from sottovoce.experiments.runs.start import run, run_recipe
    from sottovoce.node import Community, Met, Node

__version__: str

_HOMES = {
    "Catalog": "sottovoce.data.interactions",
    "Community": "sottovoce.node",
    "Interactions": "sottovoce.data.interactions",
    "Met": "sottovoce.node",
    "Node": "sottovoce.node",
    "Run": "sottovoce.experiments.runs.run",
    "audit": "sottovoce.experiments.audit.audit",
    "data_sets": "sottovoce.data.describe",
    "doctor": "sottovoce.cli.doctor",
    "info": "sottovoce.data.describe",
    "load": "sottovoce.data.load",
    "newcomers": "sottovoce.experiments.newcomers",
    "recipes": "sottovoce.experiments.recipe.shipped",
    "report": "sottovoce.experiments.functions",
    "reproduce": "sottovoce.experiments.functions",
    "run": "sottovoce.experiments.runs.start",
    "run_recipe": "sottovoce.experiments.runs.start",
    "sweep": "sottovoce.experiments.functions",
}

__all__ = [
    "Catalog",
    "Community",
    "Interactions",
    "Met",
    "Node",
    "Run",
    "__version__",
    "audit",
    "data_sets",
    "doctor",
    "info",
    "load",
    "newcomers",
    "recipes",
    "report",
    "reproduce",
    "run",
    "run_recipe",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = _version()
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'sottovoce' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("sottovoce")
    except PackageNotFoundError:
        return "0+source"
