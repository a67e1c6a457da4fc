"""What is printed reads as a person would write it."""

import re
from typing import Any

import polars as pl
import pytest

from sottovoce.cli import show
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.directory import PER_USER
from sottovoce.experiments.runs.run import Run
from tests.small import result


def a_run(protocol: str, number: int) -> Run:
    """A run in which there is `number` of everything."""
    recipe = Recipe.parse(
        {"data": {"name": "synthetic"}, "model": {"name": "mf"}, "protocol": {"name": protocol}}
    )
    hits: dict[str, float | None] = {"hr@20": 0.5}
    data = dict.fromkeys(("people", "items", "interactions"), number) | {"name": "x", "source": ""}
    counts = dict.fromkeys(("rounds", "nodes", "messages"), number)
    figures: dict[str, Any] = {"final": hits, "baselines": {"popularity": hits, "random": hits}, "data": data}
    facts: dict[str, Any] = {
        "bytes": 5,
        "seconds": 1.0,
        "seed": 1,
        "metric": "hr@20",
        "split": "",
        "version": "0",
    }
    people = pl.DataFrame(
        {"user": ["a", "b"], "hr@20": [0.4, 0.6], "popularity hr@20": [0.6, 0.4], "history": [1.0, 1.0]}
    )
    curve = [{"round": 0, "hr@20": 0.5}]
    return Run(recipe, result(**figures, **counts, **facts), curve, frames={PER_USER: people})


def test_one_is_no_plural(capsys: pytest.CaptureFixture[str]) -> None:
    show.figures(a_run("central", 1))
    told = capsys.readouterr().out
    assert told.startswith("x: 1 interaction of 1 person with 1 item\n")
    assert "1 round, 1 node, 1 message (5 bytes)" in told
    show.figures(a_run("central", 2000))
    told = capsys.readouterr().out
    assert told.startswith("x: 2,000 interactions of 2,000 people with 2,000 items\n")
    assert "2,000 rounds, 2,000 nodes, 2,000 messages" in told


@pytest.mark.parametrize(
    ("protocol", "name"),
    [("gossip", "mf by gossip"), ("federated", "mf, federated"), ("central", "mf trained centrally")],
)
def test_methods_are_called_alike_everywhere(
    capsys: pytest.CaptureFixture[str], protocol: str, name: str
) -> None:
    run = a_run(protocol, 3)
    show.figures(run)
    assert re.search(rf"^{name} +0\.5000", capsys.readouterr().out, re.MULTILINE)
    assert repr(run) == f"<Run of {name}: hr@20 0.5000>"
