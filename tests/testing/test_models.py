"""The checks that every model must pass find what they look for."""

from typing import NamedTuple

import pytest

from sottovoce import testing
from sottovoce.extend import (
    TRAIN,
    Shape,
    below,
    component,
    dot,
    hold,
    locate,
    normal,
    own_items,
    score,
    score_all,
    shape,
    start_row,
    start_user,
    stream,
    touched,
    train,
)
from sottovoce.testing import models


def broken(name, *, ages=True, names=True, honest=True, learns=True, finite=True):
    """A model of pairs with one thing wrong with it."""

    @component("model", name)
    class Broken(NamedTuple):
        """Ranks what a person has above the rest."""

        factors: int = 3

    @shape.rule(Broken)
    def _shape(model):
        return Shape(model.factors, 0, model.factors)

    @start_row.rule(Broken)
    def _start_row(model, row, key):
        for d in range(model.factors):
            row[d] = 0.1 * normal(key, d) if finite else float("nan")

    @start_user.rule(Broken)
    def _start_user(model, user, key):
        for d in range(model.factors):
            user[d] = 0.1 * normal(key, d)

    @train.rule(Broken)
    def _train(model, tables, slot, people, person, run):
        own = people.item[people.indptr[person] : people.indptr[person + 1]]
        key = stream(run, TRAIN, people.key[person], people.steps[person])
        items = tables.where.shape[1] if tables.where.size else tables.offset[slot + 1] - tables.offset[slot]
        for n in range(len(own)):
            for item, sign in ((own[n], 0.1), (below(key, n, items), -0.1)):
                j = locate(tables, slot, item)
                for d in range(model.factors):
                    tables.rows[j, d] += (sign if learns else -sign) * people.user[person, d]
                tables.age[j] += 1 if ages else 0
        return len(own)

    @touched.rule(Broken)
    def _touched(model, tables, slot, people, person, run):
        own_items(tables, slot, people, person)
        if names:
            key = stream(run, TRAIN, people.key[person], people.steps[person])
            for n in range(people.indptr[person + 1] - people.indptr[person]):
                hold(tables, slot, [below(key, n, tables.where.shape[1])])

    @score.rule(Broken)
    def _score(model, tables, slot, people, person, item):
        return dot(people.user[person], tables.rows[locate(tables, slot, item)], model.factors)

    @score_all.rule(Broken)
    def _score_all(model, tables, slot, people, person, scores):
        for item in range(len(scores)):
            scores[item] = score(model, tables, slot, people, person, item) + (0.0 if honest else 0.5)

    return Broken()


@pytest.fixture(autouse=True)
def _plain(uncompiled):
    """A new model costs no compilation that way."""


def test_a_sound_model_passes_what_it_is_made_for():
    model = broken("sound")
    models.check_state(model)
    models.check_scores(model)
    models.check_touched_rows(model)
    models.check_restart(model)
    models.check_node(model)


@pytest.mark.parametrize(
    ("fault", "check", "said"),
    [
        ("ages", models.check_touched_rows, "age of every row that it changes"),
        ("names", models.check_touched_rows, "`touched` does not name|is out of bounds"),
        ("honest", models.check_scores, "`score_some` differs from `score_all`"),
        ("finite", models.check_state, "`start_row` leaves numbers that are not finite"),
        ("learns", lambda model: models.check_withheld(model, models.Gossip(), rounds=3), "withheld item"),
        ("docs", models.check_description, "must state what the model computes"),
    ],
)
def test_faults_are_found(fault, check, said, monkeypatch):
    model = broken(f"broken-{fault}", **({} if fault == "docs" else {fault: False}))
    if fault == "docs":
        monkeypatch.setattr("sys.modules", {**__import__("sys").modules})
        monkeypatch.setattr(__import__("sys").modules[type(model).__module__], "__doc__", "")
    with pytest.raises((AssertionError, IndexError), match=said):
        check(model)


def test_what_is_public_is_there():
    from sottovoce import extend

    for name in testing.__all__:
        assert getattr(testing, name) is not None
    assert len(extend.__all__) == len(set(extend.__all__))
    for name in extend.__all__:
        assert getattr(extend, name) is not None
