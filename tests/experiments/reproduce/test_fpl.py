"""Reproductions of FPL: tables that are measured, and statements that hold where they should."""

import json

import pytest

from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.reproduce import papers, reading
from sottovoce.experiments.reproduce.papers import fpl, fpl_significance, fpl_table_1, fpl_table_3

FORM = """
base = "quickstart"
metric = "precision@10"
tuned = "Nothing."
{top}
[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Figure 2"

[axes.part]
test = {{}}
validation = {{ "data.seed" = 1 }}

[axes.method]
{methods}

{more}
[levels]
"Top-Pop" = "popularity"
"""
METHODS = "\n".join(f'"{name}" = {{}}' for name in ("BPR-MF", "sFPL", "sFPL+", "pFPL", "pFPL+"))
SHARES = '[axes."π"]\n"π = 0.2" = {}\n"π = 1.0" = {}\n'


@pytest.fixture
def say(build, run):
    """What a statement finds; `value` says the precision of a run by its labels and seed."""

    def look(name, value, along=True, seeds=3, **figures):
        top, more = ('along = "π"', SHARES) if along else ("", figures.pop("more", ""))
        form = build(text=FORM.format(top=top, methods=METHODS, more=more))

        def one(labels, seed):
            final = {"precision@10": value(labels, seed)} | {
                metric: make(labels, seed) for metric, make in figures.items() if metric != "shifts"
            }
            shifts = {
                fpl.SHIFT: dict(zip(fpl.CATEGORIES, figures["shifts"](labels), strict=True))
                if "shifts" in figures
                else {}
            }
            beside = {"popularity": {fpl.SHIFT: dict.fromkeys(fpl.CATEGORIES, -0.5)}}
            made = run(1.0, final=final, categories=shifts, categories_beside=beside)
            made.curve = [{"round": 0, **final}]
            return made

        results = {labels: [one(labels, seed) for seed in range(seeds)] for labels in form.runs()}
        return papers.find(f"fpl.{name}")(form, results)

    return look


def share(labels):
    return float(labels[-1].removeprefix("π = "))


def test_a_part_of_the_feedback_can_be_better_than_all(say):
    found = say("less_than_everything", lambda labels, seed: 0.05 - 0.01 * share(labels) + 0.001 * seed)
    assert [finding.holds for finding in found] == [True] * 5
    assert found[0].said.startswith("BPR-MF: on validation data π = 0.2 is best (4.90 %); on test data")
    found = say("less_than_everything", lambda labels, seed: 0.05 + 0.01 * share(labels))
    assert [finding.holds for finding in found] == [False] * 5
    mixed = lambda labels, seed: 0.05 + (0.01 if labels[0] == "test" else -0.01) * share(labels)  # noqa: E731
    assert [finding.holds for finding in say("less_than_everything", mixed)] == [False] * 5
    single = say("less_than_everything", lambda labels, seed: 0.05 - 0.01 * share(labels), seeds=1)
    assert [finding.holds for finding in single] == [None] * 5


def test_coverage_moves_more_with_local_computation(say):
    covered = lambda labels, seed: 20 + seed + share(labels) * (800 if "+" in labels[1] else 80)  # noqa: E731
    flat = lambda labels, seed: 0.05  # noqa: E731
    found = say("coverage_moves_more", flat, **{"items-covered@10": covered})
    assert [finding.holds for finding in found] == [True, True]
    assert found[0].said == "items covered vary by: sFPL+ 640, sFPL 64"
    same = lambda labels, seed: 20 + seed + 80 * share(labels)  # noqa: E731
    assert not any(f.holds for f in say("coverage_moves_more", flat, **{"items-covered@10": same}))


def test_the_frontier_names_runs(say, monkeypatch):
    monkeypatch.setattr(fpl.cost, "value", lambda run, metric: 1 / run.figures.final["recall@10"])
    cost = lambda labels, seed: 1 + share(labels) + 9 * ("+" in labels[1])  # noqa: E731
    better = lambda labels, seed: 0.05 if "sFPL+" in labels else 0.03  # noqa: E731
    (found,) = say("frontier", better, **{"recall@10": cost})
    assert found.holds
    assert found.said == (
        "on the frontier, 1 of 2 with one triple: sFPL+ with π = 0.2 (5.00 %); pFPL with π = 0.2 (3.00 %)"
    )
    (found,) = say("frontier", lambda labels, seed: 0.05, **{"recall@10": cost})
    assert found.holds is False, "the cheapest is best"
    (found,) = say("frontier", better, seeds=1, **{"recall@10": cost})
    assert found.holds is None, "a single seed decides nothing"


