"""`sottovoce audit`: sentences, JSON, and errors as sentences."""

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Call = Callable[..., Result]
OBSERVED = ("--set", 'privacy.observe={ who = "server", rounds = [1, 2] }')


def test_a_run_is_audited(call: Call, ratings: Path) -> None:
    federated = ("--set", "protocol.name=federated", "--set", "model.name=mf", "--set", "model.factors=3")
    columns = ("--columns", "user=who,item=film,rating=stars,time=when")
    settings = (*federated, *OBSERVED, "--set", "run.rounds=2", "--no-report")
    done = call("run", "--data", ratings, *columns, "--out", "watched", *settings)
    assert done.exit_code == 0, done.output
    told = call("audit", "watched")
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0].startswith("The server finds 100 % of a person's items after 2 rounds (")
    assert lines[-1] == "audit: watched/audit.json"
    printed = json.loads(call("audit", "watched", "--json").stdout)
    assert printed == json.loads(Path("watched/audit.json").read_text())
    assert printed["sentences"] == lines[:-1]


def test_what_cannot_be_audited(call: Call, finished: Path) -> None:
    done = call("audit", finished)
    assert done.exit_code == 6
    assert "has no records of observers. Observe a run: sottovoce run" in done.stderr
    assert call("audit", "nowhere").exit_code == 6
    assert call("audit").exit_code == 2
