"""What people did: interactions and the catalogue, where they come from, how they are split.

Everything is imported when it is first used, because the readers and the compiled parts are heavy.
`load` is in the module of that name, and at hand as `sottovoce.load`.
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
