"""Find the component that a recipe names.

A component is a class with its parameters as fields (a `NamedTuple`), marked with
`@component(kind, name)`. It can come from three places:

- The package of its kind, for example `sottovoce.combine` for merge rules. The name and kind are read
  from the source text, so that only the modules that a recipe needs are imported. Both must therefore
  be written out in `@component(…)`.
- Another installed package, through an entry point in the group `sottovoce.<kind>`. Its value is the
  module that registers the component.
- A file of one's own: a name that ends in `.py` is a path. The file must register exactly one component
  of the kind. A resolved recipe adds `#` and a hash; the file is then refused if it has changed.
"""

import difflib
import functools
import hashlib
import importlib
import importlib.abc
import importlib.util
import math
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sottovoce.allowed import dotted, refused
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
    "sum": "sottovoce.combine.sums",
    "peers": "sottovoce.peers",
    "protocol": "sottovoce.protocols",
    "churn": "sottovoce.simulate.churn",
    "links": "sottovoce.simulate.links",
    "attack": "sottovoce.simulate.attacks",
    "reference": "sottovoce.evaluate.references",
}

_known: dict[tuple[str, str], type] = {}
_in_files: dict[tuple[str, str], dict[str, type]] = {}  # by module and kind
_MODULE = "sottovoce_file_"  # followed by a hash of the content
_MARK = re.compile(r'^@component\(\s*"([^"]+)",\s*"([^"]+)"', re.MULTILINE)
_FILE = re.compile(r"(?P<path>.+\.py)(#(?P<hash>[0-9a-f]+))?")

T = TypeVar("T", bound=type)
Choice = str | Mapping[str, Any] | tuple[Any, ...]
"""A component: its name, a table with `name` and settings, or the component itself."""


def component(kind: str, name: str, **declares: Any) -> Callable[[T], T]:
    """Register a class under `name`, for example `@component("merge", "linear", needs="row_age")`.

    Each further argument becomes an attribute of the class.
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


def with_fields(cls: Any, shared: Any, before: str = "") -> Any:
    """The class with the fields of `shared` put before its field `before`, or behind all others.

    A `NamedTuple` cannot inherit fields. So settings that several components share are declared once, and
    the class of each is built anew with them.
    """
    names = list(cls._fields)
    at = names.index(before) if before else len(names)
    hints = {name: cls.__annotations__[name] for name in names[:at]}
    hints |= shared.__annotations__
    hints |= {name: cls.__annotations__[name] for name in names[at:]}
    about = {"__doc__": cls.__doc__, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    body = {"__annotations__": hints, **shared._field_defaults, **cls._field_defaults, **about}
    made: Any = types.new_class(cls.__name__, (NamedTuple,), exec_body=lambda space: space.update(body))
    made.shares = shared  # where the reference finds what these fields mean
    return made


@functools.cache
def _shipped(kind: str) -> dict[str, str]:
    """The modules of a kind's package, by the names of the components that their sources register."""
    folder = importlib.import_module(PACKAGES[kind]).__path__[0]
    return {
        name: f"{PACKAGES[kind]}.{path.stem}"
        for path in sorted(Path(folder).glob("*.py"))
        for marked, name in _MARK.findall(path.read_text("utf-8"))
        if marked == kind
    }


def names(kind: str) -> list[str]:
    """All names of a kind: those shipped, those of other packages, and those registered so far."""
    declared = {e.name for e in entry_points(group=f"sottovoce.{kind}")}
    return sorted(_shipped(kind).keys() | declared | {n for k, n in _known if k == kind})


def get(kind: str, name: str) -> type:
    """The class registered under `name`. Its module is imported if necessary."""
    if is_file(name):
        return _in_file(kind, name)
    if (kind, name) not in _known:
        if name not in names(kind):
            there = "There are no" if kind.endswith("s") else "There is no"
            raise RecipeError(f"{there} {kind} called {name!r}.", nearest(name, names(kind)))
        declared = {e.name: e.value for e in entry_points(group=f"sottovoce.{kind}")}
        importlib.import_module(declared.get(name) or _shipped(kind)[name])
    return _known[kind, name]


def is_file(name: str) -> bool:
    """Whether a name is the path of a file of one's own."""
    return _FILE.fullmatch(name) is not None


def pinned(name: str) -> str:
    """The name for a resolved recipe: a file gets its absolute path and its hash, other names stay."""
    if not is_file(name):
        return name
    path, source = _opened(name)
    return f"{path.resolve()}#{_digest(source)}"


def label(name: str) -> str:
    """The name to show: a file's name without folder and suffix, other names as they are."""
    return Path(name.partition("#")[0]).stem if is_file(name) else name


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()[:16]


def _opened(name: str) -> tuple[Path, bytes]:
    """The path and content of a file. Refused if the name has a hash and the content another."""
    found = _FILE.fullmatch(name)
    assert found is not None
    path = Path(found["path"]).expanduser()
    try:
        source = path.read_bytes()
    except OSError as error:
        raise RecipeError(
            f"{path} cannot be read: {error.strerror}.", "Write the path of an existing Python file."
        ) from None
    if found["hash"] not in (None, _digest(source)):
        raise RecipeError(
            f"{path} has changed since this recipe was written.",
            f"To use the file as it is now, remove {'#' + found['hash']} from the name.",
        )
    return path, source


class _Loader(importlib.abc.SourceLoader):
    """Runs a file from the bytes that were read. No compiled copy is used (it could be old) or written."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path, self.source = path, source

    def get_filename(self, fullname: str) -> str:
        return str(self.path.resolve())

    def get_data(self, path: Any) -> bytes:
        return self.source


def _in_file(kind: str, name: str) -> type:
    """The one component of this kind that a file registers. The file is run once per content."""
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
        raise RecipeError(
            f"{path}: {cls.__name__} lacks {', '.join(lacking)}.", "Add each of them to the file."
        )
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
        remedy = "Correct the Python code: the file must run without an error."
        raise RecipeError(f"{where}: {type(error).__name__}: {what}.", remedy) from error


def chosen(kind: str, choice: "Choice") -> Any:
    """The component that a `Choice` describes."""
    if isinstance(choice, str):
        return build(kind, choice, {}, kind)
    if isinstance(choice, Mapping):
        return build(kind, str(choice["name"]), {k: v for k, v in choice.items() if k != "name"}, kind)
    return choice


def build(kind: str, name: str, settings: Mapping[str, Any], where: str, also: Sequence[str] = ()) -> Any:
    """The component `name` with these settings. Each setting is checked.

    `where` is the place in the recipe, for errors. `also` lists other keys that are allowed in this
    place; errors suggest them too.
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
        if isinstance(settings[key], float) and math.isinf(settings[key]):
            raise RecipeError(f"{where}.{key} = {settings[key]} cannot be used: it must be a finite number.")
    try:
        return TypeAdapter(cls).validate_python(dict(settings))
    except ValidationError as error:
        place, said = refused(error.errors())
        raise RecipeError(f"{where}.{dotted(place)} {said}") from None


def nearest(name: str, valid: list[str]) -> str:
    """A remedy: the closest valid name, or else a list of valid names (the ten closest of many)."""
    close = difflib.get_close_matches(name, valid, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    ten = difflib.get_close_matches(name, valid, n=10, cutoff=0)
    return (
        f"Valid names: {listed(sorted(valid, key=lambda one: one not in ten))}." if valid else "It has none."
    )
