"""Where interactions come from. One file per format, registered with `@component("source", name)`.

A source is a `NamedTuple` of its settings with a method `read(data_dir, seed)` that returns
`Interactions`. Sources that need no files ignore `data_dir`; those that draw nothing ignore `seed`.
The module of a data set that is known by name describes it in `SET`. One that holds something else than
interactions refuses `read`, and counts what it has in a function `facts(data_dir)`.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sottovoce import registry
from sottovoce.data import find
from sottovoce.errors import DataError, either

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions


class Source(Protocol):
    """What `load` expects of a source."""

    def read(self, data_dir: Path | None, seed: int) -> "Interactions":
        """The interactions, looked for in `data_dir` first, with random numbers of `seed`."""
        ...


class Dataset(NamedTuple):
    """A published data set: what it is called, where it is, what one may do with it."""

    name: str
    files: tuple[str, ...]
    """Any of these is the file with the interactions."""
    terms: str
    """Terms of use, in one line."""
    home: str
    """The page that one gets it from."""
    folders: tuple[str, ...] = ()
    """Other names of its folder or archive."""
    ways: tuple[find.Fetch, ...] = ()

    def locate(self, data_dir: Path | None) -> tuple[Path, str] | None:
        """The file and in words where it is, if it is on this machine."""
        return find.locate(self.name, self.files, data_dir, self.folders)

    def obtain(self, data_dir: Path | None) -> tuple[Path, str]:
        """The same, fetched if need be."""
        home = f"Get it from {self.home} ({self.terms.rstrip('.')}). "
        return find.obtain(self.name, self.files, data_dir, self.ways, folders=self.folders, home=home)


def described(name: str) -> Dataset | None:
    """What the module of a source says of its data set; None if it reads any file of its format."""
    found = getattr(sys.modules[registry.get("source", name).__module__], "SET", None)
    return found if isinstance(found, Dataset) else None


def counted(name: str, data_dir: Path | None) -> dict[str, Any] | None:
    """What is said about a data set that holds something else than interactions; None for others."""
    facts = getattr(sys.modules[registry.get("source", name).__module__], "facts", None)
    dataset = described(name)
    if facts is None or dataset is None:
        return None
    return {"name": name, **facts(data_dir), "terms": dataset.terms}


def known() -> dict[str, Dataset]:
    """All data sets that have a name, by it."""
    found = {name: described(name) for name in registry.names("source")}
    return {name: dataset for name, dataset in found.items() if dataset is not None}


def called(name: str) -> str | None:
    """The source of this name, or the one whose folder or archive has it."""
    if name in registry.names("source"):
        return name
    return next((n for n, dataset in known().items() if name in dataset.folders), None)


def held_by(folder: Path) -> tuple[str, Path] | None:
    """The source whose files lie in this folder, and the directory of data sets to read it from.

    The folder's name decides between data sets whose files are called alike.
    """
    found = {}
    for name, dataset in known().items():
        root = folder.parent if folder.name == name else folder
        path = find.look(root, (name, *dataset.folders), dataset.files, bare=True)
        if path is not None and path.is_relative_to(folder):
            found[name] = root
    own = called(folder.name)
    if own in found or len(found) == 1:
        name = own if own in found else next(iter(found))
        return name, found[name]
    if found:
        raise DataError(
            f"{folder} may be any of: {', '.join(found)}.",
            f"Say which by its name, and name the folder with {either('data_dir=', '--data-dir')}.",
        )
    return None
