"""Curves along an axis, with a point for each run."""

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.reproduce import execute, points, words
from sottovoce.experiments.reproduce.form import place

TEXT = """
base = "quickstart"
metric = "rmse"
tuned = "Nothing."

[paper]
authors = "Somebody"
year = 2020
title = "Something"
shows = "Figure 2"

[axes.way]
fast = { "model.factors" = 4 }
slow = { "model.factors" = 8 }

[axes.share]
"share 1.0" = { "model.step" = 0.3 }
"share 0.0" = { "model.step" = 0.1 }
"share 0.5" = { "model.step" = 0.2 }

[levels]
means = "popularity"
"""


@pytest.fixture
def drawn(build, run):
    """The form, and the picture of two seeds; the error falls with the share, twice as much for `fast`."""

    def draw(top='along = "share"\n'):
        form = build(text=TEXT, top=top)
        results = {
            (way, share): [
                run(2.0, 1 - place(share) * (0.5 if way == "fast" else 0.25) + seed / 100) for seed in (0, 1)
            ]
            for way, share in form.runs()
        }
        return form, points.panels(form, results)

    return draw


def test_a_point_for_each_run_in_the_order_of_the_numbers(drawn):
    form, (panel,) = drawn()
    fast, slow = panel["curves"]
    assert (fast["name"], slow["name"], points.label(form)) == ("fast", "slow", "share")
    assert fast["x"] == [0.0, 0.5, 1.0]
    assert fast["mean"] == pytest.approx([1.005, 0.755, 0.505])
    assert (fast["low"][2], fast["high"][2]) == (0.5, 0.51)
    assert panel["levels"] == {"means": 1.0}


def test_a_metric_can_be_across(drawn):
    form, (panel,) = drawn(top='along = "share"\nacross = "people"\nfrontier = true\n')
    *curves, front = panel["curves"]
    assert points.label(form) == "People"
    assert curves[0]["x"] == [7.0, 7.0, 7.0]
    assert "low" not in curves[0]
    assert front == {"name": points.FRONTIER, "x": [7.0], "mean": [1.005]}


def test_the_frontier_has_what_nothing_exceeds():
    assert points.frontier([(1, 5), (2, 3), (1, 4), (3, 3), (2, 4)]) == [(1, 5), (2, 4), (3, 3)]
    assert points.frontier([(1, 1), (1, 1)]) == [(1, 1)]
    assert points.frontier([]) == []


def test_pages_draw_them(build, run):
    form = build(text=TEXT, top='along = "share"\n')
    results = {labels: [run(2.0, 1.0)] for labels in form.runs()}
    found = execute.summarise(execute.Plan(form, False, [1], {}, {}), results)
    assert found["x"] == "share"
    ((_, svg),) = words.panels(found)
    assert "RMSE, lower is better over share" in svg


@pytest.mark.parametrize(
    ("top", "said"),
    [
        ('along = "shar"\n', "there is no axis 'shar'. Did you mean 'share'?"),
        ('along = "way"\n', "curves go along 'way', but 'fast' does not end in a number. Let its labels"),
        ('across = "people"\n', "across needs along. Add along = …"),
        ('along = "share"\nfrontier = true\n', "frontier needs across. Add across = …"),
    ],
)
def test_mistakes_are_told_with_the_remedy(build, top, said):
    with pytest.raises(RecipeError) as refusal:
        build(text=TEXT, top=top)
    assert said in str(refusal.value)


def test_where_a_label_is():
    assert (place("π = 0.4"), place("-1"), place("10"), place("0.4 of it")) == (0.4, -1.0, 10.0, None)
