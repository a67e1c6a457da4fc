"""Figures in words."""

from sottovoce.experiments.audit.attacks import some_rounds
from sottovoce.experiments.audit.sentences import headlines, sentence, share


def figure(value, guessing):
    return {"value": value, "low": value - 0.01, "high": value + 0.01, "guessing": guessing, "people": 9}


def items(way, value):
    about = {"attack": "items", "observer": "server", "way": way, "rounds": 3}
    return about | {"precision": figure(0.5, 0.04), "recall": figure(value, 0.06)}


def test_shares():
    assert [share(v) for v in (0.0, 0.061, 0.834, 0.996, 1.0, None)] == [
        "0 %", "6.1 %", "83 %", "99.6 %", "100 %", "—",
    ]  # fmt: skip


def test_a_sentence_about_items():
    assert sentence(items("side", 0.83)) == (
        "The server finds 83 % of a person's items after 3 rounds (82 % to 84 %); guessing finds 6.0 %. "
        "Of the items named, 50 % are right; of guessed ones, 4.0 %."
    )


def test_headlines_are_about_the_best_way():
    told = headlines([items("changed", 0.3), items("side", 0.83), items("never", 0.1)])
    assert told == [sentence(items("side", 0.83))]


def test_rounds_at_which_leakage_is_measured():
    assert some_rounds(1) == [1]
    assert some_rounds(10) == [1, 2, 5, 10]
    assert some_rounds(30) == [1, 2, 5, 10, 20, 30]
