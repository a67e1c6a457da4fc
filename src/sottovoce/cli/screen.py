"""The terminal. Text from files is shown, and never interpreted as markup or control codes."""

from typing import TYPE_CHECKING, Any

import click

from sottovoce.printable import printable

if TYPE_CHECKING:
    from rich.console import Console


def say(text: object, *, err: bool = False) -> None:
    """Print a line, or several."""
    click.echo(printable(text, keep="\n"), err=err)


def console(*, stderr: bool = False) -> "Console":
    """A rich console. Titles and paths are data: nothing in them is markup, an emoji or a control."""
    from rich.console import Console
    from rich.text import Text

    class Screen(Console):
        def render_str(
            self, text: str, **options: Any
        ) -> Text:  # every string passes here, cells of tables too
            return super().render_str(printable(text, keep="\n"), **options)

    return Screen(stderr=stderr, highlight=False, markup=False, emoji=False)
