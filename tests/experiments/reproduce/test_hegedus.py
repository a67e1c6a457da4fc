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
middle = { "data.users" = 70 }
"MovieLens 10M" = { "data.users" = 90 }
"as large as MovieLens 10M" = { "data.users" = 91 }

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


def test_a_single_seed_has_no_initial_advantage(build, run):
    single = {(*ONE, name): [run(2, 1, 1, hours=5.0)] for name in ("gossip merge", "federated")}
    (found,) = papers.find("hegedus.initial_advantage")(build(text=FORM), single)
    assert found == ("small, 1 epoch: gossip merge beside federated: a single seed decides nothing", None)


def _sizes(epochs, **leads):
    """Federation at 1, and gossip ahead of it by so much on networks of each size."""
    names = {"large": "MovieLens 10M", "made_up": "as large as MovieLens 10M"}
    return {
        (names.get(size, size), epochs, method): (2.0, 1.0 - lead * (method == "gossip merge"))
        for size, lead in leads.items()
        for method in ("gossip merge", "federated")
    }


def test_the_gap_shrinks(say):
    def holds(small, large):
        return [found.holds for found in say("gap_shrinks", _sizes("10 epochs", small=small, large=large))]

    assert holds(0.2, 0.1) == [True]
    assert holds(-0.2, 0.1) == [True], "whoever is ahead"
    assert holds(0.1, 0.2) == [False]
    (near,) = say("gap_shrinks", _sizes("10 epochs", small=0.2, large=0.199))
    assert near.holds is False
    assert "apart by +0.1990 ± 0.0010 on small, +0.1980 ± 0.0010 on MovieLens 10M" in near.said
    assert "(-0.0010 ± 0.0014 from small to MovieLens 10M, which may be chance)" in near.said
    (alone,) = say("gap_shrinks", _sizes("10 epochs", small=0.2))
    assert alone.holds is None
    assert "apart by +0.1990 ± 0.0010 on small (a single size decides nothing)" in alone.said
    assert say("gap_shrinks", _sizes("1 epoch", small=0.1, large=0.2)) == [], "the paper says so of ten"


def test_the_lead_grows(say):
    (found,) = say("lead_grows", _sizes("1 epoch", small=0.1, middle=0.15, large=0.2))
    assert found.holds
    assert "gossip ahead by +0.0990 ± 0.0010 on small, +0.1490 ± 0.0010 on middle" in found.said
    assert "(+0.0500 ± 0.0014 from small to middle, +0.0500 ± 0.0014 from middle to Movie" in found.said
    (found,) = say("lead_grows", _sizes("1 epoch", small=0.1, middle=0.05, large=0.2))
    assert found.holds is False


def test_the_lead_is_largest_on_the_largest_network(say):
    (found,) = say("most_on_largest", _sizes("1 epoch", small=0.1, middle=0.05, large=0.2))
    assert found.holds, "what is between the others does not matter"
    (found,) = say("most_on_largest", _sizes("1 epoch", small=0.1, middle=0.3, large=0.2))
    assert found.holds is False
    (found,) = say("most_on_largest", _sizes("1 epoch", small=0.1, middle=0.2))
    assert found.holds is None
    assert "(without the largest network this decides nothing)" in found.said
    (found,) = say("most_on_largest", _sizes("1 epoch", small=0.1, made_up=0.2))
    assert found.holds, "a network of that size stands in for it"
    (found,) = say("most_on_largest", _sizes("1 epoch", small=0.1, large=0.2, made_up=0.3))
    assert found.holds
    assert "as large as" not in found.said
    assert say("most_on_largest", _sizes("10 epochs", small=0.1, large=0.2)) == []


def test_no_clear_advantage(say):
    ends = {"gossip": 1.3, "gossip merge": 1.0, "gossip 10 %": 1.1, "federated": 1.2, "federated 10 %": 0.9}
    (found,) = say("no_clear_advantage", {(*ONE, name): (2.0, end) for name, end in ends.items()})
    assert found.holds is False
    assert "gossip merge 1.0010 ± 0.0010, federated 10 % 0.9000 (federation ahead by 0.1010" in found.said
    near = ends | {"federated 10 %": 1.0}
    assert say("no_clear_advantage", {(*ONE, name): (2.0, end) for name, end in near.items()})[0].holds


def test_a_single_seed_says_nothing_about_an_advantage(build, run):
    single = {
        (*ONE, name): [run(2, 1, hours=5.0)]
        for name in ("gossip", "gossip merge", "gossip 10 %", "federated", "federated 10 %")
    }
    (found,) = papers.find("hegedus.no_clear_advantage")(build(text=FORM), single)
    assert found.holds is None


@pytest.mark.parametrize(("slow", "holds"), [(1.0, True), (0.94, False), (0.8, False)])
def test_far_better(build, run, slow, holds):
    bandwidth = FORM.replace("[axes.epochs]", "[axes.bandwidth]")
    bandwidth = bandwidth.replace('"1 epoch"', '"low bandwidth"').replace('"10 epochs"', '"10× bandwidth"')
    results = {
        ("small", "low bandwidth", "gossip"): [run(2, slow, hours=5.0), run(2, slow, hours=5.0)],
        ("small", "10× bandwidth", "gossip"): [run(2, 0.9, hours=5.0), run(2, 0.902, hours=5.0)],
    }
    found = papers.find("hegedus.far_better")(build(text=bandwidth), results)
    assert [one.holds for one in found] == [holds, holds]
    assert found[1].said.startswith("small, gossip: RMSE, at the end: 10× bandwidth 0.9010 ± 0.0014, low")
    assert "at least 0.05 is far)" in found[1].said


def test_whole_gossip_is_further_behind(build, run):
    form = build(text=FORM.replace("[axes.data]", "[axes.people]").replace("[axes.epochs]", "[axes.items]"))
    behind = {("small", "1 epoch"): 0.1, ("small", "10 epochs"): 0.3, ("middle", "1 epoch"): 0.05}
    results = {
        (*labels, method): [run(2, 1 + by * (method == "gossip merge"), hours=5.0) for _ in (1, 2)]
        for labels, by in behind.items()
        for method in ("gossip merge", "gossip 10 %", "federated", "federated 10 %")
    }
    sparse, alone = papers.find("hegedus.behind_where_sparse")(form, results)
    assert sparse.holds, "compressed ones, which are equal, do not count"
    assert sparse.said.startswith(
        "small: gossip merge beside federated, mean over the curve: gossip ahead by"
    )
    assert "-0.1000 on 1 epoch, -0.3000 on 10 epochs (-0.2000 from 1 epoch to 10 epochs)" in sparse.said
    assert alone.holds is None, "nothing to compare with"
    large, _ = papers.find("hegedus.behind_where_large")(form, results)
    assert large.holds is False
    assert "(+0.0500 from small to middle)" in large.said
    single = {labels: seeds[:1] for labels, seeds in results.items()}
    sparse, _ = papers.find("hegedus.behind_where_sparse")(form, single)
    assert sparse.holds is None
    assert "from 1 epoch to 10 epochs, and a single seed decides nothing)" in sparse.said
