"""Names in a recipe -> components.

A component is a `NamedTuple` of its parameters in a file of its own. Its name is its file's name
with dashes for underscores, so `merge = "model-age"` is looked for in `combine/model_age.py`; only
what a recipe names is imported. Other packages add components through entry points in the group
`sottovoce.<kind>`, whose value names the module that registers them. A name that ends in `.py` is the
path of a file that registers one component of the kind. With `#` and a hash behind it, as a resolved
recipe has it, the file must still be the same.
"""

import difflib
import functools
import hashlib
import importlib
import importlib.abc
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

from sottovoce.errors import RecipeError
from sottovoce.plural import listed

PACKAGES = {
    "source": "sottovoce.data.sources",
    "split": "sottovoce.data.splits",
    "model": "sottovoce.models",
    "compression": "sottovoce.exchange.compression",
    "step": "sottovoce.exchange.steps",
    "merge": "sottovoce.combine",
    "aggregate": "sottovoce.combine.aggregate",
    "peers": "sottovoce.peers",
    "protocol": "sottovoce.protocols",
    "churn": "sottovoce.simulate.churn",
    "links": "sottovoce.simulate.links",
    "reference": "sottovoce.evaluate.references",
}

_known: dict[tuple[str, str], type] = {}
_in_files: dict[tuple[str, str], dict[str, type]] = {}  # by module and kind
_MODULE = "sottovoce_file_"  # and a hash of the content
_FILE = re.compile(r"(?P<path>.+\.py)(#(?P<hash>[0-9a-f]+))?")

T = TypeVar("T", bound=type)
Choice = str | Mapping[str, Any] | tuple[Any, ...]
"""A component: its name, a table with its name and settings, or the component itself."""


def component(kind: str, name: str, **declares: str) -> Callable[[T], T]:
    """Register a class under `name`, for example `@component("merge", "linear", needs="row_age")`.

    What it declares becomes an attribute of the class.
    """

    def register(cls: T) -> T:
        for attribute, value in declares.items():
            setattr(cls, attribute, value)
        if cls.__module__.startswith(_MODULE):
            _in_files.setdefault((cls.__module__, kind), {})[name] = cls
        else:
            _known[kind, name] = cls
        return cls

    return register


def names(kind: str) -> list[str]:
    """All names of a kind: what is shipped, what other packages declare, what was registered."""
    shipped = _shipped(kind)
    declared = {e.name for e in entry_points(group=f"sottovoce.{kind}")}
    return sorted(shipped | declared | {n for k, n in _known if k == kind})


@functools.cache
def _shipped(kind: str) -> set[str]:
    """The names of modules in the kind's package that register a component of this kind."""
    package = importlib.import_module(PACKAGES[kind])
    files = [path for folder in package.__path__ for path in Path(folder).glob("*.py")]
    mark = re.compile(rf'^@component\("{kind}",', re.MULTILINE)
    return {path.stem.replace("_", "-") for path in files if mark.search(path.read_text("utf-8"))}


def get(kind: str, name: str) -> type:
    """The class registered under `name`, imported if need be."""
    if is_file(name):
        return _in_file(kind, name)
    if (kind, name) not in _known:
        if name not in names(kind):
            raise RecipeError(f"There is no {kind} called {name!r}.", nearest(name, names(kind)))
        declared = {e.name: e.value for e in entry_points(group=f"sottovoce.{kind}")}
        importlib.import_module(declared.get(name) or f"{PACKAGES[kind]}.{name.replace('-', '_')}")
    return _known[kind, name]


def is_file(name: str) -> bool:
    """Whether a name is the path of a file of one's own."""
    return _FILE.fullmatch(name) is not None


def pinned(name: str) -> str:
    """A name that stands for just this component: the path of a file from the root on, with its hash."""
    if not is_file(name):
        return name
    path, source = _opened(name)
    return f"{path.resolve()}#{_digest(source)}"


def label(name: str) -> str:
    """A name to show: of a file, what it is called."""
    return Path(name.partition("#")[0]).stem if is_file(name) else name


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()[:16]


def _opened(name: str) -> tuple[Path, bytes]:
    """The path and content of a file, if it has the hash that is asked for."""
    found = _FILE.fullmatch(name)
    assert found is not None
    path = Path(found["path"]).expanduser()
    try:
        source = path.read_bytes()
    except OSError as error:
        raise RecipeError(
            f"{path} cannot be read: {error.strerror}.", "Give the path of your file."
        ) from None
    if found["hash"] not in (None, _digest(source)):
        raise RecipeError(
            f"{path} has changed since this recipe was written.",
            f"To use it as it is now, name it without {'#' + found['hash']}.",
        )
    return path, source


class _Loader(importlib.abc.SourceLoader):
    """A file as it was read; no compiled copy of it, which might be older, is used or left behind."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path, self.source = path, source

    def get_filename(self, fullname: str) -> str:
        return str(self.path.resolve())

    def get_data(self, path: Any) -> bytes:
        return self.source


def _in_file(kind: str, name: str) -> type:
    """The one component of this kind that a file registers. The file is run, once for each content."""
    path, source = _opened(name)
    module = f"{_MODULE}{_digest(source)}"
    if module not in sys.modules:
        _run_file(module, path, source)
    found = _in_files.get((module, kind), {})
    if len(found) != 1:
        what = f"registers {len(found)} components of the kind {kind}"
        remedy = f'Mark one class in it with @component("{kind}", "{label(name)}").'
        raise RecipeError(f"{path} {what}{': ' * bool(found)}{', '.join(found)}.", remedy)
    cls = next(iter(found.values()))
    from sottovoce.kernels import missing

    lacking = missing(cls, PACKAGES[kind])
    if lacking:
        raise RecipeError(f"{path}: {cls.__name__} lacks {', '.join(lacking)}.", "Add what is missing.")
    return cls


def _run_file(module: str, path: Path, source: bytes) -> None:
    spec = importlib.util.spec_from_loader(module, _Loader(path, source))
    assert spec is not None
    assert spec.loader is not None
    sys.modules[module] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(sys.modules[module])
    except Exception as error:
        del sys.modules[module]
        trace, line = error.__traceback__, getattr(error, "lineno", None)
        while trace is not None:
            line = trace.tb_lineno if trace.tb_frame.f_code.co_filename == str(path.resolve()) else line
            trace = trace.tb_next
        where = f"{path}, line {line}" if line else str(path)
        what = getattr(error, "msg", None) or error
        raise RecipeError(f"{where}: {type(error).__name__}: {what}.", "Correct that place.") from error


def chosen(kind: str, choice: "Choice") -> Any:
    """A component that is given by name, by name and settings, or as it is."""
    if isinstance(choice, str):
        return build(kind, choice, {}, kind)
    if isinstance(choice, Mapping):
        return build(kind, str(choice["name"]), {k: v for k, v in choice.items() if k != "name"}, kind)
    return choice


def build(kind: str, name: str, settings: Mapping[str, Any], where: str, also: Sequence[str] = ()) -> Any:
    """The component `name` with these settings, each checked; `where` names the place in the recipe.

    `also` are other keys that this place allows, for the remedy.
    """
    return check(get(kind, name), settings, where, f"setting of the {kind} {label(name)!r}", also)


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
    """A remedy that names the closest valid spelling, or else all, or the ten closest of many."""
    close = difflib.get_close_matches(name, valid, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    ten = difflib.get_close_matches(name, valid, n=10, cutoff=0)
    return (
        f"Valid names: {listed(sorted(valid, key=lambda one: one not in ten))}." if valid else "It has none."
    )
