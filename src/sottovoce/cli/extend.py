"""`sottovoce extend`: more rounds for a finished run."""

from pathlib import Path

import click

from sottovoce.cli import options
from sottovoce.cli.screen import say


@click.command("extend")
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option("--rounds", type=click.IntRange(min=1), required=True, help="How many rounds in all.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The directory of the longer run.  [default: RUN_DIR-<rounds>]",
)
@options.data_dir
@options.as_json
def command(run_dir: Path, rounds: int, out: Path | None, data_dir: Path | None, as_json: bool) -> None:
    """Continue the finished run in RUN_DIR from the models that it kept, in a new directory.

    The run must have been made with `--set run.keep_models=true`; it stays as it is. Shrinking steps and
    arriving items keep the plan of the first part (`run.planned`).
    """
    from sottovoce.experiments.runs.extend import extend

    finished = extend(run_dir, rounds, out, data_dir=data_dir, progress=True)
    if as_json:
        import json

        click.echo(json.dumps(finished.result | {"directory": str(finished.directory)}))
        return
    from sottovoce.cli import show

    show.figures(finished)
    say(f"report: {finished.report}")
