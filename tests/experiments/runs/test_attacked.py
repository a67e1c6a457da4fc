"""A run with attackers: figures are those of honest people, and the result says what attackers achieved."""

import numpy as np
import pytest

from sottovoce.errors import RecipeError
from sottovoce.experiments.recipe.recipe import Recipe
from sottovoce.experiments.runs.start import run_recipe
from sottovoce.simulate.attackers import attackers
from sottovoce.simulate.attacks.promote import Promote
from tests.small import SMALL, changed

ATTACK = changed(SMALL, attack__name="promote", attack__share=0.1, attack__size=20.0)


@pytest.fixture(scope="module")
def finished():
    return run_recipe(Recipe.parse(ATTACK), progress=False)


def test_figures_are_those_of_honest_people(finished):
    who = attackers(Promote(share=0.1), 60, finished.figures.seed)
    mine = finished.people()["hr@5"].to_numpy()
    assert np.isnan(mine[who]).all()
    assert finished.metrics["hr@5"] == pytest.approx(np.nanmean(mine))
    popular = finished.people()["popularity hr@5"].to_numpy()
    assert np.isnan(popular[who]).all()


def test_the_result_says_what_attackers_achieved(finished):
    found, lists = finished.figures.attack, finished.recommendations()
    assert (found.name, found.people) == ("promote", 6)
    who = attackers(Promote(share=0.1), 60, finished.figures.seed)
    honest = set(finished.people()["user"].to_numpy()[~who])
    history = {user: {c.item for c in finished.history(user, 1000)} for user in honest}
    shown = lists.filter((lists["rank"] <= 5) & (lists["item"].cast(str) == found.item))["user"].to_list()
    others = [user for user in honest if found.item not in history[user]]
    assert found.exposure["5"] == pytest.approx(len(honest & set(shown)) / len(others), abs=0.02)
    assert found.owners >= 1
    assert any("6 persons of 60 attack" in note or "6 people of 60 attack" in note for note in finished.notes)


def test_the_recipe_is_kept_and_who_is_honest_does_not_change_it(finished):
    assert finished.recipe.attack.settings["share"] == 0.1
    assert Recipe.parse(finished.recipe.document()) == finished.recipe
    assert "attack" not in Recipe.parse(SMALL).document()


def test_an_attack_needs_peers():
    with pytest.raises(RecipeError, match=r"\[attack\] has no meaning with the protocol 'federated'"):
        Recipe.parse(changed(ATTACK, protocol__name="federated")).components()
    with pytest.raises(RecipeError, match="no attack called"):
        Recipe.parse(changed(ATTACK, attack__name="promot")).components()
