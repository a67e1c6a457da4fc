"""`sottovoce extend`: more rounds for a finished run."""

from pathlib import Path

import click

from sottovoce.cli import options


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
    """Go on with the finished run in RUN_DIR, which stays as it is, from the models that it kept.

    It needs a run with `--set run.keep_models=true`. Steps that shrink, and items that arrive, stay as
    they were planned for the first part (`run.planned`).
    """
    from sottovoce.experiments.extend import extend

    finished = extend(run_dir, rounds, out, data_dir=data_dir, show=True)
    if as_json:
        import json

        click.echo(json.dumps(finished.result | {"directory": str(finished.directory)}))
        return
    from sottovoce.cli import show

    show.figures(finished)
    click.echo(f"report: {finished.report}")