def test_categories_are_favoured_as_by_central_training(say):
    signs = lambda labels: [-0.1 if labels[1] == "pFPL" and n < 3 else 0.1 for n in range(9)]  # noqa: E731
    found = say("same_as_central", lambda *_: 0.05, along=False, shifts=signs)
    assert json.dumps([finding.holds for finding in found]) == "[true, false, true, true]"
    assert {finding.said.split(":")[0]: finding.holds for finding in found} == {
        "sFPL": True,
        "pFPL": False,
        "sFPL+": True,
        "pFPL+": True,
    }
    assert found[1].said.endswith("not Arts & Entertainment and College & University and Food")


def test_signs_are_compared_with_the_printed_ones(say):
    rows = "".join(
        f'[[rows]]\nmetric = "{fpl.SHIFT}: {name}"\npaper = {{ sFPL = {0.1 * n}, "Top-Pop" = -0.1 }}\n'
        for n, name in enumerate(fpl.CATEGORIES, 1)
    )
    rising = lambda labels: [0.1 * n - 0.25 for n in range(1, 10)]  # noqa: E731
    text = rows.replace("paper", "of = ['', 'Top-Pop']\npaper")
    found = say("as_printed", lambda *_: 0.05, along=False, shifts=rising, more=text)
    assert found[0].said == "sFPL: 7 of 9 signs as printed for Brazil, rank correlation 1.00"
    assert [finding.holds for finding in found] == [True, True]


def test_all_costs_of_table_3():
    form = reading.read("fpl/table-3")
    printed = next(rows.paper for rows in form.rows if rows.figure == "CCE")
    assert len(printed) == len(form.runs()) == 24
    for cell in form.runs():
        found = fpl_table_3.costs(1, **form.settings(cell))
        assert found.keys() == form.figures.keys()
        assert round(found["CCE"]) == printed[", ".join(cell)]
    rounds = fpl_table_3.costs(1, **form.settings(("pFPL+", "π = 0.4")))
    assert (round(rounds["rpe"]), round(rounds["T"]), round(rounds["nFresh in %"], 4)) == (34, 34, 0.0057)


def test_sizes_of_a_training_set():
    found = fpl_table_1.sizes(1, data="synthetic-places", like="canada", share=0.1)
    assert (found["people"], found["venues"], found["interactions"]) == (134, 2_952, 6_351)
    assert found["per person"] == pytest.approx(6_351 / 134)
    assert found["density in %"] == pytest.approx(100 * 6_351 / (134 * 2_952))
    form = reading.read("fpl/table-1")
    assert set(found) == set(form.figures)
    later = fpl_table_1.sizes(1, data="synthetic-places", like="canada", share=0.1, earliest=True)
    assert later["interactions"] == found["interactions"]
    assert later["venues"] != found["venues"]


def test_italy_has_the_people_and_interactions_of_table_1(data_dir):
    form = reading.read("fpl/table-1")
    found = fpl_table_1.sizes(1, **form.settings(("Italy",)))
    assert (found["people"], found["interactions"], found["venues"]) == (1_353, 54_088, 25_498)


def test_people_are_compared_pair_by_pair(tmp_path, monkeypatch):
    path = tmp_path / "table.toml"
    path.write_text(
        FORM.format(top="", methods='few = { "model.factors" = 2 }\nmany = { "model.factors" = 9 }', more="")
        .replace('base = "quickstart"', 'base = "base.toml"')
        .replace("[axes.part]\ntest = {}\nvalidation", "[axes.data]\nsmall = {}\nlarge")
    )
    (tmp_path / "base.toml").write_text(
        '[data]\nname = "synthetic"\nusers = 60\nitems = 80\n[model]\nname = "mf"\n'
        '[protocol]\nname = "central"\n[evaluate]\nmetrics = ["precision"]\nks = [10]\n[run]\nrounds = 3\n'
    )
    monkeypatch.setattr(fpl_significance, "TABLE", path)
    compared = {"data": "small", "metric": "precision@10"}
    found = fpl_significance.paired(1, one="few", other="Top-Pop", **compared)
    assert found.keys() == reading.read("fpl/significance").figures.keys()
    back = fpl_significance.paired(1, one="many", other="few", **compared)
    assert 0 <= back["p, t-test"] <= 1
    assert back["from"] <= back["ahead by"] <= back["to"]
    run = fpl_significance.run_recipe(
        Recipe.read(tmp_path / "base.toml", ["model.factors=2", "run.seed=1"]), None, None, progress=False
    )
    ahead = run.metrics["precision@10"] - run.baselines["popularity"]["precision@10"]
    assert found["ahead by"] == pytest.approx(ahead)
