"""What a reproduction's file says, and how it is refused."""

import re

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.shipped import shipped
from sottovoce.experiments.reproduce import execute as runs
from sottovoce.experiments.reproduce import papers, reading
from sottovoce.experiments.reproduce.form import Reproduction, settings
from sottovoce.experiments.reproduce.measured import execute
from sottovoce.experiments.reproduce.measured.form import Measurements
from tests.experiments.reproduce.conftest import FORM


def test_runs_are_all_combinations(build):
    form = build()
    assert form.runs() == [("small", "fast"), ("small", "slow"), ("large", "fast"), ("large", "slow")]
    assert form.runs(["large"]) == [("large", "fast"), ("large", "slow")]
    assert form.changes(("large", "slow")) == ["data.users=90", "model.factors=8"]


def test_labels_stand_for_runs(build):
    form = build()
    assert form.named("slow, means") == ({"way": "slow"}, "means")
    assert form.stands_for("slow", form.runs()) == [("small", "slow"), ("large", "slow")]
    pairs = list(form.together(["slow", "fast", "means"], ["large"], form.runs()))
    assert pairs == [
        (("large",), [(("large", "slow"), None), (("large", "fast"), None), (("large", "slow"), "means")])
    ]
    quick = form.runs(form.quick.only)
    assert [labels for labels, _ in form.together(["slow", "fast"], [], quick)] == [("small",)]
    assert not list(form.together(["small", "large"], [], quick))


def test_a_part_can_be_chosen(build):
    form = build(top='apart = ["large"]\n')
    small, large = [("small", "fast"), ("small", "slow")], [("large", "fast"), ("large", "slow")]
    assert form.chosen([], quick=False) == small, "what stands apart is left out"
    assert form.chosen(["large"], quick=False) == large, "unless it is asked for"
    assert form.chosen(["small", "large"], quick=False) == small + large
    assert form.chosen(["large, slow"], quick=False) == large[1:]
    assert form.chosen(["slow"], quick=True) == small[1:]
    assert form.chosen(["large"], quick=True) == large
    with pytest.raises(RecipeError, match=r"'means' is not a label of an axis. Labels are 'small', 'large'"):
        form.chosen(["means"], quick=False)
    with pytest.raises(RecipeError, match=r"no axis has a label 'larg'. Did you mean 'large'?"):
        form.chosen(["larg"], quick=False)
    with pytest.raises(RecipeError, match="no axis has a label 'huge'"):
        build(top='apart = ["huge"]\n')


def test_what_stands_apart_can_be_a_combination(build):
    form = build(top='apart = ["large, slow"]\n')
    usual = [("small", "fast"), ("small", "slow"), ("large", "fast")]
    assert form.chosen([], quick=False) == usual
    assert form.chosen(["large"], quick=False) == usual[2:]
    assert form.chosen(["large, slow"], quick=False) == [("large", "slow")]


def test_some_have_fewer_seeds(build):
    form = build(top="fewer = { large = 2, slow = 1 }\n")
    found = [list(form.under(run, [4, 5, 6])) for run in form.runs()]
    assert found == [[4, 5, 6], [4], [4, 5], [4]]
    with pytest.raises(RecipeError, match="no axis has a label 'larger'"):
        build(top="fewer = { larger = 2 }\n")


def test_seeds_begin_where_the_file_says(build, tmp_path):
    plan = lambda *more, top="": runs.plan(build(top=top), tmp_path, *more)  # noqa: E731
    assert plan(False, None).seeds == [1, 2, 3]
    assert plan(False, None, top="first_seed = 11\n").seeds == [11, 12, 13]
    assert plan(True, None, top="first_seed = 11\n").seeds == [11]
    assert plan(False, [4], top="first_seed = 11\n").seeds == [4], "seeds that are asked for"


def test_settings_of_several_labels(build):
    form = build('[[also]]\nof = "large, slow"\nset = { "run.rounds" = 7 }\n')
    assert form.changes(("large", "slow")) == ["data.users=90", "model.factors=8", "run.rounds=7"]
    assert form.changes(("large", "fast")) == ["data.users=90", "model.factors=4"]


