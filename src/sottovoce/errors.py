"""Every error a person can meet, with what to do about it.

An error is a sentence that says what was wrong and where, followed by a remedy. The command line
prints both and exits with `code`; everything else that escapes is a defect in Sottovoce. What an
error quotes from a file is made printable, wherever the error ends up.
"""

from sottovoce.printable import printable

DIVERGED = 7
"""The exit code of a run whose models diverged, or tell no items apart. Its results are written."""


class SottovoceError(Exception):
    """What was wrong and where, and the remedy."""

    code = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem = printable(problem, keep="\n")
        self.remedy = printable(remedy, keep="\n")
        super().__init__(f"{self.problem} {self.remedy}".strip())


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
