"""Names of columns: what they say in several languages, and what they do not."""

import pytest

from sottovoce.data import words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("user_id:token", "userid"),
        ("  ÉVALUATION ", "evaluation"),
        ("Größe", "grosse"),
        ("użytkownik", "uzytkownik"),
        ("Ørsted-Nr.", "orstednr"),
    ],
)
def test_names_without_accents_and_marks(name, expected):
    assert words.plain(name) == expected


@pytest.mark.parametrize("name", ["userId", "user_id", "User ID", "user-id:token"])
def test_words_of_a_name(name):
    assert words.tokens(name) == ["user", "id"]
    assert words.tokens("Évaluation_Tête") == ["evaluation", "tete"], "accents part no words"


@pytest.mark.parametrize(
    ("role", "names", "expected"),
    [
        ("user", ["item", "Nutzer ID", "user"], [2, 1]),
        ("user", ["kundennummer", "用户"], [0, 1]),
        ("item", ["movieId", "rating", "title"], [0]),
        ("rating", ["avg rating", "Book-Rating", "stars"], [2, 1]),
        ("time", ["release date", "date rated", "timestamp"], [2, 1]),
        ("title", ["original title", "movie title", "titre"], [2, 1]),
        ("rating", ["whatever"], []),
    ],
)
def test_columns_by_name_the_most_likely_first(role, names, expected):
    assert words.by_name(names, role) == expected


def test_every_word_is_its_own_plain_form_and_weak_ones_are_known():
    for role in words.SYNONYMS:
        assert len(words.known(role)) > 10
        assert all(words.plain(word) == word for word in words.known(role))
    everything = set().union(*map(words.known, words.SYNONYMS))
    assert set(words.WEAK.split()) <= everything


def test_exports_of_one_person():
    assert words.exported(["Book Id", "Title", "My Rating"]) == "Goodreads"
    assert words.exported(["Const", "Your Rating", "Date Rated"]) == "IMDb"
    assert words.exported(["user", "item", "rating"]) is None
