"""Statements about averages, tails, sparsity and computation hold and fail where they should."""

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


METHODS = """
base = "quickstart"
metric = "hr@20"
tuned = "Nothing."

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Table 2"

[axes.method]
FedAvg = { "model.factors" = 1 }
Reptile = { "model.factors" = 2 }
FedFast = { "model.factors" = 3 }
"Decentralized FedAvg" = { "model.factors" = 4 }
"Model-Age-Based" = { "model.factors" = 5 }
"Decentralized Reptile" = { "model.factors" = 6 }
PEPPER = { "model.factors" = 7 }
"PEPPER as its code" = { "model.factors" = 8 }
"""


@pytest.fixture
def methods(build):
    return build(text=METHODS)


@pytest.fixture
def given(methods, run):
    """Two seeds of every method with these figures at K = 20, 10 and 5, or 0.5, and in the tail."""

    def make(tail=0.0, **ats):
        found = {}
        for (name,) in methods.runs():
            level = ats.get(name.replace(" ", "_").replace("-", "_"), 0.5)
            at = dict(zip(("hr@20", "hr@10", "hr@5"), np.broadcast_to(level, 3).tolist(), strict=True))
            low = tail.get(name, 0.0) if isinstance(tail, dict) else tail
            tails = {"hr@20": {"cdf 0.001": low}}
            found[name,] = [
                run(0.5, final=at | {"hr@20": at["hr@20"] + n / 1000}, tails=tails) for n in (0, 1)
            ]
            for one in found[name,]:
                one.curve[:] = [{"round": 1} | at]
        return found

    return make


@pytest.mark.parametrize(
    ("ours", "ahead", "behind"),
    [(0.6, True, False), (0.4, False, True), (0.5, False, False), ((0.6, 0.6, 0.4), True, False)],
)
def test_most_cases(methods, given, ours, ahead, behind):
    results = given(PEPPER=ours)
    (first,), (second,) = (find(f"pepper.usually_{way}")(methods, results) for way in ("ahead", "behind"))
    assert (first.holds, second.holds) == (ahead, behind)


def test_a_single_seed_decides_nothing(methods, given):
    single = {name: runs[:1] for name, runs in given(PEPPER=0.6).items()}
    for statement in ("usually_ahead", "margin", "towards_zero"):
        (found,) = find(f"pepper.{statement}")(methods, single)
        assert found.holds is None, statement


def test_cases_are_named(methods, given):
    (finding,) = find("pepper.usually_ahead")(methods, given(PEPPER=0.6, FedFast=0.7))
    assert finding.said == (
        "PEPPER is ahead of federated methods in 6 of 9 cases, not FedFast at 20, FedFast at 10, FedFast at 5"
    )
    (finding,) = find("pepper.usually_ahead")(methods, given(PEPPER=0.4))
    assert finding.said == "PEPPER is ahead of federated methods in 0 of 9 cases"


@pytest.mark.parametrize(("ours", "holds"), [(0.59, True), (0.56, False), (0.62, False), (0.41, False)])
def test_margin(methods, given, ours, holds):
    (finding,) = find("pepper.margin")(methods, given(PEPPER=ours))
    assert finding.holds is holds


@pytest.mark.parametrize(
    ("ours", "theirs", "holds"),
    [(0.3, 0.1, True), (0.1, 0.1, False), (0.5, 0.1, False), (0.1, 0.0, False), (0.0, 0.0, None)],
)
def test_three_times(methods, given, ours, theirs, holds):
    (finding,) = find("pepper.three_times")(methods, given({"PEPPER": ours, "FedAvg": theirs}))
    assert finding.holds is holds


@pytest.mark.parametrize(
    "name", ["Decentralized FedAvg", "Model-Age-Based", "Decentralized Reptile", "PEPPER"]
)
def test_towards_zero(methods, given, name):
    holds = [find("pepper.towards_zero")(methods, given({name: low}))[0].holds for low in (0.0, 0.01, 0.1)]
    assert holds == [True, True, False]
    assert find("pepper.towards_zero")(methods, given({"FedAvg": 0.1}))[0].holds


