"""Where interactions come from. One file per format, registered with `@component("source", name)`.

A source is a `NamedTuple` of its settings with a method `read(data_dir, seed)` that returns
`Interactions`. Sources that need no files ignore `data_dir`; those that draw nothing ignore `seed`.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions


class Source(Protocol):
    """What `load` expects of a source."""

    def read(self, data_dir: Path | None, seed: int) -> "Interactions":
        """The interactions, looked for in `data_dir` first, with random numbers of `seed`."""
        ...
