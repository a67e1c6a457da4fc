"""A small file of ratings, a finished run on it, and a way to call the command line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sottovoce.cli import main

Call = Callable[..., Result]
SMALL = ("--set", "run.rounds=2", "--set", "model.factors=3")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls the command line in an empty directory."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture(scope="session")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty people in two camps, with films, ratings and times."""
    rows = [
        f"p{person},film {item},{1 + (person * item) % 5},{1000 + item}"
        for person in range(60)
        for item in range(80)
        if (item + person) % 4 and (item % 2 == person % 2 or item % 7 == 0)
    ]
    path = tmp_path_factory.mktemp("own") / "ratings.csv"
    path.write_text("\n".join(["who,film,stars,when", *rows]) + "\n")
    return path


@pytest.fixture(scope="session")
def finished(ratings: Path) -> Path:
    """The directory of a run on the ratings."""
    place = ratings.parent / "finished"
    columns = "user=who,item=film,rating=stars,time=when"
    arguments = ["run", "--data", ratings, "--columns", columns, "--out", place, *SMALL]
    done = CliRunner().invoke(main, [str(a) for a in arguments])
    assert done.exit_code == 0, done.output
    return place
