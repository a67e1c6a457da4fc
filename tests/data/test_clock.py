"""Times in all the ways that files write them, against seconds computed by hand."""

import datetime as dt
from pathlib import Path

import polars as pl
import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError

FIRST, SECOND = 1333476450, 1333562850  # 2012-04-03 18:07:30 and the same time a day later, in UTC
MIDNIGHT = 1333411200

UNDERSTOOD = {
    "seconds": (("1333476450", "1333562850"), (FIRST, SECOND), ""),
    "seconds and a part": (("1333476450.7", "1333562850.2"), (FIRST, SECOND), ""),
    "as numpy.savetxt writes": (
        ("1.333476450000000000e+09", "1.333562850000000000e+09"),
        (FIRST, SECOND),
        "",
    ),
    "milliseconds": (("1333476450123", "1333562850000"), (FIRST, SECOND), "times in milliseconds"),
    "microseconds": (("1333476450123456", "1333562850000000"), (FIRST, SECOND), "times in microseconds"),
    "nanoseconds": (("1333476450123456789", "1333562850000000000"), (FIRST, SECOND), "times in nanoseconds"),
    "days of a spreadsheet": (("41002.75520833333", "41003.75520833333"), (FIRST, SECOND), "spreadsheet"),
    "whole days of a spreadsheet": (("41002", "41003"), (MIDNIGHT, MIDNIGHT + 86400), "spreadsheet"),
    "whole days with a point": (("41002.0", "41003.0"), (MIDNIGHT, MIDNIGHT + 86400), "spreadsheet"),
    "years": (("2011", "2012"), (1293840000, 1325376000), "times are years"),
    "steps": (("7", "60000"), (7, 60000), "times are too small for seconds since 1970: they count as steps"),
    "calendar numbers": (("20120403", "20120404"), (MIDNIGHT, MIDNIGHT + 86400), "calendar numbers"),
    "with the time of day": (("20120403180730", "20120404180730"), (FIRST, SECOND), "calendar numbers"),
    "ISO": (("2012-04-03T18:07:30", "2012-04-04T18:07:30"), (FIRST, SECOND), ""),
    "zones": (("2012-04-03T20:07:30+02:00", "2012-04-04T13:07:30-0500"), (FIRST, SECOND), ""),
    "named zone": (("2012-04-03 18:07:30 UTC", "2012-04-04 18:07:30 UTC"), (FIRST, SECOND), ""),
    "with and without a time": (("2012-04-03", "2012-04-04 18:07"), (MIDNIGHT, SECOND - 30), ""),
    "years first": (("2012/04/03", "2012/04/14"), (MIDNIGHT, MIDNIGHT + 11 * 86400), ""),
    "days first": (
        ("03/04/2012", "13/04/2012"),
        (MIDNIGHT, MIDNIGHT + 10 * 86400),
        "day first: 1 of them",
    ),
    "months first": (("04/03/2012", "04/13/2012"), (MIDNIGHT, MIDNIGHT + 10 * 86400), "month first"),
    "dots": (("03.04.2012", "3.4.2012 18:07:30"), (MIDNIGHT, FIRST), "as usual with dots"),
    "no matter": (("04/04/2012", "05/05/2012"), (MIDNIGHT + 86400, MIDNIGHT + 32 * 86400), ""),
    "twelve hours": (
        ("04/03/2012 6:07:30 PM", "04/13/2012 12:00 AM"),
        (FIRST, MIDNIGHT + 10 * 86400),
        "month",
    ),
    "words": (("3 April 2012", "Apr 4, 2012 6:07:30 pm"), (MIDNIGHT, SECOND), ""),
    "mail": (("Tue, 03 Apr 2012 18:07:30 +0000", "Wed, 04 Apr 2012 18:07:30 +0000"), (FIRST, SECOND), ""),
    "Twitter": (("Tue Apr 03 18:07:30 +0000 2012", "Wed Apr 04 18:07:30 +0000 2012"), (FIRST, SECOND), ""),
    "blanks around": ((" 2012-04-03 ", "\u00a02012-04-04"), (MIDNIGHT, MIDNIGHT + 86400), ""),
}


@pytest.mark.parametrize("case", UNDERSTOOD)
def test_times_that_are_understood(case: str, tmp_path: Path) -> None:
    (one, two), wanted, said = UNDERSTOOD[case]
    path = tmp_path / "a.tsv"
    path.write_text(f"user\titem\ttime\n1\t2\t{two}\n1\t3\t{one}\n")
    data = load(path)
    assert data.time.tolist() == sorted(wanted)
    assert data.catalog.ids[data.item].tolist() == ["3", "2"]
    assert said in data.source
    if not said:
        assert data.source.endswith("time = time)")


