"""What says nothing is left out, what cannot be tested is refused, and who is not tested is counted."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sottovoce.data.interactions import build
from sottovoce.data.load import load
from sottovoce.errors import DataError, RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.recipe.sections import Evaluate
from sottovoce.experiments.runs.measurable import main_metric, measurable
from sottovoce.registry import build as component


def community(own: list[list[int]], ratings: Any = None) -> Any:
    """People with these items, in order of time."""
    user = [f"p{p}" for p, items in enumerate(own) for _ in items]
    item = [f"i{j}" for items in own for j in items]
    return build("own", user, item, ratings, np.arange(len(item)))


def told(data: Any, split: str = "local-holdout", settings: Any = None, **evaluate: Any) -> Any:
    divided = component("split", split, settings or {}, "split").split(data, 1)
    return measurable(data, divided, Evaluate(**evaluate))


def circle(people: int, items: int, each: int) -> list[list[int]]:
    """Everybody has so many items in a row, from a place of the own."""
    return [[(p + n) % items for n in range(each)] for p in range(people)]


def test_healthy_data_needs_no_words() -> None:
    found = told(load("synthetic", users=60, items=300))
    assert found.ks == (5, 10, 20)
    assert not found.without


def test_people_who_have_nothing_to_train_on_are_counted() -> None:
    data = load("synthetic", users=60, items=300)
    split = component("split", "local-holdout", {}, "split").split(data, 1)
    mine = np.repeat(np.arange(60), np.diff(split.train.indptr))
    for few, said in (((3,), "1 person has nothing"), ((3, 4), "2 people have nothing")):
        bare = replace(split, train=split.train.take(~np.isin(mine, few)))
        (note,) = measurable(data, bare, Evaluate()).notes
        assert note.startswith(said)


def test_lists_that_hold_everything_are_left_out() -> None:
    """Of 15 items everybody has 6, so a held-out item has 9 rivals: HR@10 and HR@20 are always 1."""
    found = told(community(circle(30, 15, 6)))
    assert found.ks == (5,)
    assert list(found.without) == ["hr@10", "ndcg@10", "hr@20", "ndcg@20"]
    assert found.notes == (
        "All held-out items are ranked among fewer than 100 others: 9 at the median, 9 at least.",
        "Not measured: hr@10 and ndcg@10, because a list of 10 holds all items to choose from (10 items).",
        "Not measured: hr@20 and ndcg@20, because a list of 20 holds all items to choose from (10 items).",
    )


@pytest.mark.parametrize(("k", "measured"), [(8, True), (9, True), (10, False), (11, False)])
@pytest.mark.parametrize("candidates", ["sampled", "all"])
def test_the_longest_list_that_says_something(k: int, measured: bool, candidates: str) -> None:
    found = told(community(circle(30, 15, 6)), ks=[1, k], candidates=candidates)
    assert found.ks == ((1, k) if measured else (1,))


def test_as_many_candidates_as_published_are_fine() -> None:
    found = told(community(circle(150, 150, 6)), ks=[5, 10, 20])
    assert (found.ks, found.without, found.notes) == ((5, 10, 20), {}, ())


def test_lists_of_a_catalogue() -> None:
    """A list may hold what a person did not train on: 15 items without 4 or 5."""
    settings = {"test": 0.2}
    found = told(community(circle(30, 15, 6)), "temporal-holdout", settings, ks=[5, 9, 10, 11])
    assert found.ks == (5, 9)
    assert "precision@10" in found.without
    assert "user-coverage" not in found.without


def test_some_lists_that_hold_everything_are_told() -> None:
    own = [*circle(29, 15, 6), list(range(14))]
    found = told(community(own), "leave-one-out", ks=[5])
    assert found.ks == (5,)
    assert "3 % of lists of 5 hold all items to choose from, whatever the model." in found.notes


def test_nothing_says_anything() -> None:
    with pytest.raises(
        RecipeError, match=r"Lists of 5, 10 and 20 .* of the 5 items .*evaluate\.ks = \[1, 2\]"
    ):
        told(community(circle(8, 8, 4)), "leave-one-out")
    with pytest.raises(DataError, match="met nearly all of the 4 items"):
        told(community(circle(5, 4, 4)))
    assert told(community(circle(8, 8, 4)), "leave-one-out", ks=[1, 2]).ks == (1, 2)


def test_one_item() -> None:
    with pytest.raises(DataError, match="own has one item, so nothing can be recommended"):
        told(community([[0]] * 20))


def test_one_column_used_twice() -> None:
    ids = [f"x{n}" for n in range(20)]
    with pytest.raises(DataError, match="one column is used for both"):
        told(build("own", ids, ids))
    assert told(community([[n, n + 1, n + 2] for n in range(30)])).tested == 30


def test_one_person() -> None:
    with pytest.raises(DataError, match="about one person"):
        told(community([list(range(40))]))
    found = told(community([list(range(40))], np.arange(40) % 5), "rating")
    assert found.notes[0] == "There is only one person, so there is nobody to learn from."
    assert found.notes[-1].startswith("Only one person is tested, so no difference")


def test_nobody_can_be_tested() -> None:
    with pytest.raises(
        DataError, match="Nobody can be tested on own: all 20 people have fewer than 3 different"
    ):
        told(community(circle(20, 30, 2)))
    with pytest.raises(DataError, match="all 20 people have a single interaction"):
        told(community(circle(20, 30, 1)), "leave-one-out")


LEFT = [[0, 1, 2, 3, 4, 5], [1, 2, 3, 4], [2, 3], [4], [5, 6, 7, 8, 9]]


@pytest.mark.parametrize(
    ("split", "settings", "left", "why"),
    [
        ("local-holdout", {}, 2, "they have fewer than 3 different items"),
        ("leave-one-out", {}, 1, "the person has a single interaction"),
        ("temporal-holdout", {"test": 0.2}, 3, "they have fewer than 5 interactions"),
        ("temporal-holdout", {"test": 0.3}, 2, "they have fewer than 4 interactions"),
        ("temporal-holdout", {"test": 0.9}, 1, "the person has a single interaction"),
        ("rating", {"holdout": 4}, 3, "they have no more than 4 ratings"),
        ("rating", {"holdout": 1}, 1, "the person has no more than 1 rating"),
    ],
)
def test_who_is_not_tested_is_counted(split: str, settings: Any, left: int, why: str) -> None:
    data = community(LEFT, np.arange(18) % 5)
    found = told(data, split, settings, ks=[1])
    be = "is" if left == 1 else "are"
    assert f"{left} of 5 people {be} not tested: {why}." in found.notes
    assert found.tested == 5 - left


def test_ratings_that_are_all_the_same() -> None:
    data = community(circle(30, 60, 20))
    with pytest.raises(DataError, match="All ratings of own are the same"):
        told(data, "rating")
    found = told(data, metrics=["hr", "rmse"])
    assert "rmse" in found.without
    assert "Not measured: rmse, because all ratings are the same." in found.notes


def test_a_main_metric_that_says_nothing_is_refused() -> None:
    found = told(community(circle(30, 15, 6)))
    recipe = Recipe.parse({"data": {"name": "synthetic"}, "evaluate": {"metric": "hr@20"}})
    with pytest.raises(
        RecipeError, match=r"'hr@20' is not measured here: a list of 20 holds all .* hr@5, ndcg@5"
    ):
        main_metric(["hr@5", "ndcg@5"], recipe, found)
    usual = Recipe.parse({"data": {"name": "synthetic"}})
    assert main_metric(["hr@5", "ndcg@5"], usual, found) == "hr@5"