def test_short_tail(methods, given):
    both = {"FedFast": 0.2, "Reptile": 0.2}
    tails = [both, both | {"FedAvg": 0.1}, both | {"FedAvg": 0.2}, {"FedFast": 0.2}, {}]
    holds = [find("pepper.short_tail")(methods, given(tail))[0].holds for tail in tails]
    assert holds == [True, True, False, False, None]


@pytest.mark.parametrize(("ours", "holds"), [(0.6, True), (0.5, False), (0.4, False)])
def test_long_tail(methods, given, ours, holds):
    """Twenty people, of whom only those from the fourth to the eighth count."""
    results = given()
    for (name,), runs in results.items():
        middle = ours if name == "PEPPER" else 0.5
        for one in runs:
            one._frames["per_user.parquet"] = pl.DataFrame(
                {"hr@20": [0.0] * 3 + [middle] * 5 + [0.9] * 12 + [None]}
            )
    (finding,) = find("pepper.long_tail")(methods, results)
    assert finding.holds is holds


def with_rounds(run, mean, slow):
    return [run(1.0, 0.5, by_node={"converged": {"mean": mean + n, "cdf 0.1": slow + n}}) for n in (0, 1)]


@pytest.mark.parametrize(("theirs", "holds"), [(100.0, False), (172.0, True), (400.0, False), (50.0, False)])
def test_fewer_rounds(build, run, theirs, holds):
    form = build(text=FORM.replace("FedAvg", "Model-Age-Based"))
    given = {
        ("dense", "PEPPER"): with_rounds(run, 100.0, 200.0),
        ("dense", "Model-Age-Based"): with_rounds(run, theirs, 200.0),
    }
    (finding,) = find("pepper.fewer_rounds")(form, given)
    assert finding.holds is holds


@pytest.mark.parametrize(("slow", "holds"), [(250.0, True), (210.0, False), (190.0, False)])
def test_gap_grows(build, run, slow, holds):
    form = build(text=FORM.replace("FedAvg", "Model-Age-Based"))
    given = {
        ("dense", "PEPPER"): with_rounds(run, 100.0, 200.0),
        ("dense", "Model-Age-Based"): with_rounds(run, 110.0, slow),
    }
    (finding,) = find("pepper.gap_grows")(form, given)
    assert finding.holds is holds


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
        ("dense", "PEPPER"): [with_nodes(run, ours, ours + one, one) for _ in (1, 2)],
        ("dense", "Model-Age-Based"): [with_nodes(run, one, one, one) for _ in (1, 2)],
    }
    share, linked = find("pepper.left_alone")(form, given)
    assert share.holds is holds
    assert linked.holds
    _, single = find("pepper.left_alone")(form, {run: seeds[:1] for run, seeds in given.items()})
    assert single.holds is None


NETWORKS = FORM.replace(
    """[axes.data]
dense = { "data.users" = 60 }
sparse = { "data.users" = 90 }
""",
    """[axes.network]
"always online" = { "data.users" = 60 }
phones = { "data.users" = 90 }
""",
)


@pytest.mark.parametrize(("loss", "holds"), [(0.05, True), (0.07, True), (0.12, False), (-0.02, False)])
def test_impact_is_alike(build, run, loss, holds):
    form = build(text=NETWORKS)
    ends = {"PEPPER": (0.8, 0.75), "FedAvg": (0.7, 0.7 - loss)}
    given = {
        (network, method): [run(0.2, end + n / 1000) for n in range(3)]
        for method, pair in ends.items()
        for network, end in zip(("always online", "phones"), pair, strict=True)
    }
    (finding,) = find("pepper.churn_is_alike")(form, given)
    assert finding.holds is holds
    alone = {key: runs for key, runs in given.items() if key[1] == "PEPPER"}
    assert find("pepper.churn_is_alike")(form, alone)[0].holds is None
