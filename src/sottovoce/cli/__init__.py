"""The command line. Each command is a module of its own, imported when it is used.

Exit codes: 0 success; 1 an unexpected error, or `doctor` found something broken; 2 a wrong option or
recipe; 3 a problem with data; 4 with a message; 5 with this machine (too little memory, a full disk, no
permission); 6 with a run directory; 7 a run diverged, and its results are written; 130 interrupted. Codes
2 to 6 belong to the classes in `sottovoce.errors`.
"""

import contextlib
import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

import click

from sottovoce.cli.screen import say
from sottovoce.errors import RecipeError, ResourceError, SottovoceError

COMMANDS = (
    "demo",
    "run",
    "extend",
    "sweep",
    "reproduce",
    "report",
    "audit",
    "recommend",
    "recipes",
    "data",
    "doctor",
)


class Commands(click.Group):
    """A group that finds its commands by name, and turns errors into sentences and exit codes."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"sottovoce.cli.{name}").command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            remedy = f"Did you mean {close[0]!r}?" if close else f"Commands: {', '.join(COMMANDS)}."
            raise click.UsageError(f"There is no command {args[0]!r}. {remedy}", context)
        return super().resolve_command(context, args)

    def main(self, *args: Any, **options: Any) -> Any:
        options["standalone_mode"] = False
        _print_anything()
        given = list(args[0] if args else options.get("args") or sys.argv[1:])
        with contextlib.suppress(ValueError):  # signals belong to the main thread
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # treat it like Ctrl-C
        try:
            _refuse_blanks(given)
            code = super().main(*args, **options)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.format_message())
            code = 0
        except click.ClickException as error:
            message = io.StringIO()
            error.show(message)
            say(message.getvalue().rstrip("\n"), err=True)
            code = error.exit_code
        except (click.Abort, KeyboardInterrupt) as stop:
            # click turns Ctrl-C into Abort; the message of a run is in the cause.
            say(str(stop.__cause__ or stop) or "Interrupted.", err=True)
            code = 130
        except SottovoceError as error:
            _traceback_if_asked()
            say(f"error: {error.for_command_line}", err=True)
            code = error.code
        except (OSError, MemoryError) as error:
            _traceback_if_asked()
            _forgive_stdout()
            say(f"error: {_refused(error)}", err=True)
            code = ResourceError.code
        except UnicodeEncodeError as error:
            _traceback_if_asked()
            near = error.object[max(0, error.start - 30) : error.end + 30]
            say(f"error: {near!r} is not text in UTF-8. Use another name.", err=True)
            code = RecipeError.code
        except Exception as error:
            if not _traceback_if_asked():
                say(
                    f"unexpected error: {type(error).__name__}: {error}\n"
                    "This is a defect in Sottovoce. Set SOTTOVOCE_DEBUG=1 to see where it happened.",
                    err=True,
                )
            code = 1
        sys.exit(code if isinstance(code, int) else 0)


def _refuse_blanks(arguments: Sequence[str]) -> None:
    """No option and no argument means anything if it is empty, as from an unset variable in a script."""
    for before, argument in pairwise(["", *arguments]):
        name, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
        if value.strip() or (name and not equals):
            continue
        option = name or (before if before.startswith("-") else "")
        what = f"The value of {option}" if option else "One of the arguments"
        raise click.UsageError(f"{what} is empty. Write a value, or leave {option or 'it'} out.")


def _print_anything() -> None:
    """If the terminal's encoding lacks a character, such as a check mark, print another and do not fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if os.environ.get("COLUMNS") == "0":  # tables would have no width
        del os.environ["COLUMNS"]


def _refused(error: OSError | MemoryError) -> str:
    """A refusal of the system, which is not a defect, and what to do about it."""
    if isinstance(error, MemoryError):
        return "There is not enough memory for this. Use fewer people or items, or a smaller model."
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    what = f"{error.filename}: " if error.filename else "Output cannot be written: " if full else ""
    reason = error.strerror or str(error) or type(error).__name__
    return (
        f"{what}{reason}. Check permissions and free space. Set SOTTOVOCE_DEBUG=1 to see where it happened."
    )


def _forgive_stdout() -> None:
    """If output cannot be written, as on a full disk, do not try again when the process ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _traceback_if_asked() -> bool:
    asked = os.environ.get("SOTTOVOCE_DEBUG", "") not in ("", "0")
    if asked:
        import traceback

        traceback.print_exc()
    return asked


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from sottovoce import __version__

        click.echo(f"sottovoce {__version__}")
        context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Recommendations from each other's taste, while nobody's data leaves their device.

    Start with `sottovoce demo`, or with your own ratings: `sottovoce run --data ratings.csv`.
    """
