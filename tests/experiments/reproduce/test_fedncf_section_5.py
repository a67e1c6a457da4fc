"""Section 5 and Lemma 5.1 of Perifanis and Efraimidis (2022), with the real clients and the real server.

An attack works where the paper says so, and fails where a guard stops it.
"""

import numpy as np
import pytest

from sottovoce.exchange.secure.server import Phase
from sottovoce.experiments.reproduce.papers import fedncf_people, fedncf_section_5
from sottovoce.experiments.reproduce.papers.fedncf_people import (
    NEGATIVES,
    PLAN,
    guarded,
    people,
    published,
    trained,
)
from sottovoce.experiments.reproduce.papers.fedncf_section_5 import PEOPLE, VICTIM, attack

ALL, NOTHING = {"found": 1.0, "rightly": 1.0}, {"found": 0.0, "rightly": 0.0}


def test_plain_federation_shows_everybodys_items():
    assert attack(1, attack="plain") == ALL


def test_a_masked_vector_is_worth_no_more_than_a_guess():
    found = [attack(seed, attack="one vector") for seed in range(1, 5)]
    assert abs(np.mean([one["beyond guessing"] for one in found])) < 0.05
    assert {one["numbers of the sum that differ"] for one in found} == {0.0}


def test_the_same_guess_succeeds_without_masks(monkeypatch):
    """So that the test above can fail: the attacker's rule finds all items in a vector that is not masked."""
    rng = np.random.default_rng(1)
    members = people(rng, PEOPLE, popular=False)
    parts = [trained(rng, one, NEGATIVES) for one in members]
    bare = [fedncf_people.vector(part, PEOPLE) for part in parts]
    monkeypatch.setattr(fedncf_section_5, "people", lambda *_, **__: members)
    given = iter(parts)
    monkeypatch.setattr(fedncf_section_5, "trained", lambda *_: next(given))
    monkeypatch.setattr(fedncf_section_5, "seen", lambda round_, who: bare[who])
    assert attack(1, attack="one vector")["beyond guessing"] == pytest.approx(
        1 - np.mean([len(part.items) for part in parts]) / PLAN.items
    )


@pytest.mark.parametrize("guards", [False, True])
def test_counts_tell_what_all_have_and_what_nobody_has(guards):
    """Section 5.2's first limitation, and where Lemma 5.1 fails; guards do not change it."""
    found = attack(1, attack="counts", guards=guards)
    assert found["rightly"] == 1.0
    assert found["known not to have"] > 0.3
    assert found["known to have"] > 0


def test_a_row_of_one_person_is_shown_unless_guards_withhold_it():
    assert set(attack(1, attack="rare rows").values()) == {1.0}
    assert set(attack(1, attack="rare rows", guards=True).values()) == {0.0}


@pytest.mark.parametrize("name", ["but one", "pretended dropout"])
def test_two_sums_that_differ_by_one_person_show_this_person_unless_refused(name):
    assert attack(1, attack=name) == ALL | {"refused": 0.0}
    assert attack(1, attack=name, guards=True) == NOTHING | {"refused": 1.0}


def test_guards_say_why_they_refuse():
    rng = np.random.default_rng(1)
    members = people(rng, PEOPLE)
    parts = [trained(rng, one) for one in members]
    assert not guarded(members, parts).outcome.refused
    again = guarded(members, parts, lambda who, phase: who == VICTIM and phase is Phase.MASKED)
    assert len(again.outcome.refused) == PEOPLE - 1
    assert "differs from an earlier one by 1 person" in again.outcome.refused[0]
    assert again.counts is None
    fewer = guarded(members[1:], parts[1:])
    assert len(fewer.outcome.refused) == PEOPLE - 1
    assert fewer.server is None, "nobody begins"


def test_guards_let_the_same_group_go_on():
    rng = np.random.default_rng(2)
    members = people(rng, PEOPLE)
    for _ in range(3):
        round_ = guarded(members, [trained(rng, one) for one in members])
        assert round_.counts is not None
        assert not round_.outcome.refused


def test_new_negatives_blur_one_pair_of_rounds_and_not_many(monkeypatch):
    monkeypatch.setattr(fedncf_section_5, "PEOPLE", 4)
    once = [attack(seed, attack="blurred", number=1)["rightly"] for seed in (1, 2, 3)]
    often = [attack(seed, attack="blurred", number=25)["rightly"] for seed in (1, 2)]
    assert np.mean(once) < 0.5
    assert np.mean(often) > 0.5


def test_a_participant_learns_the_others_sum():
    """In a group of two that is the other's part, which guards refuse; in a larger one it names nobody."""
    pair = attack(1, attack="participant", number=2)
    assert pair == ALL | {"others' items known": 1.0, "refused": 0.0}
    assert attack(1, attack="participant", number=2, guards=True)["refused"] == 1.0
    larger = attack(1, attack="participant", number=PEOPLE)
    assert larger["others' items known"] == 1.0
    assert larger["rightly"] < 0.5


@pytest.mark.parametrize(("number", "share"), [(1, 0.0), (5, 0.0), (6, 1.0), (7, 1.0)])
def test_colluders_unmask_a_vector_from_the_threshold_on(number, share):
    assert attack(1, attack="colluders", number=number) == {"found": share, "rightly": share}


def test_nobody_chooses_a_group_that_all_draw(monkeypatch):
    monkeypatch.setattr(fedncf_section_5, "DRAWS", 30)
    found = [attack(seed, attack="draw") for seed in (1, 2)]
    for one in found:
        assert one["wanted group"] - one["beyond guessing"] == pytest.approx(25 / 252)
    assert np.mean([one["wanted group"] for one in found]) < 0.4, "a server that chooses would have 1"


def test_published_rounds_are_mf_fedavgs_sums():
    rng = np.random.default_rng(3)
    members = people(rng, PEOPLE)
    parts = [trained(rng, one) for one in members]
    round_ = published(members, parts)
    counts, rows = np.zeros(PLAN.items, int), np.zeros((PLAN.items, PLAN.width))
    for part in parts:
        counts[part.items] += 1
        rows[part.items] += part.rows
    assert (round_.counts == counts).all()
    assert round_.instances == sum(len(part.items) for part in parts)
    found = np.array([round_.rows[item] for item in range(PLAN.items)])
    np.testing.assert_allclose(found, rows, atol=PEOPLE * 2.0**-21)
