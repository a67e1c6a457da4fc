"""Dates as people write them, against the standard library."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data import dates

MOMENT = datetime(2012, 4, 3, 18, 7, 30, tzinfo=UTC)
DAY = datetime(2012, 4, 3, tzinfo=UTC)


def seconds(texts, **options):
    found = dates.read(pl.Series(texts), **options)
    assert not isinstance(found, dates.Refusal), found
    return [int(value.timestamp()) for value in found[0].dt.replace_time_zone("UTC")], found[1]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2012-04-03", DAY),
        ("2012/4/3", DAY),
        ("3 April 2012", DAY),
        ("Tuesday, 3rd Apr. 2012", DAY),
        ("April 3, 2012", DAY),
        ("2012-04-03 18:07:30", MOMENT),
        ("2012-04-03T18:07:30Z", MOMENT),
        ("2012-04-03T20:07:30+02:00", MOMENT),
        ("2012-04-03 13:37:30 -0430", MOMENT),
        ("2012/04/03 6:07:30 PM", MOMENT),
        ("April 3, 2012 6:07:30 p.m.", MOMENT),
        ("Tue Apr 03 18:07:30 +0000 2012", MOMENT),
        ("2012/04/03 12:00 am", DAY),
    ],
)
def test_forms(text, moment):
    assert seconds([text]) == ([int(moment.timestamp())], "")
    assert dates.looks(text)


@given(st.lists(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), min_size=1, max_size=5))
def test_any_moment_is_that_of_the_standard_library(moments):
    expected = [int(one.replace(tzinfo=UTC, microsecond=0).timestamp()) for one in moments]
    assert seconds([one.strftime("%d.%m.%Y %H:%M:%S").zfill(19) for one in moments])[0] == expected
    whole = np.array([int(f"{one.year:04d}{one:%m%d%H%M%S}") for one in moments])
    found, fit = dates.calendar(whole)
    assert fit.all()
    assert found.tolist() == expected


def test_the_whole_column_decides_between_day_and_month():
    assert seconds(["03/04/2012", "25/04/2012"])[0][0] == int(DAY.timestamp())
    assert seconds(["04/03/2012", "04/25/2012"])[0][0] == int(DAY.timestamp())
    assert "day first" in seconds(["03/04/2012", "25/04/2012"])[1]
    assert seconds(["03.04.2012"]) == ([int(DAY.timestamp())], "dates with the day first, as usual with dots")
    assert seconds(["04/03/2012"], day_first=False)[0] == [int(DAY.timestamp())]


@pytest.mark.parametrize(
    ("texts", "bad", "said"),
    [
        (["03/04/2012", "04/04/2012"], [True, False], "could be exchanged"),
        (["25/04/2012", "24/04/2012", "04/25/2012"], [False, False, True], "another order"),
        (["2012/04/03 10:00Z", "2012/04/03 10:00"], [False, True], "without a time zone"),
        (["2012/04/03", "soon"], [False, True], "neither seconds"),
        (["2012/02/30"], [True], "neither seconds"),
        (["2012/04/03 13:00 pm"], [True], "neither seconds"),
    ],
)
def test_rows_that_cannot_be_read_are_named(texts, bad, said):
    found = dates.read(pl.Series(texts))
    assert isinstance(found, dates.Refusal)
    assert found.rows.tolist() == bad
    assert said in found.problem


def test_calendar_numbers():
    found, fit = dates.calendar(np.array([20120403, 20121303, 20120431, 99, 20120404]))
    assert fit.tolist() == [True, False, False, False, True]
    assert found[0] == DAY.timestamp()
    assert dates.calendar(np.array([201204031807]))[0].tolist() == [MOMENT.timestamp() - 30]
    assert not dates.calendar(np.array([1_333_476_450]))[1].any()


@pytest.mark.parametrize("text", ["4.5", "Heat", "May", "1995", "12:30", ""])
def test_what_does_not_look_like_a_date(text):
    assert not dates.looks(text)
