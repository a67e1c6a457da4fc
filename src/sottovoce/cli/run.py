"""`sottovoce run`: a recipe, or one's own file, to a run directory."""

from pathlib import Path

import click

from sottovoce.cli import options
from sottovoce.cli.screen import say
from sottovoce.errors import DIVERGED

QUICKSTART = "quickstart"


@click.command("run")
@click.argument("recipe", required=False)
@click.option("--data", metavar="FILE", help="Your own CSV, TSV or Parquet file, or the name of a data set.")
@click.option(
    "--columns",
    metavar="user=…,item=…",
    callback=options.mapping,
    help="Columns of user, item, rating and time in the file, if they should not be guessed.",
)
@options.data_dir
@click.option(
    "--out", type=click.Path(path_type=Path), help="The run directory.  [default: runs/<name>-<seed>]"
)
@click.option("--seed", type=click.IntRange(min=0), help="The same as --set run.seed=…")
@click.option(
    "--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change the recipe; may be repeated."
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run, to the identical result.")
@click.option(
    "--threads", type=click.IntRange(min=0), help="Threads to use; the result does not depend on it."
)
@options.as_json
def command(
    recipe: str | None,
    data: str | None,
    columns: dict[str, str] | None,
    data_dir: Path | None,
    out: Path | None,
    seed: int | None,
    changes: tuple[str, ...],
    resume: bool,
    threads: int | None,
    as_json: bool,
) -> None:
    """Train and evaluate what RECIPE describes: a TOML file, or the name of a shipped recipe.

    With --data and no recipe, the settings of the quickstart are used on your file, with fewer rounds
    where people and items are many.
    """
    if recipe is None and data is None:
        raise click.UsageError(
            "Name a recipe (sottovoce recipes lists what is shipped), or give your own file with --data."
        )
    from sottovoce.experiments.recipe import Recipe
    from sottovoce.experiments.recipes import find
    from sottovoce.experiments.run import run_recipe

    named = _changes(data, columns, seed, threads)
    resolved = Recipe.load(find(recipe or QUICKSTART), [*changes, *named])
    name = Path(recipe or str(data)).name.split(".")[0] or "run"
    place = out or _place(Path("runs") / f"{name}-{resolved.run.seed}", resume)
    fit = recipe is None and not any(change.startswith("run.rounds") for change in changes)
    finished = run_recipe(resolved, place, data_dir, resume, show=True, fit=fit)
    if as_json:
        import json

        click.echo(json.dumps(finished.result | {"directory": str(place)}))
    else:
        from sottovoce.cli import show

        show.figures(finished)
        say(f"report: {finished.report}")
    if finished.failed:
        click.get_current_context().exit(DIVERGED)


def _changes(
    data: str | None, columns: dict[str, str] | None, seed: int | None, threads: int | None
) -> list[str]:
    """What the options say, as changes to a recipe."""
    from sottovoce import registry
    from sottovoce.experiments import toml

    given: dict[str, object] = {"run.seed": seed, "run.threads": threads, "data.columns": columns}
    if data is not None:
        named = not Path(data).exists() and data in registry.names("source")
        known = named or registry.is_file(data)
        given["data.name" if known else "data.path"] = data
    return [f"{key}={toml.value(value)}" for key, value in given.items() if value is not None]


def _place(base: Path, resume: bool) -> Path:
    """The first of `base`, `base-2`, … in which no run has been; to resume, the last in which one has."""
    from sottovoce.experiments.directory import RunDirectory, unused

    if not resume:
        return unused(base)
    last, number = base, 2
    while RunDirectory(following := base.with_name(f"{base.name}-{number}")).begun:
        last, number = following, number + 1
    return last
