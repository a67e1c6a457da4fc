"""Errors speak Python in Python, and options on the command line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from sottovoce.cli import main
from sottovoce.data.load import load
from sottovoce.errors import DataError, either


def test_a_passage_may_be_worded_in_two_ways() -> None:
    error = DataError("It is wrong.", f"Give {either('columns=', '--columns')}, or {either('a', 'b')}.")
    assert str(error) == "It is wrong. Give columns=, or a."
    assert error.remedy == "Give columns=, or a."
    assert error.for_command_line == "It is wrong. Give --columns, or b."


def test_the_command_line_names_options(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("wer,was,gut\na,b,3\n")
    with pytest.raises(DataError, match=r'Name the columns: columns=\{"user": …'):
        load(path)
    done = CliRunner().invoke(main, ["data", "info", str(path)])
    assert done.exit_code == DataError.code
    assert "Name the columns: --columns user=…,item=…" in done.output
    done = CliRunner().invoke(main, ["data", "info", str(tmp_path)])
    assert f"{tmp_path} is a folder without a known data set" in done.output
    assert "--data-dir" in done.output
