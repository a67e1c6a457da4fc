"""What columns hold, guessed from their values."""

import polars as pl
import pytest

from sottovoce.data import looks


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "2.5", "5", "3"], "rating"),
        (["1", "2", "1", "2"], "id"),  # two values could be anything
        (["1", "2", "11"], "id"),
        (["-1", "2", "3"], "id"),
        (["1.1", "2", "3"], "id"),  # not in quarters
        (["4,5", "3", "1"], "rating"),
        (["978300760", "978302109"], "time"),
        (["20120403", "20120404"], "time"),
        (["2012-04-03", "2012-05-03"], "time"),
        (["Heat", "Alien"], "id"),
        (["", " "], "none"),
        ([None, None], "none"),
    ],
)
def test_kinds(values, expected):
    assert looks.kind(pl.Series(values, dtype=pl.String)) == expected


def test_columns_after_user_and_item():
    found = [looks.order(pl.Series(values)) for values in (["7", "x"], ["978300760"], ["Heat"], [""])]
    assert found == ["rating", "time", None, None]


@pytest.mark.parametrize(
    ("value", "expected"), [("4.5", 4.5), (" 4,5 ", 4.5), ("1,2,3", None), ("Heat", None), (3, 3.0)]
)
def test_numbers(value, expected):
    assert looks.number(value) == expected
    assert looks.like_value(value) == (expected is not None)


def test_names_that_often_mean_something_else_need_fitting_values():
    films, stars = pl.Series(["Heat", "Alien"]), pl.Series(["4", "5"])
    assert not looks.may_be(films, "rating", "note")
    assert looks.may_be(stars, "rating", "note")
    assert looks.may_be(films, "rating", "rating"), "a strong name is believed"
    assert looks.may_be(films, "title", "name")
    assert not looks.may_be(stars, "title", "name")
    assert not looks.may_be(stars, "time", "data")
    assert looks.may_be(films, "user", "name")


def test_row_numbers_times_and_gaps():
    assert looks.counts(pl.Series(["0", "1", "2"]))
    assert looks.counts(pl.Series([1, 2, 3]))
    assert not looks.counts(pl.Series([1, 2, 4]))
    assert not looks.counts(pl.Series(["1", "x"]))
    assert looks.gaps(pl.Series(["a", " "]))
    assert looks.gaps(pl.Series([1, None]))
    assert not looks.gaps(pl.Series(["a", "b"]))
    recent = [str(1_300_000_000_000 + n) for n in range(12)]
    assert looks.clocked(pl.Series(recent))
    assert not looks.clocked(pl.Series(recent[:9])), "so few may all differ by chance"
    assert not looks.clocked(pl.Series([recent[0]] * 12))
    assert looks.dated(pl.Series(["20120403", "20120404"]))
    assert not looks.dated(pl.Series(["978300760"]))
    assert looks.never_small(pl.Series(["Heat", "Alien"]))
    assert not looks.never_small(pl.Series(["Heat", "7"]))
    assert looks.numeric(pl.Series(["1", "2,5"]))
    assert not looks.numeric(pl.Series(["1", "x"]))
