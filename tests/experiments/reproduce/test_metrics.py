"""A metric that no run measures is refused before anything is run."""

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.shipped import shipped
from sottovoce.experiments.reproduce import execute, metrics, reading
from sottovoce.experiments.reproduce.form import Reproduction, settings
from tests.experiments.reproduce.conftest import FORM

RANKS = FORM.replace('"rmse"', '"hr@20"')
ORDER = 'order = ["fast", "slow"]'


@pytest.mark.parametrize(
    ("text", "more", "says"),
    [
        (FORM.replace('"rmse"', '"hr@30"'), "", r"'hr@30' is not measured by its runs. Did you mean 'hr@"),
        (FORM.replace('"rmse"', '"messages"'), "", "'messages' is not measured"),
        (RANKS, '[[rows]]\nmetric = "ndgc@20"\n', r"'ndgc@20' is not measured .* 'ndcg@20'"),
        (
            RANKS,
            '[[claims]]\nclaim = "x"\nchecks = [{ order = ["fast", "slow"], metric = "bites" }]\n',
            "'bites'",
        ),
        (RANKS.replace("tuned", 'people = ["hr@7"]\ntuned'), "", "'hr@7' is not measured"),
        (
            RANKS.replace("[axes.size]", '[set]\n"evaluate.metrics" = ["mrr"]\n[axes.size]'),
            "",
            "'hr@20' is not",
        ),
    ],
)
def test_refused(build, tmp_path, text, more, says):
    with pytest.raises(RecipeError, match=says):
        execute.plan(build(more, text), tmp_path / "out", False, None)
    assert not (tmp_path / "out").exists()


def test_curves_need_the_metric_in_every_run_and_rows_in_one(build, tmp_path):
    apart = RANKS.replace('large = { "data.users" = 90 }', 'large = { "evaluate.ks" = [20, 50] }')
    execute.plan(build('[[rows]]\nof = ["large"]\nmetric = "hr@50"\n', apart), tmp_path, False, None)
    with pytest.raises(RecipeError, match="'hr@50' is not measured"):
        execute.plan(build("", apart.replace('"hr@20"', '"hr@50"')), tmp_path, False, None)


def test_only_runs_with_an_attack_measure_exposure(build, tmp_path):
    row = '[[rows]]\nmetric = "exposure@20"\n'
    with pytest.raises(RecipeError, match="'exposure@20' is not measured"):
        execute.plan(build(row, RANKS), tmp_path, False, None)
    attack = RANKS.replace("[axes.size]", '[set]\n"attack.name" = "promote"\n[axes.size]')
    assert execute.plan(build(row, attack), tmp_path, False, None).points


def test_counts_and_nodes_are_no_metrics(build, tmp_path):
    more = '[[rows]]\nmetric = "Mbit per message"\n[[rows]]\nmetric = "rounds to converge"\n'
    assert execute.plan(build(more, RANKS), tmp_path, False, None).points


@pytest.mark.parametrize("name", [each.name for each in shipped("reproduction")])
def test_what_is_shipped_is_measured(name):
    form = reading.read(name)
    if not isinstance(form, Reproduction):
        return  # its cells are measured by functions, which are looked up when it is read
    metrics.check(form, ([*settings(form.set), *form.changes(run)] for run in form.runs()))
