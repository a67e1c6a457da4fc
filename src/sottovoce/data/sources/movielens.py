"""MovieLens (Harper & Konstan, ACM TiiS 5(4), 2015): all editions in one table.

Editions from 1M on have ratings in one file and films in another: `ratings.dat` and `movies.dat`, or
`ratings.csv` and `movies.csv`. 100K has files of its own, which `movielens_100k` reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from sottovoce.data import find, table
from sottovoce.data.catalogs import Which, choose, of_rows
from sottovoce.data.interactions import Catalog, Interactions, build
from sottovoce.data.sources import movielens_100k
from sottovoce.data.sources.interface import Dataset, dataset_of
from sottovoce.registry import component

RESEARCH = movielens_100k.TERMS
SHARED = "Research use, redistribution under the same terms, no commercial use; cite Harper & Konstan 2015."
FILES = "https://files.grouplens.org/datasets/movielens/"
HOME = "https://grouplens.org/datasets/movielens/"
NO_GENRES = "(no genres listed)"


class Layout(NamedTuple):
    """How the files of an edition are written."""

    separator: str
    header: bool
    encoding: str
    """Of the file of films."""
    scale: tuple[float, float]
    """The lowest and the highest rating."""


WHOLE_STARS = Layout("::", False, "latin-1", (1.0, 5.0))
HALF_STARS = Layout("::", False, "utf-8", (0.5, 5.0))
CSV = Layout(",", True, "utf-8", (0.5, 5.0))


class Edition(NamedTuple):
    """A row of the table."""

    file: str
    layout: Layout
    terms: str
    checksum: str = ""
    """SHA-256 or MD5 of the archive; without one the edition is not downloaded."""
    folders: tuple[str, ...] = ()


EDITIONS = {
    "ml-1m": Edition(
        "ratings.dat",
        WHOLE_STARS,
        RESEARCH,
        "a6898adb50b9ca05aa231689da44c217cb524e7ebd39d264c56e2832f2c54e20",
    ),
    "ml-10m": Edition(
        "ratings.dat", HALF_STARS, RESEARCH, "ce571fd55effeba0271552578f2648bd", ("ml-10M100K",)
    ),
    "ml-20m": Edition("ratings.csv", CSV, SHARED, "cd245b17a1ae2cc31bb14903e1204af3"),
    "ml-25m": Edition("ratings.csv", CSV, SHARED, "6b51fb2759a8657d3bfcbfc42b592ada"),
    "ml-32m": Edition("ratings.csv", CSV, SHARED),
    "ml-latest-small": Edition("ratings.csv", CSV, SHARED),
}
SETS = {
    name: Dataset(
        name,
        (edition.file,),
        edition.terms,
        HOME,
        edition.folders,
        (find.home(f"{FILES}{name}.zip", edition.checksum),) if edition.checksum else (),
    )
    for name, edition in EDITIONS.items()
}


@component("source", "ml-100k", dataset=movielens_100k.SET)
class MovieLens100K(NamedTuple):
    """943 people, 1,682 films, 100,000 ratings from 1 to 5."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, downloaded if they are missing."""
        return movielens_100k.obtain(data_dir)


class _MovieLens(NamedTuple):
    catalog: Which = "rated"
    """`rated`: films with a rating. `listed`: all films of the list. `range`: all numbers up to the
    highest id."""

    def read(self, data_dir: Path | None = None, seed: int = 0) -> Interactions:
        """The ratings, downloaded if they are missing."""
        dataset = dataset_of(type(self))
        assert dataset is not None
        return read(dataset, EDITIONS[dataset.name].layout, data_dir, self.catalog)


@component("source", "ml-1m", dataset=SETS["ml-1m"])
class MovieLens1M(_MovieLens):
    """6,040 people, 3,706 films, 1,000,209 ratings from 1 to 5."""


@component("source", "ml-10m", dataset=SETS["ml-10m"])
class MovieLens10M(_MovieLens):
    """69,878 people, 10,677 films, 10,000,054 ratings from 0.5 to 5."""


@component("source", "ml-20m", dataset=SETS["ml-20m"])
class MovieLens20M(_MovieLens):
    """138,493 people, 26,744 films, 20,000,263 ratings from 0.5 to 5."""


@component("source", "ml-25m", dataset=SETS["ml-25m"])
class MovieLens25M(_MovieLens):
    """162,541 people, 59,047 films, 25,000,095 ratings from 0.5 to 5."""


@component("source", "ml-32m", dataset=SETS["ml-32m"])
class MovieLens32M(_MovieLens):
    """200,948 people, 87,585 films listed, 32,000,204 ratings from 0.5 to 5."""


@component("source", "ml-latest-small", dataset=SETS["ml-latest-small"])
class MovieLensLatestSmall(_MovieLens):
    """610 people, 9,724 films, 100,836 ratings from 0.5 to 5 (the edition of September 2018)."""


def read(dataset: Dataset, form: Layout, data_dir: Path | None, which: Which = "rated") -> Interactions:
    """The ratings, with titles and genres from the file `movies.…` beside `ratings.…`."""
    path, where = dataset.obtain(data_dir)
    content = table.read_text(path, form.separator, header=form.header, fields=4)
    item = content.ids(1, "item")
    about = find.beside(path, path.name.removesuffix(".gz").replace("ratings", "movies"))
    catalog = of_rows(dataset.name, item) if about is None else films(about, dataset.name, form)
    return build(
        dataset.name,
        content.ids(0, "user"),
        item,
        content.numbers(2, "rating", form.scale),
        content.times(3),
        catalog=choose(catalog, item, which),
        scale=form.scale,
        terms=dataset.terms,
        source=where if about else f"{where}, without titles because the file of films is missing",
    )


def films(path: Path, name: str, form: Layout) -> Catalog:
    """The films of a file with the columns `id, title, genre|genre|…`."""
    content = table.read_text(path, form.separator, header=form.header, fields=3, encoding=form.encoding)
    genres = [tuple(g for g in kinds.split("|") if g and g != NO_GENRES) for kinds in content.texts(2)]
    return Catalog(name, content.ids(0, "item").astype(np.str_), content.texts(1), genres)
