"""Libraries that only homomorphic sums need: imported where they are used, with a sentence if missing."""

import importlib
from typing import Any

from sottovoce.errors import RecipeError

_EXTRAS = {"gmpy2": "paillier", "tenseal": "ckks"}
_PURPOSES = {
    "gmpy2": "Paillier encryption",
    "tenseal": "CKKS encryption",
}


def needed(module: str) -> Any:
    """The module of this name, such as `gmpy2`."""
    library = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError:
        raise RecipeError(
            f"{_PURPOSES[library]} needs {library}, which is not installed.",
            f"Install it with: pip install 'sottovoce[{_EXTRAS[library]}]'.",
        ) from None
