"""Writing the TOML of a recipe: one level of sections with plain values.

The standard library reads TOML but does not write it. Reading the text back gives equal values.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def dumps(document: Mapping[str, Mapping[str, Any]]) -> str:
    """A TOML document with one `[section]` per entry; tables inside a section are written inline."""
    sections = []
    for name, table in document.items():
        lines = [f"[{_key(name)}]", *(f"{_key(k)} = {value(v)}" for k, v in table.items())]
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections)


def value(thing: Any) -> str:
    """One value as TOML."""
    match thing:
        case bool():
            return "true" if thing else "false"
        case int():
            return str(thing)
        case float():
            return repr(thing) if math.isfinite(thing) else str(thing)
        case str():
            # JSON's escapes are TOML's, except that TOML also wants DEL escaped.
            return json.dumps(thing, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list() | tuple():
            return f"[{', '.join(value(v) for v in thing)}]"
        case Mapping():
            return (
                f"{{ {', '.join(f'{_key(k)} = {value(v)}' for k, v in thing.items())} }}" if thing else "{}"
            )
    raise TypeError(f"TOML has no form for {thing!r}")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else value(name)
