"""Read the source for the reference pages: docstrings of fields, types and defaults in words, tables."""

import ast
import inspect
import itertools
import math
import re
import sys
import textwrap
import types
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Gt, Le, Lt

from sottovoce import registry
from sottovoce.experiments.recipe import toml


def shipped(kind: str) -> dict[str, type]:
    """The components of a kind that are part of Sottovoce, without those of other packages."""
    found = {name: registry.get(kind, name) for name in registry.names(kind)}
    return {name: cls for name, cls in found.items() if cls.__module__.startswith("sottovoce.")}


def text(thing: Any) -> str:
    """A docstring as Markdown. Only its examples need a change."""
    written = thing.__doc__ or ""
    plain = written.strip() if inspect.ismodule(thing) else inspect.cleandoc(written)
    example = r"(?:^>>> .*\n)+(?:^(?!>>>).+\n)*"
    return re.sub(example, r"```pycon\n\g<0>```\n", plain + "\n", flags=re.MULTILINE).strip()


def module_text(cls: type) -> str:
    """The docstring of the module that a class is in."""
    return text(sys.modules[cls.__module__])


def field_texts(cls: Any) -> dict[str, str]:
    """The docstrings below the fields of a class and of its bases, or below what its `__init__` sets.

    Fields that the class takes over from another, `cls.shares`, are documented there.
    """
    base = cls.__bases__[0]
    found = field_texts(base) if hasattr(base, "_fields") else {}
    if hasattr(cls, "shares"):
        found |= field_texts(cls.shares)
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(tree, ast.ClassDef)
    bodies = [tree.body, *(f.body for f in tree.body if getattr(f, "name", "") == "__init__")]
    for field, after in (pair for body in bodies for pair in itertools.pairwise(body)):
        target = field.targets[0] if isinstance(field, ast.Assign) else getattr(field, "target", None)
        name = getattr(target, "id", None) or getattr(target, "attr", None)
        if name and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            found[name] = inspect.cleandoc(str(after.value.value))
    return found


def kind_of(annotation: Any, limits: Iterable[Any] = ()) -> str:
    """A type in words: "int, 1 to 512"."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return kind_of(arguments[0], [*arguments[1:], *limits])
    if origin is Literal:
        return " or ".join(f"`{toml.value(choice)}`" for choice in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(kind_of(a) for a in arguments if a is not type(None))
    if origin in (list, tuple):
        inner = kind_of(arguments[0]) if arguments else "anything"
        return f"list of {inner}"
    if origin is dict:
        return "table"
    name = {str: "text", int: "whole number", float: "number", bool: "true or false"}.get(annotation)
    return (name or str(getattr(annotation, "__name__", annotation))) + _range(limits)


def _range(limits: Iterable[Any]) -> str:
    """The bounds of a field, from annotated-types or pydantic."""
    flat = [inner for limit in limits for inner in getattr(limit, "metadata", [limit])]
    low = next((f"from {_number(m.ge)}" for m in flat if isinstance(m, Ge)), "")
    low = next((f"above {_number(m.gt)}" for m in flat if isinstance(m, Gt)), low)
    high = next((f"to {_number(m.le)}" for m in flat if isinstance(m, Le)), "")
    high = next((f"below {_number(m.lt)}" for m in flat if isinstance(m, Lt)), high)
    said = " ".join(part for part in (low, high) if part)
    return f", {said}" if said else ""


def _number(value: Any) -> str:
    return "2⁶³" if value == 2**63 else f"{value:,}" if isinstance(value, int) else f"{value:g}"


def default_of(value: Any) -> str:
    """A default as it is written in a recipe."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "—"
    return f"`{toml.value(value)}`"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table. The last column is left out if it is empty."""
    found = list(rows)
    width = len(header) - (not any(row[-1] for row in found))
    lines = [row[:width] for row in (header, ["---"] * len(header), *found)]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(content: str) -> str:
    return " ".join(content.split()).replace("|", "\\|")


def settings(cls: Any) -> str:
    """The fields of a NamedTuple as a table; a sentence if it has none."""
    if not getattr(cls, "_fields", ()):
        return "No settings."
    hints = get_type_hints(cls, include_extras=True)
    texts = field_texts(cls)
    rows = []
    for name in cls._fields:
        default = default_of(cls._field_defaults[name]) if name in cls._field_defaults else "needed"
        rows.append([f"`{name}`", kind_of(hints[name]), default, texts.get(name, "")])
    return table(["setting", "value", "default", "meaning"], rows)
