"""Names with a sentence each, in two columns that fit the screen."""

import shutil
import textwrap
from collections.abc import Iterable

import click

WIDEST = 100  # columns; longer lines are hard to read
_NARROW = 24  # columns that a sentence needs beside its name


def listing(entries: Iterable[tuple[str, str]], indent: int = 0) -> None:
    """Print names and sentences; sentences go over several lines, and below the names if need be."""
    rows = list(entries)
    screen = min(WIDEST, shutil.get_terminal_size().columns)
    left = indent + max((len(name) for name, _ in rows), default=0) + 2
    below = screen - left < _NARROW
    for name, sentence in rows:
        space = " " * (indent + 2 if below else left)
        lines = textwrap.wrap(sentence, max(screen - len(space), 10), break_on_hyphens=False)
        if below:
            click.echo(" " * indent + name)
        elif lines:
            lines[0] = f"{' ' * indent}{name}".ljust(left) + lines[0]
            click.echo(lines.pop(0))
        else:
            click.echo(" " * indent + name)
        for line in lines:
            click.echo(space + line)
