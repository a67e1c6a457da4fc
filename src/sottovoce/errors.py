"""All errors that a user can meet.

An error says what was wrong and where, followed by a remedy. The command line prints both and exits
with `code`; any other exception is a defect in Sottovoce. Text that an error quotes from a file is made
printable first.

Python calls a parameter by its argument, the command line by its option. `either` holds both wordings:
`str(error)` uses the Python one, `for_command_line` the other one.
"""

import re

from sottovoce.printable import printable

DIVERGED = 7
"""Exit code of a run whose models diverged or give all items the same score. Results are written."""
_EITHER = re.compile("\ue000([^\ue000-\ue002]*)\ue001([^\ue000-\ue002]*)\ue002")


def either(python: str, command: str) -> str:
    """Text for an error that has a Python wording and a command-line wording."""
    return f"\ue000{python}\ue001{command}\ue002"


def _worded(text: str, way: int) -> str:
    return printable(_EITHER.sub(rf"\{way}", text), keep="\n")


class SottovoceError(Exception):
    """An error with a problem (what was wrong, and where) and a remedy (what to do)."""

    code = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem, self.remedy = (_worded(text, 1) for text in (problem, remedy))
        super().__init__(f"{self.problem} {self.remedy}".strip())
        self.for_command_line = f"{_worded(problem, 2)} {_worded(remedy, 2)}".strip()


class RecipeError(SottovoceError):
    """A recipe, an option or a combination of components cannot be run."""

    code = 2


class DataError(SottovoceError):
    """A data file is missing, malformed or too small."""

    code = 3


class MessageError(SottovoceError):
    """Received bytes are not a message that this node can accept."""

    code = 4


class ResourceError(SottovoceError):
    """A run needs more memory or disk space than this machine has."""

    code = 5


class RunError(SottovoceError):
    """A run directory is missing, incomplete, or belongs to another recipe."""

    code = 6
