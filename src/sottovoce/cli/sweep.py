"""`sottovoce sweep`: a recipe under many settings and seeds, in parallel processes."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sottovoce.cli import options
from sottovoce.cli.screen import console, say
from sottovoce.errors import DIVERGED
from sottovoce.plural import count, listed

if TYPE_CHECKING:
    from rich.table import Table

_WIDE = 10_000  # letters, more than any table has


@click.command("sweep")
@click.argument("recipe")
@click.option(
    "--grid", metavar="KEY=VALUE,…", multiple=True, help="Values to try; repeated, all combinations of them."
)
@click.option(
    "--seeds", default="1", show_default=True, help="How many seeds (1, 2, …), or a list such as 1,7,9."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), help="Processes at a time.  [default: one for two processors]"
)
@click.option(
    "--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change the recipe; may be repeated."
)
@options.data_dir
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Directory for all runs; a stopped sweep continues.  [default: runs/sweep-<name>]",
)
@options.as_json
def command(
    recipe: str,
    grid: tuple[str, ...],
    seeds: str,
    jobs: int | None,
    changes: tuple[str, ...],
    data_dir: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run RECIPE with every combination of settings and every seed, and compare.

    For example: sottovoce sweep quickstart --grid model.factors=8,16 --seeds 5. The same command
    again continues a sweep that was stopped. Runs have no report of their own; `sottovoce report` draws one.
    """
    from sottovoce.errors import RunError
    from sottovoce.experiments.functions import swept
    from sottovoce.experiments.recipe.overrides import blaming
    from sottovoce.experiments.recipe.shipped import find
    from sottovoce.experiments.runs import summary, sweep

    with blaming(str(find(recipe)), {"--set": changes, "--grid": grid}):
        done = swept(
            recipe, changes, sweep.grid(grid), sweep.seeds(seeds), jobs, out, data_dir, progress=True
        )
    if done.note:
        say(f"note: there is no report. {done.note}", err=True)
    if as_json:
        import json

        click.echo(json.dumps(done.summary))
    else:
        _show(done.summary)
        for row in done.summary["points"]:
            if row["diverged"]:
                where = " ".join(f"{key}={value}" for key, value in row["settings"].items())
                say(f"diverged: {where} seed={','.join(map(str, row['diverged']))}".replace("  ", " "))
        say(f"summary: {done.directory / summary.CSV}")
        if done.report is not None:
            say(f"report: {done.report}")
    if done.failures:
        total = len(done.failures) + sum(row["runs"] for row in done.summary["points"])
        failed = f"{len(done.failures)} of {count(total, 'run')} failed"
        reasons = listed(list(done.failures), between="; ")
        raise RunError(f"{failed}. {reasons}", "The same command tries them again.")
    if all(0 < row["runs"] == len(row["diverged"]) for row in done.summary["points"]):
        click.get_current_context().exit(DIVERGED)


def _show(found: dict[str, Any]) -> None:
    """Print a row for each combination of settings: mean ± standard deviation over seeds, and popularity.

    If the screen is too narrow for all metrics, only the main one is shown.
    """
    screen, main = console(), found["metric"]
    metrics = list(dict.fromkeys(metric for row in found["points"] for metric in row["mean"]))
    ways = [(metrics, True)] + ([([main], True), ([main], False)] if main else [])
    tables = [_table(found, shown, beside) for shown, beside in ways]
    wide = screen.options.update(max_width=_WIDE)
    fitting = (t for t in tables if screen.measure(t, options=wide).maximum <= screen.width)
    screen.print(next(fitting, tables[-1]))


def _table(found: dict[str, Any], metrics: list[str], beside: bool) -> "Table":
    from rich.table import Table

    main, rows = found["metric"], found["points"]
    names = ["popularity", *dict.fromkeys(name for row in rows for name in row["references"])]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    keys = list(rows[0]["settings"])
    for key in keys:
        table.add_column(key.rpartition(".")[2] if len(metrics) == 1 else key, overflow="fold")
    columns = ["runs", *metrics, *(f"{name} {main}" for name in names if beside and main)]
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        others = row["baselines"] | row["references"]
        cells = [_figure(row, metric) for metric in metrics]
        cells += [_figure(others.get(name, {}), main) for name in names if beside and main]
        table.add_row(*(str(row["settings"][key]) for key in keys), str(row["runs"]), *cells)
    return table


def _figure(over: dict[str, Any], metric: str) -> str:
    mean, std = over.get("mean", {}).get(metric), over.get("std", {}).get(metric)
    if mean is None:
        return "—"
    return f"{mean:.4f}" + ("" if std is None else f" ± {std:.4f}")