REFUSED = {
    "two units": (
        ("1333476450", "1333476451", "1333476450123"),
        "line 4 seems to have a time in milliseconds.*seconds",
    ),
    "missing": (("1333476450", "0", "1333476451"), "line 3 seems to have no time"),
    "shortened": (("1.33E+09", "1.33E+09", "1.34E+09"), "line 2.*spreadsheet shortened to its first digits"),
    "unclear": (("01/02/2012", "03/04/2012", "05/06/2012"), "line 2.*could be exchanged.*day_first=True"),
    "both orders": (("13/02/2012", "14/02/2012", "02/13/2012"), "line 4 has day and month in another order"),
    "some with a zone": (
        ("2012-01-01T10:00Z", "2012-01-01T10:00", "2012-01-01T11:00Z"),
        "line 3.*without a time zone",
    ),
    "short years": (("01/02/12", "13/02/12", "14/02/12"), "line 2 has a time that is neither"),
    "no such day": (("2012-02-29", "2012-02-30", "2012-03-01"), "line 3.*'2012-02-30'"),
    "no such hour": (("2012-02-29 13:00 PM", "2012-02-29", "2012-03-01"), "line 2.*13:00 PM"),
    "a second among calendar numbers": (
        ("20170714", "1500000000", "20170715"),
        "line 3 has a time of another kind: the others are calendar numbers.*1500000000",
    ),
    "no such calendar number": (("20170714", "20170715", "20170700"), "line 4.*calendar numbers.*20170700"),
    "no such day among many digits": (
        ("20170714025640", "20170732000000", "20170715025640"),
        "line 3.*calendar numbers.*20170732000000",
    ),
    "half of the calendar numbers": (("20170231", "20170714"), "line 2.*calendar numbers.*20170231"),
    "a gap among calendar numbers": (("20170714", "20170715", "0"), "line 4 seems to have no time"),
    "a foreign one among days of a spreadsheet": (
        (*["42930"] * 20, "1500000000"),
        "line 22 has a time of another kind: the others are days of a spreadsheet",
    ),
    "a gap among days of a spreadsheet": ((*["42930"] * 20, "0"), "line 22 seems to have no time"),
    "a foreign one among years": ((*["2017"] * 20, "17"), "line 22.*the others are years"),
    "nothing": (("2012-02-29", "", "2012-03-01"), "line 3.*holds nothing"),
    "beyond all times": (("1", "99999999999999999999", "3"), "line 3 has a time"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_times_that_are_refused(case: str, tmp_path: Path) -> None:
    times, said = REFUSED[case]
    path = tmp_path / "a.tsv"
    path.write_text("user\titem\ttime\n" + "".join(f"1\t{n}\t{time}\n" for n, time in enumerate(times)))
    with pytest.raises(DataError, match=said):
        load(path)


def test_what_cannot_be_told_apart_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,item,date\n1,2,03/04/2012\n")
    assert load(path, day_first=True).time.tolist() == [MIDNIGHT]
    assert load(path, day_first=False).time.tolist() == [MIDNIGHT - 30 * 86400]


def test_the_order_within_a_second_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,item,time\n1,a,1333476450900\n1,b,1333476450100\n1,c,1333476449999\n")
    data = load(path)
    assert data.catalog.ids[data.item].tolist() == ["c", "b", "a"]
    inter = tmp_path / "a.inter"
    inter.write_text(
        "user_id:token\titem_id:token\ttimestamp:float\n1\ta\t1333476450900\n1\tb\t1333476450100\n"
    )
    data = load(inter)
    assert data.catalog.ids[data.item].tolist() == ["b", "a"]
    assert "times in milliseconds" in data.source


def test_times_of_frames() -> None:
    moment = dt.datetime(2012, 4, 3, 18, 7, 30, tzinfo=dt.UTC)
    for column in (
        pl.Series([moment]),
        pl.Series([moment]).dt.convert_time_zone("Asia/Kolkata"),
        pl.Series([moment]).dt.cast_time_unit("ns").dt.replace_time_zone(None),
        pl.Series([FIRST * 1000]),
        pl.Series([float(FIRST)]),
    ):
        assert load(pl.DataFrame({"user": [1], "item": [2], "time": column})).time.tolist() == [FIRST]
    with pytest.raises(DataError, match="row 1 has a time that is neither"):
        load(pl.DataFrame({"user": [1], "item": [2], "time": [dt.time(10)]}))


def test_a_published_data_set_in_another_unit_is_not_it(tmp_path: Path) -> None:
    (tmp_path / "ml-1m").mkdir()
    (tmp_path / "ml-1m/ratings.dat").write_text("1::2::3::978300760000\n")
    with pytest.raises(
        DataError, match=r"ratings\.dat differs from the published file: times in milliseconds"
    ):
        load("ml-1m", data_dir=tmp_path)
