"""`sottovoce recommend`: a person's list from a finished run."""

from pathlib import Path

import click

from sottovoce.cli import options
from sottovoce.cli.screen import say
from sottovoce.errors import SottovoceError


@click.command("recommend")
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option("--user", required=True, help="The person, by the id that the data uses.")
@click.option(
    "-n", "count", type=click.IntRange(1, 100), default=10, show_default=True, help="How many items."
)
@options.data_dir
@options.as_json
def command(run_dir: Path, user: str, count: int, data_dir: Path | None, as_json: bool) -> None:
    """Print what the run in RUN_DIR recommends to a person, and what the person liked before."""
    from sottovoce.experiments.runs.run import Run

    run = Run.open(run_dir)
    recommendations = run.recommend(user, count)
    try:
        history = run.history(user, count, data_dir)
    except SottovoceError as error:
        say(f"note: the history is not shown. {error}", err=True)
        history = None
    if as_json:
        import json

        past = None if history is None else [entry._asdict() for entry in history]
        click.echo(
            json.dumps(
                {"user": user, "recommendations": [r._asdict() for r in recommendations], "history": past}
            )
        )
        return
    from sottovoce.cli import show

    show.listing(user, recommendations, history)
