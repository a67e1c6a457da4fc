"""`sottovoce report`: one page about one run, or about many that are compared."""

from pathlib import Path

import click


@click.command("report")
@click.argument("run_dirs", metavar="RUN_DIR…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The page.  [default: report.html, in RUN_DIR if there is only one]",
)
@click.option(
    "--export",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write every table as .csv and .tex, and the points of every figure as .csv.",
)
def command(run_dirs: tuple[Path, ...], out: Path | None, export: Path | None) -> None:
    """Write a page about the runs in RUN_DIR, or about all runs of a sweep.

    Runs that differ in nothing but the seed are one method, with a band. Others are compared, which
    they can be if they are about the same data, split in the same way.
    """
    from sottovoce.experiments.functions import report

    page = report(*run_dirs, out=out, export=export)
    for note in page.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"{page.headline}\n{page.sentence}")
    click.echo(f"report: {page.path}")
    if export is not None:
        click.echo(f"{len(page.files)} files in {export}")
