"""The tuned reference: its measure against the project's own, and what it may look at."""

from dataclasses import replace

import numpy as np
import pytest

from sottovoce.data.interactions import Catalog, build
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.errors import RecipeError
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.references._given import given, scored
from sottovoce.evaluate.references.als import ALS
from sottovoce.evaluate.references.tuned_als import TunedALS, ndcg


def divided(people=60, items=40):
    """People of two tastes, and a little noise."""
    random = np.random.default_rng(3)
    chance = np.where(np.arange(people)[:, None] % 2 == np.arange(items) % 2, 0.5, 0.08)
    person, item = np.nonzero(random.random((people, items)) < chance)
    catalog = Catalog("tastes", np.array([str(j) for j in range(items)]))
    return LocalHoldout(candidates=12).split(build("tastes", person, item, catalog=catalog), 1)


def weighed(split):
    """The split whose test set is the weighting set."""
    return replace(split, test=split.weighting, candidates=split.weighting_candidates)


@pytest.mark.parametrize("ties", [False, True])
def test_its_measure_is_that_of_evaluation(ties):
    split, random = divided(), np.random.default_rng(4)
    person, item = (random.normal(size=(n, 3)).astype(np.float32) for n in (60, 40))
    if ties:
        person, item = np.round(person), np.round(item)
    state = given(lambda begin, end: person[begin:end] @ item.T, split.train)
    expected = evaluate(*state, weighed(split), ks=(10,)).metrics["ndcg@10"]
    rivals = split.weighting_candidates
    assert ndcg(person, item, split.weighting, rivals) == pytest.approx(expected, abs=1e-6)
    fewer = rivals.copy()
    fewer[:, 6:] = -1
    assert ndcg(person, item, split.weighting, fewer) == pytest.approx(
        ndcg(person, item, split.weighting, rivals[:, :6])
    )


def test_vectors_that_are_no_numbers_are_the_worst():
    held, person, item = divided().weighting, np.full((60, 3), np.nan), np.ones((40, 3))
    assert ndcg(person, item, held, np.zeros((len(held), 5), np.int32)) == 0


def test_it_is_at_least_as_good_as_the_default_where_it_is_tuned():
    split = divided()
    chosen = TunedALS(trial=5, iterations=5).choose(split, 1)
    held = split.weighting, split.weighting_candidates
    ours, usual = (ndcg(*r.factorized(split.train, 1), *held) for r in (chosen, ALS(iterations=5)))
    assert ours > usual
    assert scored(TunedALS(5, 5), split, 1).tables.rows.shape == (60 * 40, 1)


def test_it_never_looks_at_the_test_set():
    split = divided()
    other = replace(split, test=split.train, candidates=np.zeros((len(split.train), 3), np.int32))
    assert TunedALS(trial=2).choose(split, 1) == TunedALS(trial=2).choose(other, 1)


def test_it_needs_a_weighting_set():
    split = replace(divided(), weighting=None, weighting_candidates=np.empty((0, 0), np.int32))
    with pytest.raises(RecipeError, match="needs a weighting set"):
        TunedALS().choose(split, 1)
