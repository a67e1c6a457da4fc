"""Models that look at where a person is: each held-out item is ranked from where it was gone to."""

import numpy as np
import pytest

from sottovoce.combine.interface import merge_statistic
from sottovoce.combine.performance import Performance
from sottovoce.data.split import Split, no_candidates
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.references._given import given
from sottovoce.models.interface import score
from sottovoce.models.prme import PRME
from sottovoce.state import set_location
from tests.networks import simulate
from tests.walks import walks

K = 3
KS = (1, 2, 5)


@pytest.fixture(scope="module")
def split():
    """Every test item several times: people have made the round more than once."""
    return LocalHoldout(test=0.3, weighting=0.3, candidates=5).split(walks(items=30, length=20, stray=0.3), 1)


def network(split, threshold=6.0):
    held = {"weighting": split.weighting, "candidates": split.weighting_candidates}
    parts = {"merge": Performance("f1", k=2), **held}
    simulation = simulate(PRME(factors=K, threshold=threshold), split.train, **parts)
    rng = np.random.default_rng(5)
    simulation.tables.rows[:] = rng.normal(size=simulation.tables.rows.shape)
    simulation.people.user[:] = rng.normal(size=simulation.people.user.shape)
    return simulation.model, simulation.tables, simulation.people


def scores_from(state, person, entry, split):
    """Everybody's items, seen from where the person was before a test entry."""
    model, tables, people = state
    here, away = people.here[person], people.away[person]
    set_location(people, person, split.before[0][entry], split.before[1][entry])
    found = np.array([score(model, tables, person, people, person, j) for j in range(split.test.items)])
    set_location(people, person, here, away)
    return found


def test_ranks_and_hits_by_definition(split):
    state = network(split)
    here = state[2].here.copy()
    found = evaluate(*state, split, KS, metrics=("hr", "f1-list")).per_user
    whole = evaluate(*state, split, KS, metrics=("hr",), candidates="all").per_user
    np.testing.assert_array_equal(state[2].here, here)
    capped = 0
    for person in range(split.test.people):
        begin, end = split.test.indptr[person : person + 2]
        tests = split.test.item[begin:end]
        met = {*split.train.item[slice(*split.train.indptr[person : person + 2])].tolist(), *tests.tolist()}
        met |= set(split.weighting.item[slice(*split.weighting.indptr[person : person + 2])].tolist())
        others = [j for j in range(split.test.items) if j not in met]
        ranks, in_all, listed = [], [], []
        assert (split.candidates[begin:end] >= 0).all()
        for n in range(begin, end):
            seen = scores_from(state, person, n, split)
            own = seen[split.test.item[n]]
            ranks.append(np.sum(seen[split.candidates[n]] >= own))
            in_all.append(np.sum(seen[others] >= own))
            if split.test.item[n] not in tests[: n - begin]:
                rivals = np.sum(seen[split.candidates[begin]] >= own)
                listed.append(rivals + np.sum(seen[np.unique(tests)] > own))
        for k in KS:
            assert found[f"hr@{k}"][person] == np.mean(np.array(ranks) < k)
            assert whole[f"hr@{k}"][person] == np.mean(np.array(in_all) < k)
            hits = min(k, np.sum(np.array(listed) < k))
            capped += np.sum(np.array(listed) < k) > k
            assert found[f"f1-list@{k}"][person] == pytest.approx(2 * hits / (k + len(listed)))
    assert capped


def test_where_it_does_not_matter_where_one_is_it_is_one_list(split):
    """The same figures as those of the same scores from a model that never looks where anybody is."""
    model, tables, people = network(split, threshold=0.0)
    people.here[:] = -1
    table = np.array(
        [
            [score(model, tables, p, people, p, j) for j in range(split.test.items)]
            for p in range(split.test.people)
        ]
    )
    same = given(lambda begin, end: table[begin:end], split.train, split.weighting)
    for candidates in ("sampled", "all"):
        names = ("hr", "ndcg", "precision", "f1", "f1-list", "item-coverage", "popularity-bias")
        asked = {"metrics": names, "candidates": candidates}
        ours, theirs = (evaluate(*state, split, KS, **asked) for state in ((model, tables, people), same))
        assert ours.metrics == theirs.metrics
        for name, values in ours.per_user.items():
            np.testing.assert_array_equal(values, theirs.per_user[name], err_msg=name)


def test_quality_is_what_evaluation_measures(split):
    """Also of check-ins at the same place: in one list it stands once."""
    state = network(split)
    judged = Split(
        "weighting", split.train, split.weighting, None, split.weighting_candidates, no_candidates(None)
    )
    found = evaluate(*state, judged, (2,), metrics=("hr", "ndcg", "f1-list")).per_user
    here = state[2].here.copy()
    for metric in ("hr", "ndcg", "f1"):
        rule, people = Performance(metric, k=2), range(split.test.people)
        ours = [merge_statistic(rule, *state[:2], person, state[2], person, 1) for person in people]
        name = "f1-list@2" if metric == "f1" else f"{metric}@2"
        np.testing.assert_allclose(ours, found[name], rtol=1e-6, err_msg=metric)
        assert len(set(ours)) > 2
    np.testing.assert_array_equal(state[2].here, here)
