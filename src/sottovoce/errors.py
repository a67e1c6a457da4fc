"""Every error a person can meet, with what to do about it.

An error is a sentence that says what was wrong and where, followed by a remedy. The command line
prints both and exits with `code`; everything else that escapes is a defect in Sottovoce. What an
error quotes from a file is made printable, wherever the error ends up.

A remedy may name an argument, which the command line calls an option: `either` holds both wordings.
An error's own text speaks Python; `for_command_line` is the same in options.
"""

import re

from sottovoce.printable import printable

DIVERGED = 7
"""The exit code of a run whose models diverged, or tell no items apart. Its results are written."""
_EITHER = re.compile("\ue000([^\ue000-\ue002]*)\ue001([^\ue000-\ue002]*)\ue002")


def either(python: str, command: str) -> str:
    """A passage of an error that Python and the command line word differently."""
    return f"\ue000{python}\ue001{command}\ue002"


def _worded(text: str, way: int) -> str:
    return printable(_EITHER.sub(rf"\{way}", text), keep="\n")


class SottovoceError(Exception):
    """What was wrong and where, and the remedy."""

    code = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem, self.remedy = (_worded(text, 1) for text in (problem, remedy))
        super().__init__(f"{self.problem} {self.remedy}".strip())
        self.for_command_line = f"{_worded(problem, 2)} {_worded(remedy, 2)}".strip()


class RecipeError(SottovoceError):
    """A recipe, an option or a combination of components that cannot be run."""

    code = 2


class DataError(SottovoceError):
    """A file that is missing, malformed or too small, with its place."""

    code = 3


class MessageError(SottovoceError):
    """Bytes from outside that are not a message this node can accept."""

    code = 4


class ResourceError(SottovoceError):
    """A run that does not fit this machine."""

    code = 5


class RunError(SottovoceError):
    """A run directory that is missing, incomplete or does not belong to this recipe."""

    code = 6
