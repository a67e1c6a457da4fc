"""Names in a recipe -> components.

A component is a `NamedTuple` of its parameters in a file of its own. Its name is its file's name
with dashes for underscores, so `merge = "model-age"` is looked for in `combine/model_age.py`; only
what a recipe names is imported. Other packages add components through entry points in the group
`sottovoce.<kind>`, whose value names the module that registers them.
"""

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, TypeVar

from sottovoce.errors import RecipeError

PACKAGES = {
    "source": "sottovoce.data.sources",
    "split": "sottovoce.data.splits",
    "model": "sottovoce.models",
    "compression": "sottovoce.exchange.compression",
    "merge": "sottovoce.combine",
    "aggregate": "sottovoce.combine.aggregate",
    "peers": "sottovoce.peers",
    "protocol": "sottovoce.protocols",
    "churn": "sottovoce.simulate.churn",
    "links": "sottovoce.simulate.links",
    "reference": "sottovoce.evaluate.references",
}

_known: dict[tuple[str, str], type] = {}

T = TypeVar("T", bound=type)


def component(kind: str, name: str, **declares: str) -> Callable[[T], T]:
    """Register a class under `name`, for example `@component("merge", "linear", needs="row_age")`.

    What it declares becomes an attribute of the class.
    """

    def register(cls: T) -> T:
        for attribute, value in declares.items():
            setattr(cls, attribute, value)
        _known[kind, name] = cls
        return cls

    return register


def names(kind: str) -> list[str]:
    """All names of a kind: what is shipped, what other packages declare, what was registered."""
    package = importlib.import_module(PACKAGES[kind])
    shipped = {
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(package.__path__)
        if not module.ispkg and not module.name.startswith("_")
    }
    declared = {e.name for e in entry_points(group=f"sottovoce.{kind}")}
    return sorted(shipped | declared | {n for k, n in _known if k == kind})


def get(kind: str, name: str) -> type:
    """The class registered under `name`, imported if need be."""
    if (kind, name) not in _known:
        if name not in names(kind):
            raise RecipeError(f"There is no {kind} called {name!r}.", nearest(name, names(kind)))
        declared = {e.name: e.value for e in entry_points(group=f"sottovoce.{kind}")}
        importlib.import_module(declared.get(name) or f"{PACKAGES[kind]}.{name.replace('-', '_')}")
    return _known[kind, name]


def build(kind: str, name: str, settings: Mapping[str, Any], where: str, also: Sequence[str] = ()) -> Any:
    """The component `name` with these settings, each checked; `where` names the place in the recipe.

    `also` are other keys that this place allows, for the remedy.
    """
    return check(get(kind, name), settings, where, f"setting of the {kind} {name!r}", also)


def check(
    cls: type, settings: Mapping[str, Any], where: str, what: str = "setting", also: Sequence[str] = ()
) -> Any:
    """An instance of a `NamedTuple` class with these settings, each checked against its annotation."""
    from pydantic import TypeAdapter, ValidationError

    fields: tuple[str, ...] = getattr(cls, "_fields", ())
    for key in settings:
        if key not in fields:
            raise RecipeError(f"{where}.{key} is not a {what}.", nearest(key, [*fields, *also]))
    try:
        return TypeAdapter(cls).validate_python(dict(settings))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise RecipeError(f"{where}.{key} = {first['input']!r} cannot be used: {first['msg']}.") from None


def nearest(name: str, valid: list[str]) -> str:
    """A remedy that names the closest valid spelling, or all of them."""
    close = difflib.get_close_matches(name, valid, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Valid names: {', '.join(valid)}." if valid else "It has none."
