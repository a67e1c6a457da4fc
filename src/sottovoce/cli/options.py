"""Options that several commands share."""

from pathlib import Path

import click

data_dir = click.option(
    "--data-dir",
    type=click.Path(path_type=Path),
    help="Look for data sets here first, before $SOTTOVOCE_DATA and the cache.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def mapping(context: click.Context, parameter: click.Parameter, value: str | None) -> dict[str, str] | None:
    """`user=who,item=what` as a mapping."""
    if value is None:
        return None
    pairs = [part.partition("=") for part in value.split(",")]
    if not all(role.strip() and equals and column.strip() for role, equals, column in pairs):
        raise click.BadParameter(
            f"{value!r} is not of the form user=…,item=…,rating=…,time=…", context, parameter
        )
    return {role.strip(): column.strip() for role, _, column in pairs}
