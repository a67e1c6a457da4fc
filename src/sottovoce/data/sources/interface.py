"""What a source is, and which published data sets have one.

A source is a `NamedTuple` of its settings, registered with `@component("source", name)`. Its method
`read(data_dir, seed)` returns `Interactions`. Sources that need no files ignore `data_dir`; sources
that draw no random numbers ignore `seed`.

A source of a published data set registers its description too: `@component("source", name,
dataset=Dataset(…))`. If the data set holds something other than interactions, `read` raises an error
and the module has a function `facts(data_dir)` that returns counts to show.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sottovoce import registry
from sottovoce.data import archive, find
from sottovoce.errors import DataError, either

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions


class Source(Protocol):
    """What `load` expects of a source."""

    def read(self, data_dir: Path | None, seed: int) -> "Interactions":
        """The interactions. Files are looked for in `data_dir` first; `seed` seeds random numbers."""
        ...


class Dataset(NamedTuple):
    """A published data set: its name, its files, its terms of use and its home page."""

    name: str
    files: tuple[str, ...]
    """File names. Each of them can hold the interactions."""
    terms: str
    """Terms of use, in one line."""
    home: str
    """The web page to get it from."""
    folders: tuple[str, ...] = ()
    """Other names of its folder or archive."""
    ways: tuple[find.Fetch, ...] = ()
    """Ways to download it, in the order in which they are tried."""

    def locate(self, data_dir: Path | None) -> tuple[Path, str] | None:
        """The file's path and a description of its place; None if it is not on this machine."""
        return find.locate(self.name, self.files, data_dir, self.folders)

    def obtain(self, data_dir: Path | None) -> tuple[Path, str]:
        """The same as `locate`, but downloads the data set if it is missing."""
        home = f"Get it from {self.home} ({self.terms.rstrip('.')}). "
        return find.obtain(self.name, self.files, data_dir, self.ways, folders=self.folders, home=home)


def dataset_of(source: type) -> Dataset | None:
    """The data set that a source class reads; None if it reads any file of its format."""
    found = getattr(source, "dataset", None)
    return found if isinstance(found, Dataset) else None


def counted(name: str, data_dir: Path | None) -> dict[str, Any] | None:
    """Counts of a data set that holds something other than interactions; None for the others."""
    source = registry.get("source", name)
    facts, dataset = getattr(sys.modules[source.__module__], "facts", None), dataset_of(source)
    if facts is None or dataset is None:
        return None
    return {"name": name, **facts(data_dir), "terms": dataset.terms}


def known() -> dict[str, Dataset]:
    """All published data sets that can be loaded by name."""
    found = {name: dataset_of(registry.get("source", name)) for name in registry.names("source")}
    return {name: dataset for name, dataset in found.items() if dataset is not None}


def called(name: str) -> str | None:
    """The source with this name, or the source whose folder or archive has this name."""
    if name in registry.names("source"):
        return name
    return next((n for n, dataset in known().items() if name in dataset.folders), None)


def packed_in(path: Path) -> str | None:
    """The source whose files an archive holds; None if it holds something else.

    If the files fit several data sets, the archive's name decides. A single file with a common name, such as
    ratings.csv, is a table of the user's own.
    """
    held = {n.rsplit("/", 1)[-1].removesuffix(".gz") for n in archive.names(path)}
    own = held - set(find.COMMON) if len(held) == 1 else held
    found = [name for name, dataset in known().items() if own & set(dataset.files)]
    if (named := called(path.stem)) in found:
        return named
    return found[0] if len(found) == 1 and len(held) > 1 else None


def held_by(folder: Path) -> tuple[str, Path] | None:
    """The source whose files are in this folder, and the `data_dir` to read it from.

    If the files fit several data sets, the folder's name decides.
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
            f"The files in {folder} could be any of: {', '.join(found)}.",
            f"Give the data set's name, and this folder with {either('data_dir=', '--data-dir')}.",
        )
    return None
