"""`sottovoce run`: run a recipe, or a file of your own."""

from pathlib import Path

import click

from sottovoce.cli import options
from sottovoce.cli.screen import say
from sottovoce.errors import DIVERGED


@click.command("run")
@click.argument("recipe", required=False)
@click.option("--data", metavar="FILE", help="Your own CSV, TSV or Parquet file, or the name of a data set.")
@click.option(
    "--columns",
    metavar="user=…,item=…",
    callback=options.mapping,
    help="Columns of user, item, rating and time in the file, if the guess is wrong.",
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
@click.option(
    "--no-report", is_flag=True, help="Do not draw report.html; `sottovoce report` can draw it later."
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
    no_report: bool,
    as_json: bool,
) -> None:
    """Train and evaluate what RECIPE describes: a TOML file, or the name of a shipped recipe.

    With --data and no recipe, your file is run with the recipe `consensus`: people learn from sums that they
    make under masks, without a server.
    """
    if recipe is None and data is None:
        raise click.UsageError(
            "Name a recipe (sottovoce recipes lists them), or give your own file with --data."
        )
    from sottovoce.experiments.recipe.overrides import blaming
    from sottovoce.experiments.recipe.recipe import Recipe
    from sottovoce.experiments.recipe.shipped import DEFAULT, find
    from sottovoce.experiments.runs.start import run_recipe

    file, named = find(recipe or DEFAULT), _changes(data, columns, seed, threads)
    with blaming(str(file), {"--set": changes, **named}):
        resolved = Recipe.read(file, [*changes, *(change for one in named.values() for change in one)])
        name = Path(recipe or str(data)).name.split(".")[0] or "run"
        place = out or _place(Path("runs") / f"{name}-{resolved.run.seed}", resume)
        fit = recipe is None and not any(change.startswith("run.rounds") for change in changes)
        finished = run_recipe(resolved, place, data_dir, resume, progress=True, fit=fit, report=not no_report)
    if as_json:
        import json

        click.echo(json.dumps(finished.result | {"directory": str(place)}))
    else:
        from sottovoce.cli import show

        show.figures(finished)
        say(f"report: {finished.report}" if finished.report else f"run: {place}")
    if finished.failed:
        click.get_current_context().exit(DIVERGED)


def _changes(
    data: str | None, columns: dict[str, str] | None, seed: int | None, threads: int | None
) -> dict[str, list[str]]:
    """The options as changes to a recipe."""
    from sottovoce import files, registry
    from sottovoce.experiments.recipe import toml

    place = "data.path"
    if data is not None:
        named = data in registry.names("source") and not files.exists(Path(data))
        place = "data.name" if named or registry.is_file(data) else place
    keys = {"--seed": "run.seed", "--threads": "run.threads", "--columns": "data.columns", "--data": place}
    given = {"--seed": seed, "--threads": threads, "--columns": columns, "--data": data}
    return {
        option: [f"{keys[option]}={toml.value(value)}"]
        for option, value in given.items()
        if value is not None
    }


def _place(base: Path, resume: bool) -> Path:
    """The first of `base`, `base-2`, … that holds no run; to resume, the last one that holds a run."""
    from sottovoce.experiments.runs.directory import RunDirectory, unused

    if not resume:
        return unused(base)
    last, number = base, 2
    while RunDirectory(following := base.with_name(f"{base.name}-{number}")).begun:
        last, number = following, number + 1
    return last
