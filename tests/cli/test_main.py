"""The command line as a whole: help, errors as sentences, exit codes."""

import os
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

import sottovoce
from sottovoce import errors
from sottovoce.cli import COMMANDS, Commands, main


def raising(error: BaseException) -> Commands:
    """A command line whose only command, `recipes`, ends in an error."""

    class Broken(Commands):
        def get_command(self, context: click.Context, name: str) -> click.Command:
            def fail() -> None:
                raise error

            return click.Command("recipes", callback=fail)

    return Broken("sottovoce")


def test_help_lists_every_command() -> None:
    done = CliRunner().invoke(main, ["--help"])
    assert done.exit_code == 0
    assert all(f"  {name} " in done.output for name in COMMANDS)
    assert CliRunner().invoke(main, []).output == done.output
    assert CliRunner().invoke(main, []).exit_code == 0


def test_version() -> None:
    assert CliRunner().invoke(main, ["--version"]).output == f"sottovoce {sottovoce.__version__}\n"


@pytest.mark.parametrize(
    ("typed", "said"), [("rnu", "Did you mean 'run'?"), ("frobnicate", "Commands: demo, run")]
)
def test_unknown_command(typed: str, said: str) -> None:
    done = CliRunner().invoke(main, [typed])
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.SottovoceError, 1),
        (errors.RecipeError, 2),
        (errors.DataError, 3),
        (errors.MessageError, 4),
        (errors.ResourceError, 5),
        (errors.RunError, 6),
    ],
)
def test_errors_are_sentences_with_a_code(kind: type[errors.SottovoceError], code: int) -> None:
    done = CliRunner().invoke(raising(kind("It is broken.", "Mend it.")), ["recipes"])
    assert done.exit_code == code
    assert done.stderr == "error: It is broken. Mend it.\n"
    assert done.stdout == ""


def test_unexpected_errors_say_how_to_see_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOTTOVOCE_DEBUG", raising=False)
    done = CliRunner().invoke(raising(ZeroDivisionError("by zero")), ["recipes"])
    assert done.exit_code == 1
    assert "ZeroDivisionError: by zero" in done.stderr
    assert "SOTTOVOCE_DEBUG=1" in done.stderr
    assert "Traceback" not in done.stderr
    monkeypatch.setenv("SOTTOVOCE_DEBUG", "1")
    assert "Traceback" in CliRunner().invoke(raising(ZeroDivisionError()), ["recipes"]).stderr


@pytest.mark.parametrize("said", ["Continue with: …", ""])
def test_interruption(said: str) -> None:
    done = CliRunner().invoke(raising(KeyboardInterrupt(*[said][: bool(said)])), ["recipes"])
    assert done.exit_code == 130
    assert done.stderr.strip() == (said or "Interrupted.")


def test_a_reader_that_has_seen_enough_is_not_complained_about() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "sottovoce", "recipes"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert done.stderr == ""
