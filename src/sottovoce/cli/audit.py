"""`sottovoce audit`: what observers of a run can find out."""

from pathlib import Path

import click

from sottovoce.cli import options
from sottovoce.cli.screen import say


@click.command("audit")
@click.argument("run_dir", type=click.Path(path_type=Path))
@options.data_dir
@options.as_json
def command(run_dir: Path, data_dir: Path | None, as_json: bool) -> None:
    """Attack what observers of the run in RUN_DIR recorded, and say what they find out.

    The run must have been observed: --set 'privacy.observe={ who = "server", rounds = [1, 10] }'. Its data is
    loaded again, to know what is true. All figures are in audit.json in RUN_DIR, and in reports that are
    written afterwards.
    """
    from sottovoce.experiments.audit.audit import audit

    found = audit(run_dir, data_dir=data_dir)
    if as_json:
        import json

        click.echo(json.dumps(found.result))
        return
    for sentence in found.sentences:
        say(sentence)
    for note in found.notes:
        say(f"note: {note}", err=True)
    say(f"audit: {found.path}")
