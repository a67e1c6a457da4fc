"""The Python interface, from docstrings."""

import functools
import inspect
from typing import Any

import sottovoce
from docs.generate.source import field_texts, table, text
from docs.generate.tour import TOUR
from sottovoce.cli.doctor import Check
from sottovoce.errors import SottovoceError
from sottovoce.evaluate.significance import compare
from sottovoce.experiments.audit.audit import Audit
from sottovoce.experiments.functions import Page, Sweep
from sottovoce.experiments.newcomers import Newcomers, Served
from sottovoce.experiments.recipe.shipped import Shipped
from sottovoce.experiments.runs.tables import Consumed, Recommendation
from sottovoce.node.drawn import Draw, group_of, lottery
from sottovoce.node.group import GroupAdder
from sottovoce.node.push import PushSum, plain_sums
from sottovoce.node.secure import SecureServer

PAGE = "python.md"


def page() -> str:
    parts = [
        "# The Python interface",
        text(sottovoce).partition("\n\n")[2].rpartition("\n\n")[0],
        (
            "Every argument of `run` is a key of [a recipe](recipe.md). The result has the content of "
            "[a run directory](run-directory.md)."
        ),
    ]
    parts.append(TOUR)
    for name in sottovoce.__all__:
        if name.startswith("_") or inspect.isclass(getattr(sottovoce, name)):
            continue
        parts += _about(f"sottovoce.{name}", getattr(sottovoce, name))
    for name in ("Run", "Interactions", "Catalog", "Community", "Met", "Node"):
        parts += _about(f"sottovoce.{name}", getattr(sottovoce, name))
    for thing in (Draw, group_of, lottery, GroupAdder, PushSum, plain_sums, SecureServer):
        parts += _about(f"{thing.__module__}.{thing.__name__}", thing)
    for cls in (Recommendation, Consumed, Sweep, Page, Audit, Newcomers, Served, Shipped, Check):
        parts += _about(cls.__name__, cls)
    parts += _about("sottovoce.evaluate.significance.compare", compare)
    errors = [SottovoceError, *SottovoceError.__subclasses__()]
    rows = [[f"`{e.__name__}`", str(e.code), text(e)] for e in errors if e.__module__ == "sottovoce.errors"]
    return "\n\n".join(
        [
            *parts,
            "## Errors",
            "All errors are in `sottovoce.errors`.",
            table(["error", "exit code", "meaning"], rows),
        ]
    )


def _about(title: str, thing: Any) -> list[str]:
    parts = [f"## `{title}`"]
    if not inspect.isclass(thing):
        return [*parts, _signature(title.rpartition(".")[2], thing), text(thing)]
    parts.append(text(thing))
    rows = [[f"`{name}`", said] for name, said in _attributes(thing).items()]
    if rows:
        parts.append(table(["attribute", "meaning"], rows))
    for name, member in _members(thing).items():
        method = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if inspect.isfunction(method) and not name.startswith("_") and method.__doc__:
            parts += [f"### `{name}`", _signature(name, method), text(method)]
    return parts


def _bases(cls: type) -> list[type]:
    """The class and ours that it is made of, those that it is made of first."""
    return [base for base in reversed(cls.__mro__) if base.__module__.startswith("sottovoce.")]


def _members(cls: type) -> dict[str, Any]:
    return {name: member for base in _bases(cls) for name, member in vars(base).items()}


def _attributes(cls: type) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in _bases(cls):
        found |= dict.fromkeys(inspect.get_annotations(base), "") | field_texts(base)
    found = {name: said for name, said in found.items() if not name.startswith("_")}
    for name, member in _members(cls).items():
        if isinstance(member, property | functools.cached_property) and not name.startswith("_"):
            found[name] = text(member)
    return found


def _signature(name: str, function: Any) -> str:
    shown: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        if parameter.name not in ("self", "cls"):
            shown.append(str(parameter.replace(annotation=parameter.empty)))
    line = f"{name}({', '.join(shown)})"
    if len(line) > 90:
        line = f"{name}(\n    " + ",\n    ".join(shown) + ",\n)"
    return f"```text\n{line}\n```"
