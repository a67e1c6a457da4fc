"""What pydantic refuses, in our words: what is allowed, and what was given.

A setting that may be of several types is refused once for each of them. All of these are said together,
unless the value went further in one of them: `disclose = ["vector"]` is a list, so only its item is wrong.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sottovoce.plural import count

_TYPES = {
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "string": "text",
    "list": "a list",
    "tuple": "a list",
    "set": "a list",
    "dict": "a table",
    "model": "a table",
    "mapping": "a table",
}
_BOUNDS = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "finite_number": "a finite number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a smaller number",
    "none_required": "left out",
}
_TAGS = {"bool", "int", "float", "str", "none", "constrained-int", "constrained-float", "constrained-str"}
_LONGEST = 80
MISSING = "is missing."
Found = Mapping[str, Any]
Place = tuple[int | str, ...]


class Refused(NamedTuple):
    """The first value that is not allowed."""

    place: Place
    """The keys that lead to it; lists count from 0."""
    said: str
    """What follows the key in a sentence, such as `= 0 cannot be used: it must be at least 1.`"""


def refused(errors: Sequence[Found]) -> Refused:
    """The first mistake of those that pydantic found."""
    place = _place(errors[0])
    about = [error for error in errors if _place(error)[: len(place)] == place]
    deepest = max(about, key=lambda error: len(_place(error)))
    place = _place(deepest)
    about = [error for error in about if _place(error) == place]
    if all(error["type"] in ("missing", "missing_argument") for error in about):
        return Refused(place, MISSING)
    shown = repr(deepest["input"])
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
    ways = [way for error in about if (way := _wanted(error))]
    said = f"it must {' or '.join(dict.fromkeys(ways))}" if ways else _theirs(deepest)
    return Refused(place, f"= {shown} cannot be used: {said.replace(' or be ', ' or ')}.")


def dotted(place: Place) -> str:
    """Keys as one: `privacy.steps.1`, where lists count from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in place)


def _place(error: Found) -> Place:
    """Where it is, without the names of types that pydantic adds where there is a choice."""
    return tuple(part for part in error["loc"] if isinstance(part, int) or not _tag(part))


def _tag(part: str) -> bool:
    return part in _TAGS or "[" in part or part[:1].isupper()


def _wanted(error: Found) -> str:
    """What is allowed, as the end of a sentence: it must …"""
    kind, context = error["type"], error.get("ctx", {})
    if kind in ("too_short", "too_long"):
        limit = context["min_length" if kind == "too_short" else "max_length"]
        return f"have at {'least' if kind == 'too_short' else 'most'} {count(limit, 'entry')}"
    if kind == "string_too_short":
        return "not be empty"
    if context.get("class_name") == "Named":
        return "be the name of a component or a table with its name"
    numbers = {key: f"{v:g}" if isinstance(v, float) else v for key, v in context.items()}
    wanted = _BOUNDS.get(kind, "").format_map(numbers)
    if not wanted and kind.endswith(("_type", "_parsing")):
        wanted = _TYPES.get(kind.rpartition("_")[0], "")
    return f"be {wanted}" if wanted else ""


def _theirs(error: Found) -> str:
    """What pydantic says, for kinds of mistakes that are not known here."""
    return str(error["msg"]).removeprefix("Value error, ").replace("Input should", "it should").rstrip(".")
