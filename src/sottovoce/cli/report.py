"""`sottovoce report`: one page about a run, or a comparison of several."""

from pathlib import Path

import click

from sottovoce.cli.screen import say
from sottovoce.plural import count


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
@click.option(
    "--person",
    metavar="ID",
    help="Also show this person's list, and which of its items are in the person's history, without the id.",
)
def command(run_dirs: tuple[Path, ...], out: Path | None, export: Path | None, person: str | None) -> None:
    """Write a page about the runs in RUN_DIR, or about all runs of a sweep.

    Runs that differ only in the seed are one method, with a band over seeds. Other runs are compared; they
    must be about the same data, split in the same way. The page can be shared: it names no person, shows
    nobody's history unless --person asks for it, and shows file names without their folders.
    """
    from sottovoce.experiments.functions import report

    page = report(*run_dirs, out=out, export=export, person=person)
    for note in page.notes:
        say(f"note: {note}", err=True)
    say(f"{page.headline}\n{page.sentence}")
    say(f"report: {page.path}")
    if export is not None:
        say(f"{count(len(page.files), 'file')} in {export}")
