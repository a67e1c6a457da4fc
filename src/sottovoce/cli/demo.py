"""`sottovoce demo`: the default, from data to one person's list."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sottovoce.cli import options
from sottovoce.cli.screen import say

if TYPE_CHECKING:
    from sottovoce.data.interactions import Interactions

MARK = ".demo"


@click.command("demo")
@options.data_dir
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("runs/demo"),
    show_default=True,
    help="The run directory; an earlier demo there is replaced.",
)
def command(data_dir: Path | None, out: Path) -> None:
    """Train a decentralized recommender on MovieLens 100K, or on synthetic data if it is not available."""
    from sottovoce.cli import show
    from sottovoce.experiments.recipe.recipe import Recipe
    from sottovoce.experiments.recipe.shipped import DEFAULT, find
    from sottovoce.experiments.runs.start import run_recipe

    data = _data(data_dir)
    recipe = Recipe.read(find(DEFAULT), [f"data.name={data.name}"])
    run = run_recipe(recipe, _cleared(out), data_dir, data=data, progress=True)
    show.figures(run)
    person = _typical(data)
    show.listing(person, run.recommend(person, 10), run.history(person, 10))
    assert run.report is not None
    say(f"\nreport: {run.report.resolve()}")


def _data(data_dir: Path | None) -> "Interactions":
    """MovieLens 100K if it is available, otherwise synthetic data; prints which."""
    from sottovoce.data.load import load
    from sottovoce.errors import DataError

    try:
        data = load("ml-100k", data_dir=data_dir)
    except DataError as error:
        say(f"MovieLens 100K is not available, so this uses synthetic data. {error.problem}")
        return load("synthetic")
    say(f"This is MovieLens 100K, from {data.source}.")
    if data.terms:
        say(f"Its terms: {data.terms}")
    return data


def _typical(data: "Interactions") -> str:
    """The person in the middle when people are ordered by how much they did."""
    import numpy as np

    order = np.argsort(np.diff(data.indptr), kind="stable")
    return str(data.users[order[len(order) // 2]])


def _cleared(out: Path) -> Path:
    """The directory without the files of an earlier demo; other files are never removed."""
    from sottovoce import files
    from sottovoce.experiments.runs import checkpoint, directory

    place = directory.RunDirectory(out)
    if place.begun and not files.exists(out / MARK):
        return directory.unused(out)
    if place.begun:
        with place.claim(resume=True):
            checkpoint.remove(out)
            for name in (
                directory.RESULT,
                directory.REPORT,
                directory.RECOMMENDATIONS,
                directory.PER_USER,
                directory.EVENTS,
                directory.SPLIT,
                directory.RECIPE,
            ):
                (out / name).unlink(missing_ok=True)
    place.make()
    with files.writing(out):
        (out / MARK).touch()
    return out
