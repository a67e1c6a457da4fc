"""What is said about gossip beside federation, on curves that were made up."""

import pytest

from sottovoce.experiments.reproduce import papers

FORM = """
base = "quickstart"
metric = "rmse"
tuned = "Nothing."
x = "hours"

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Figure 1"

[axes.data]
small = { "data.users" = 60 }
large = { "data.users" = 90 }

[axes.epochs]
"1 epoch" = { "model.factors" = 4 }
"10 epochs" = { "model.factors" = 8 }

[axes.method]
gossip = { "model.step" = 0.1 }
"gossip merge" = { "model.step" = 0.2 }
"gossip 10 %" = { "model.step" = 0.3 }
federated = { "model.step" = 0.4 }
"federated 10 %" = { "model.step" = 0.5 }
"""


@pytest.fixture
def say(build, run):
    """What a statement finds, where each run is told by its labels and its curve of a value every 5 hours."""

    def look(name, curves, noise=0.001):
        results = {}
        for labels, curve in curves.items():
            # Gossip and federation move apart and together over seeds, so that there is a spread.
            shift = noise if labels[-1].startswith("gossip") else 0.0
            seeds = [[value + n * shift for value in curve] for n in (0, 1, 2)]
            results[labels] = [run(*values, hours=5.0) for values in seeds]
        return papers.find(f"hegedus.{name}")(build(text=FORM), results)

    return look


ONE = ("small", "1 epoch")


@pytest.mark.parametrize(
    ("gossip", "federated", "holds", "said"),
    [
        ((2, 1.5, 1.0, 0.9, 0.8), (2, 1.2, 1.1, 1.0, 0.9), True, "ahead from 5.0 to 5.0 hours, in 1 of 4"),
        ((2, 1.5, 1.2, 1.1, 0.8), (2, 1.2, 1.1, 1.0, 0.9), False, "ahead from 5.0 to 15.0 hours, in 3 of 4"),
        ((2, 1.0, 1.0, 0.9, 0.9), (2, 1.2, 1.1, 1.0, 0.8), False, "ahead from 20.0 to 20.0"),
        ((2, 1.0, 1.0, 0.9, 0.7), (2, 1.2, 1.1, 1.0, 0.8), False, "federation is never ahead"),
    ],
)
def test_initial_advantage(say, gossip, federated, holds, said):
    curves = {(*ONE, "gossip merge"): gossip, (*ONE, "federated"): federated}
    (found,) = say("initial_advantage", curves)
    assert found.holds is holds
    assert found.said.startswith("small, 1 epoch: gossip merge beside federated: ")
    assert said in found.said


def _sizes(small, large, epochs="1 epoch"):
    """Federation at 1, and gossip ahead of it by so much, on the small and the large network."""
    return {
        (size, epochs, method): (2.0, 1.0 - lead * (method == "gossip merge"))
        for size, lead in (("small", small), ("large", large))
        for method in ("gossip merge", "federated")
    }


def test_the_gap_shrinks(say):
    assert [found.holds for found in say("gap_shrinks", _sizes(0.2, 0.1))] == [True]
    assert [found.holds for found in say("gap_shrinks", _sizes(-0.2, 0.1))] == [True], "whoever is ahead"
    assert [found.holds for found in say("gap_shrinks", _sizes(0.1, 0.2))] == [False]
    assert [found.holds for found in say("gap_shrinks", _sizes(0.2, 0.199))] == [False], "within the spread"
    only = {run: curve for run, curve in _sizes(0.2, 0.1).items() if run[0] == "small"}
    (alone,) = say("gap_shrinks", only)
    assert alone.holds is None
    assert "apart by +0.1990 on small (a single size decides nothing)" in alone.said


def test_the_lead_grows(say):
    (found,) = say("lead_grows", _sizes(0.1, 0.2))
    assert found.holds
    assert "gossip ahead by +0.0990 on small, +0.1990 on large" in found.said
    assert [found.holds for found in say("lead_grows", _sizes(0.1, -0.2))] == [False]
    assert say("lead_grows", _sizes(0.1, 0.2, "10 epochs")) == [], "the paper says so of one epoch"


def test_no_clear_advantage(say):
    ends = {"gossip": 1.3, "gossip merge": 1.0, "gossip 10 %": 1.1, "federated": 1.2, "federated 10 %": 0.9}
    (found,) = say("no_clear_advantage", {(*ONE, name): (2.0, end) for name, end in ends.items()})
    assert found.holds is False
    assert "gossip merge 1.0010 ± 0.0010, federated 10 % 0.9000 (federation ahead by 0.1010" in found.said
    near = ends | {"federated 10 %": 1.0}
    assert say("no_clear_advantage", {(*ONE, name): (2.0, end) for name, end in near.items()})[0].holds