OWN = '[own]\nshows = "Ours"\nabout = "What we found."\n'
NO_PAPER = re.sub(r"\[paper\][^\[]*", "", FORM)
ROW = '[[rows]]\npaper = {{ "{}" = 1 }}\n'
CLAIM = '[[claims]]\nclaim = "It is."\nchecks = [{{ {} }}]\n'


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "[[rows]]\nmetrik = 'rmse'\n",
            "rows.1.metrik is not a key of a reproduction. Did you mean 'metric'?",
        ),
        (CLAIM.format('ordr = ["fast", "slow"]'), "claims.1.checks.1.ordr is not .* Did you mean 'order'?"),
        (CLAIM.format('order = ["fast", "slw"]'), "no axis has a label 'slw'. Did you mean 'slow'?"),
        (CLAIM.format('order = ["fast", "large"]'), "do not name labels of the same axes"),
        (CLAIM.format('order = ["fast"]'), "claims.1.checks.1.order = .* cannot be used"),
        (CLAIM.format('at = "best"'), "a check has no form"),
        (CLAIM.format('within = ["fast", "slow"]'), "a check has within. .* by = "),
        (CLAIM.format('of = "fast"'), "a check has of. .* least = "),
        (CLAIM.format('order = ["fast", "slow"], least = 1'), "a check has order and limits"),
        (CLAIM.format('times = ["fast", "large"], least = 1'), "do not name labels of the same axes"),
        ('[own]\nshows = "x"\nabout = "y"\n', r"it has both \[paper\] and \[own\]"),
        (CLAIM.format('order = ["fast", "slow"], only = ["tiny"]'), "no axis has a label 'tiny'"),
        (CLAIM.format('order = ["fast", "slow"], at = "finale"'), "claims.1.checks.1.at.* cannot be used"),
        (ROW.format("tiny"), "no axis has a label 'tiny'"),
        (
            "[[rows]]\nonly = ['small']\npaper = { large = 1 }\n",
            "rows.paper has 'large', but no row is about it",
        ),
        ("[[rows]]\nper = ['ways']\n", "there is no axis 'ways'. Did you mean 'way'?"),
        ("[axes.more]\nslow = {}\n", "the label 'slow' is used twice"),
        ("[axes.more]\n'a<b' = {}\n'a>b' = {}\n", "two labels differ only in punctuation"),
        ('[axes.more]\n"a, b" = {}\n', "the label 'a, b' has a comma"),
        ("[[also]]\nof = 'slw'\nset = {}\n", "no axis has a label 'slw'. Did you mean 'slow'?"),
        ("[[also]]\nof = 'means'\nset = {}\n", "'means' is not a label of an axis"),
        ("[axes.more]\n'a' = {}\n'a+' = {}\n'a plus' = {}\n", "two labels differ only in punctuation"),
        ("[[rows]]\nat = { hours = 3 }\n", 'hours are read from curves over rounds. Add x = "hours"'),
    ],
)
def test_mistakes_are_told_with_the_remedy(build, more, said):
    with pytest.raises(RecipeError, match=said):
        build(more)


def test_levels_are_what_can_be_measured(build):
    with pytest.raises(RecipeError, match=r"levels has 'poplarity'. Did you mean 'popularity'?"):
        build(text=FORM.replace('"popularity"', '"poplarity"'))


def test_what_is_missing_is_named(build):
    with pytest.raises(RecipeError, match=r"table\.toml: base is missing"):
        build(text=FORM.replace('base = "quickstart"\n', ""))


def test_a_paper_or_results_of_our_own(build):
    with pytest.raises(RecipeError, match=r"it has no \[paper\]. Write \[paper\] for .* or \[own\]"):
        build(text=NO_PAPER)
    assert build(text=NO_PAPER + OWN).paper is None


def test_recipes_and_reproductions_are_told_apart(build):
    with pytest.raises(
        RecipeError, match=r"not a reproduction of many. Run it with: sottovoce run quickstart"
    ):
        Reproduction.read("quickstart")
    with pytest.raises(RecipeError, match=r"Run it with: sottovoce reproduce .*figure-3"):
        Recipe.read(next(each.path for each in shipped("reproduction") if each.name == "hegedus/figure-3"))
    with pytest.raises(RecipeError, match=r"There is no reproduction 'hegedus/figure3'. Did you mean"):
        Reproduction.read("hegedus/figure3")


@pytest.mark.parametrize("each", shipped("reproduction"), ids=lambda each: each.name)
def test_shipped_reproductions_can_be_run(each):
    assert each.summary
    form = reading.read(each.name)
    assert form.name == each.name
    assert form.tuned
    assert form.own or any(claim.source for claim in form.claims) or any(rows.paper for rows in form.rows)
    if isinstance(form, Measurements):
        assert execute.plan(form, quick=False, seeds=None).calls == len(form.runs()) * form.seeds
        return
    for check in (check for claim in form.claims for check in claim.checks):
        assert check.function is None or papers.find(check.function)
    for run in form.runs():
        Recipe.read(form.recipe, [*settings(form.set), *form.changes(run)]).components()


def test_a_curve_that_no_label_tells_apart_has_a_name(build):
    form = build(text=FORM.replace('panels = ["size"]', 'panels = ["size", "way"]'))
    assert form.panel(("small", "fast")) == ("small, fast", "mean over seeds")
