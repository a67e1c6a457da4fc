"""Recommendations from each other's taste, while nobody's data leaves their device.

    import sottovoce as sv

    run = sv.run(sv.load("ml-100k"), model="ials", protocol="gossip", merge="linear")
    run.recommend(user=42, n=10)

Names are imported when they are first used, so that `import sottovoce` is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sottovoce.data.interactions import Catalog, Interactions
    from sottovoce.data.load import load
    from sottovoce.experiments.run import Run, run

__version__: str

_HOMES = {
    "Catalog": "sottovoce.data.interactions",
    "Interactions": "sottovoce.data.interactions",
    "Run": "sottovoce.experiments.run",
    "load": "sottovoce.data.load",
    "run": "sottovoce.experiments.run",
}

__all__ = ["Catalog", "Interactions", "Run", "__version__", "load", "run"]


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
