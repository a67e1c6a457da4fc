"""Data: interactions of people with items, the catalogue, sources and splits.

Everything is imported on first use, because readers and compiled code are slow to import. `load` is in
the module of that name, and exported as `sottovoce.load`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sottovoce.data.interactions import Catalog, Interactions, build
    from sottovoce.data.split import Split

__all__ = ["Catalog", "Interactions", "Split", "build"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "split" if name == "Split" else "interactions"
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return __all__
