"""What pydantic refuses is said in our words: the setting, what is allowed, what was given."""

import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe

QUICK = {"data": {"name": "synthetic"}}


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"run": {"rounds": 0}}, "run.rounds = 0 cannot be used: it must be at least 1."),
        ({"run": {"rounds": 1.5}}, "run.rounds = 1.5 cannot be used: it must be a whole number."),
        ({"run": {"rounds": "many"}}, "run.rounds = 'many' cannot be used: it must be a whole number."),
        ({"run": {"checkpoint": "x"}}, "run.checkpoint = 'x' cannot be used: it must be a number."),
        (
            {"run": {"keep_models": "yes"}},
            "run.keep_models = 'yes' cannot be used: it must be true or false.",
        ),
        ({"run": {"least_gain": 0}}, "run.least_gain = 0 cannot be used: it must be more than 0."),
        ({"arrivals": {"share": 1}}, "arrivals.share = 1 cannot be used: it must be less than 1."),
        ({"evaluate": {"tune_step": 2}}, "evaluate.tune_step = 2 cannot be used: it must be at most 1."),
        ({"evaluate": {"ks": []}}, "evaluate.ks = [] cannot be used: it must have at least 1 entry."),
        ({"evaluate": {"ks": 5}}, "evaluate.ks = 5 cannot be used: it must be a list."),
        ({"evaluate": {"ks": [5, 0]}}, "evaluate.ks.2 = 0 cannot be used: it must be at least 1."),
        (
            {"evaluate": {"candidates": "some"}},
            "evaluate.candidates = 'some' cannot be used: it must be 'sampled' or 'all'.",
        ),
        ({"data": {"path": " "}}, "data.path = ' ' cannot be used: it must not be blank."),
        ({"data": {"name": ""}}, "data.name = '' cannot be used: it must not be blank."),
        ({"data": {"columns": 3}}, "data.columns = 3 cannot be used: it must be a table."),
        (
            {"protocol": {"merge": []}},
            "merge = [] cannot be used: it must be the name of a component or a table with its name.",
        ),
        ({"protocol": {"compress": [{"bits": 8}]}}, "protocol.compress.1.name is missing."),
        (
            {"privacy": {"disclose": "maybe"}},
            "privacy.disclose = 'maybe' cannot be used: it must be true or false or a list.",
        ),
        (
            {"privacy": {"disclose": ["vector"]}},
            "privacy.disclose.1 = 'vector' cannot be used: it must be 'vectors' or 'statistics'.",
        ),
        (
            {"privacy": {"observe": {"who": 1.5, "rounds": [1, 2]}}},
            "privacy.observe.who = 1.5 cannot be used: it must be text or a whole number or a list.",
        ),
        ({"model": {"name": "mf", "factors": 0}}, "model.factors = 0 cannot be used: it must be at least "),
        ({"model": {"name": "mf", "step": "x"}}, "model.step = 'x' cannot be used: it must be a number."),
    ],
)
def test_in_our_words(section: dict[str, object], said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe.parse(QUICK | section).components()
    assert said in str(caught.value)
    assert "Input should" not in str(caught.value)


def test_long_values_are_cut() -> None:
    with pytest.raises(RecipeError) as caught:
        Recipe.parse(QUICK | {"run": {"rounds": "x" * 5000}})
    assert len(str(caught.value)) < 200
