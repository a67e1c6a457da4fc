"""Statements about sparsity and computation hold and fail where they should."""

import numpy as np
import polars as pl
import pytest

from sottovoce.experiments.reproduce.papers import find

FORM = """
base = "quickstart"
metric = "rmse"
tuned = "Nothing."

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Figure 9"

[axes.data]
dense = { "data.users" = 60 }
sparse = { "data.users" = 90 }

[axes.method]
FedAvg = { "model.factors" = 4 }
PEPPER = { "model.factors" = 8 }
"""


def results(run, leads):
    """Runs in which PEPPER is ahead by so much, under three seeds."""
    found = {}
    for data, lead in zip(("dense", "sparse"), leads, strict=True):
        found[data, "FedAvg"] = [run(1.0, 0.5 + n / 1000) for n in range(3)]
        found[data, "PEPPER"] = [run(1.0, 0.5 + lead + n / 500) for n in range(3)]
    return found


@pytest.mark.parametrize(("leads", "holds"), [((0.1, 0.2), True), ((0.2, 0.1), False), ((0.1, 0.1), False)])
def test_sparsity(build, run, leads, holds):
    form = build(text=FORM)
    (finding,) = find("pepper.sparsity")(form, results(run, leads))
    assert finding.holds is holds
    alone = {key: runs for key, runs in results(run, leads).items() if key[0] == "dense"}
    assert find("pepper.sparsity")(form, alone)[0].holds is None


def with_nodes(run, seconds, received, history):
    made = run(1.0, 0.5)
    made._frames["per_user.parquet"] = pl.DataFrame(
        {"node seconds": seconds, "node received": received, "history": history}
    )
    return made


@pytest.mark.parametrize(("factor", "holds"), [(2.0, True), (1.1, False), (9.0, False)])
def test_overhead(build, run, factor, holds):
    form = build(text=FORM.replace("FedAvg", "Model-Age-Based"))
    one = np.linspace(1.0, 2.0, 50)
    given = {
        ("dense", "PEPPER"): [with_nodes(run, factor * one, one, one)],
        ("dense", "Model-Age-Based"): [with_nodes(run, one, one, one)],
    }
    (finding,) = find("pepper.overhead")(form, given)
    assert finding.holds is holds


@pytest.mark.parametrize(("few", "holds"), [(10, True), (0, False), (30, False)])
def test_left_alone(build, run, few, holds):
    form = build(text=FORM.replace("FedAvg", "Model-Age-Based"))
    one = np.linspace(1.0, 2.0, 50)
    ours = np.where(np.arange(50) < few, 0.5, 4.0)
    given = {
        ("dense", "PEPPER"): [with_nodes(run, ours, ours + one, one)],
        ("dense", "Model-Age-Based"): [with_nodes(run, one, one, one)],
    }
    share, linked = find("pepper.left_alone")(form, given)
    assert share.holds is holds
    assert linked.holds
