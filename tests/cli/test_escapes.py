"""Ids, titles and names from a hostile file: a terminal shows them and obeys none of them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sottovoce.cli import main
from tests.cli.conftest import SMALL

Call = Callable[..., Result]
EVIL = "\x1b]8;;http://evil.example\x07 click \x1b]8;;\x07\x1b[2J\x9b31m \u202ecod"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on data in which everybody and everything has such a name."""
    rows = [
        f"p{person}{EVIL}x,film {item}{EVIL}x,{1 + (person * item) % 5},{1000 + item}"
        for person in range(60)
        for item in range(80)
        if (item + person) % 4 and (item % 2 == person % 2 or item % 7 == 0)
    ]
    path = tmp_path_factory.mktemp("hostile") / "evil \x1b[2J.csv"
    path.write_text("\n".join(["who,film,stars,when", *rows]) + "\n")
    place = path.parent / "run \x1b7"
    columns = "user=who,item=film,rating=stars,time=when"
    arguments = ["run", "--data", path, "--columns", columns, "--out", place, *SMALL]
    done = CliRunner().invoke(main, [str(a) for a in arguments])
    assert done.exit_code == 0, done.output
    assert not OBEYED.search(done.output)
    return place


def test_a_list(call: Call, hostile: Path) -> None:
    done = call("recommend", hostile, "--user", f"p7{EVIL}x", "-n", 3)
    assert done.exit_code == 0, done.output
    assert not OBEYED.search(done.output)
    assert r"Person p7\x1b]8;;http://evil.example\x07" in done.stdout.replace("\n", "")
    assert "liked before" in done.stdout


def test_for_machines_nothing_is_changed(call: Call, hostile: Path) -> None:
    done = call("recommend", hostile, "--user", f"p7{EVIL}x", "-n", 3, "--json")
    assert json.loads(done.stdout)["recommendations"][0]["title"].endswith(f"{EVIL}x")
    assert not OBEYED.search(done.stdout)


@pytest.mark.parametrize("user", ["zz", f"p777{EVIL}x", "\x1b[31m"])
def test_an_error_that_quotes_ids(call: Call, hostile: Path, user: str) -> None:
    done = call("recommend", hostile, "--user", user)
    assert done.exit_code == 3
    assert "Nobody is called" in done.stderr
    assert "\\x1b" in done.stderr
    assert not OBEYED.search(done.output)


def test_other_commands(call: Call, hostile: Path) -> None:
    data = next(hostile.parent.glob("*.csv"))
    for arguments in (
        ("data", "info", data),
        ("report", hostile),
        ("report", hostile, "--export", "tables"),
        ("report", hostile.parent / "no\x1bwhere"),
        ("recipes\x1b[2J",),
        ("run", "--\x1b[2J"),
        ("run", "\x1b[2J.toml"),
        ("run", "--data", data, "--columns", f"user={EVIL},item=film"),
        ("sweep", "quickstart", "--grid", "model.factors=\x1b[2J"),
    ):
        done = call(*arguments)
        assert done.output.strip()
        assert not OBEYED.search(done.output), arguments


def test_pages_and_exports(call: Call, hostile: Path) -> None:
    done = call("report", hostile, "--export", "tables", "--person", f"p7{EVIL}x", "--out", "page.html")
    assert done.exit_code == 0, done.output
    page = Path("page.html").read_text("utf-8")
    assert r"\x1b]8;;http://evil.example\x07" in page
    for text in (page, *(file.read_text("utf-8") for file in Path("tables").glob("*.tex"))):
        assert not OBEYED.search(text)


def test_what_is_unexpected_too(monkeypatch: pytest.MonkeyPatch, call: Call, hostile: Path) -> None:
    def fail(*_: object) -> None:
        raise ValueError(EVIL)

    monkeypatch.setattr("sottovoce.experiments.runs.run.Run.recommend", fail)
    done = call("recommend", hostile, "--user", "1")
    assert done.exit_code == 1
    assert "This is a defect" in done.stderr
    assert not OBEYED.search(done.output)


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    from sottovoce.experiments.runs.progress import Terminal

    tell = Terminal()
    tell.say(EVIL)
    with tell.doing(EVIL):
        pass
    told = capsys.readouterr().err
    assert r"\x1b[2J" in told
    assert not OBEYED.search(told)
