"""`audit.json` of a run directory, read again."""

import json
from pathlib import Path
from typing import Any

from sottovoce.errors import RunError
from sottovoce.experiments.audit.sentences import best

AUDIT = "audit.json"
FORMAT = 1


def read(directory: Path) -> dict[str, Any] | None:
    """What the audit of a run found; None if there was none."""
    path = directory / AUDIT
    try:
        found = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        raise damaged(path) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise damaged(path)
    return found


def short(found: dict[str, Any]) -> dict[str, Any]:
    """The same with the best way of each attack alone, and without the figures after fewer rounds."""
    entries = best(found["attacks"]).values()
    return found | {"attacks": [{**entry, "over_rounds": entry["over_rounds"][-1:]} for entry in entries]}


def damaged(path: Path) -> RunError:
    """The error about a file that is not what this version writes."""
    return RunError(
        f"{path} is damaged, or was written by another version.",
        "Write it anew with: sottovoce audit, or delete it.",
    )
