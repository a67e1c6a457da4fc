"""One's own files: what is understood, and what a person reads when it is not."""

import gzip
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.load import load
from sottovoce.data.table import split_text
from sottovoce.errors import DataError, RecipeError
from tests.data.facts import facts

HEADED = "userId,movieId,rating,timestamp\n1,10,4.5,100\n1,7,3,50\n2,7,1,60\n"
UNDERSTOOD = {
    "comma": ("a.csv", HEADED),
    "crlf": ("a.csv", HEADED.replace("\n", "\r\n")),
    "no line end": ("a.csv", HEADED.rstrip()),
    "empty lines at the end": ("a.csv", HEADED + "\n\n"),
    "byte order mark": ("a.csv", "\ufeff" + HEADED),
    "quoted": (
        "a.csv",
        '"userId","movieId","rating","timestamp"\n"1","10","4.5","100"\n1,7,3,50\n2,7,"1",60',
    ),
    "semicolon": ("a.csv", HEADED.replace(",", ";")),
    "tab": ("a.tsv", HEADED.replace(",", "\t")),
    "two colons": ("a.dat", HEADED.replace(",", "::")),
    "space": ("a.txt", HEADED.replace(",", " ")),
    "other order": ("a.csv", "rating,item_id,time,user_id\n4.5,10,100,1\n3,7,50,1\n1,7,60,2\n"),
    "types in the header": (
        "a.csv",
        HEADED.replace("rating", "rating:float").replace("userId", "user_id:token"),
    ),
    "spaces around numbers": ("a.csv", HEADED.replace(",4.5,", ", 4.5 ,")),
}


@pytest.mark.parametrize("case", UNDERSTOOD)
@pytest.mark.parametrize("compressed", [False, True])
def test_files_that_are_understood(case: str, compressed: bool, tmp_path: Path) -> None:
    name, text = UNDERSTOOD[case]
    path = tmp_path / (name + ".gz" * compressed)
    path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    data = load(path)
    assert facts(data) == [("1", "7", 3.0, 50), ("1", "10", 4.5, 100), ("2", "7", 1.0, 60)]
    assert data.scale == (1.0, 4.5)
    assert "columns guessed: user = " in data.source


@pytest.mark.parametrize(
    ("text", "said", "expected"),
    [
        ("5\t8\t3\t881250949\n", "user = #1, item = #2, rating = #3, time = #4", ("5", "8", 3.0, 881250949)),
        ("5\t8\t1333476450.7\n", "user = #1, item = #2, time = #3)", ("5", "8", 1.0, 1333476450)),
        ("5\t8\n", "user = #1, item = #2)", ("5", "8", 1.0, 0)),
        ("-5\t8\t2\tx\n", "rating = #3; not used: #4", ("-5", "8", 2.0, 0)),
    ],
)
def test_without_a_header(text: str, said: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text(text)
    data = load(tmp_path / "a.tsv")
    assert said in data.source
    assert "without a header" in data.source
    assert facts(data) == [expected]


def test_dates_are_seconds(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("user,item,date\n1,2,1970-01-02 00:00:05\n1,3,1970-01-01 00:01:00\n")
    assert load(tmp_path / "a.csv").time.tolist() == [60, 86405]


BROKEN = {
    "too few fields": (b"user,item,rating\n1,2,3\n1,2\n", "line 3 has 2 fields, but the first line has 3"),
    "too many fields": (
        b"user,item,rating\n1,2,3\n1,2,3,4\n",
        "line 3 has 4 fields, but the first line has 3",
    ),
    "below empty lines": (b"\nuser,item,rating\n\n1,2,3\n  \n1,3,x\n", "line 6.*'x'"),
    "short, below an empty line": (b"user,item\n\n1,2\n\n3\n", "line 5 has 1 field, but"),
    "below an empty line and quotes": (
        b'user,item,rating\n\n1,"a\n\nb",3\n\n2,c,x\n',
        "line 7.*'x'",
    ),
    "below an empty line and blanks by quotes": (
        b'user,item,rating\n\n1, "a" ,3\n \n2,c,x\n',
        "line 5.*'x'",
    ),
    "fields of nothing": (b"user\titem\trating\n1\t2\t3\n\t\t\n", "line 3 has no user"),
    "wrong encoding": (b"user,item\na,b\n\xe9,b\n", "line 3 is not utf-8 text: byte 0xe9.*latin-1"),
    "empty": (b"", "is empty"),
    "only line ends": (b"\r\n\n", "is empty"),
    "only a header": (b"user,item\n", "a header and nothing else"),
    "not a number": (
        b"user,item,rating\n1,2,3\n1,3,good\n1,4,bad\n",
        "line 3.*rating holds 'good'.*first of 2",
    ),
    "no rating": (b"user,item,rating\n1,2,3\n1,3,\n", "line 3.*not a number: column rating holds nothing"),
    "not a number at all": (b"user,item,rating\n1,2,3\n1,3,NaN\n", "line 3.*not a number.*'NaN'"),
    "infinite": (b"1\t4\t3\n1\t3\tinf\n", "line 2.*not finite: column #3 holds 'inf'"),
    "no user": (b"user,item,rating\n1,2,3\n,3,4\n", "line 3 has no user"),
    "no item": (b"user,item,rating\n1,,3\n", "line 2 has no item"),
    "not a time": (b"user,item,time\n1,2,5\n1,3,soon\n", "line 3 has a time.*'soon'"),
    "not a date": (b"user,item,time\n1,2,2012-01-01\n1,3,2012-13-01\n", "line 3 has a time.*'2012-13-01'"),
    "never a time": (b"user,item,time\n1,2,soon\n", "line 2 has a time.*'soon'"),
    "unknown columns": (
        b"foo,bar,rating\na,b,3\n",
        r"the user or the item; its columns are: foo \(a\), bar \(b\), rating \(3\)",
    ),
    "one field": (b"abc\ndef\n", "line 1 has only one field"),
    "open quotation": (b'user,item\n1,"2\n1,2\n', "line 2: a quotation mark is never closed"),
    "only separators": (b",,\n,,\n", "line 1 holds nothing but separators"),
    "repeated column": (b"user,item,user\n1,2,3\n", "line 1 names the column 'user' twice"),
    "after a quoted line end": (b'user,item,rating\n1,"a\nb",3\n2,c,x\n', "line 4.*'x'"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused_with_their_place(case: str, tmp_path: Path) -> None:
    content, said = BROKEN[case]
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        load(path)
    assert str(path) in caught.value.problem
    assert caught.value.remedy


def test_missing_and_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"ratings\.csv does not exist"):
        load(tmp_path / "ratings.csv")
    for name, said in (("a.csv.gz", "not a complete gzip file"), ("a.parquet", "not a Parquet file")):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(DataError, match=said):
            load(tmp_path / name)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(HEADED.encode())[:-12])
    with pytest.raises(DataError, match="not a complete gzip file"):
        load(tmp_path / "b.csv.gz")


def test_settings(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("wer,was,note\nJörg,b,3\n".encode("latin-1"))
    columns = {"user": "wer", "item": 2, "rating": "note"}
    data = load(path, columns=columns, encoding="latin-1", scale=(1, 5))
    assert facts(data) == [("Jörg", "b", 3.0, 0)]
    assert data.scale == (1.0, 5.0)
    assert "columns as given: user = wer, item = was, rating = note" in data.source
    for settings, said in (
        ({"columns": {"user": "wer", "item": "wass"}}, "no column 'wass'. Did you mean 'was'"),
        ({"columns": {"user": "wer", "item": 4}}, "no column 4"),
        ({"columns": {"user": "wer"}}, "which is the item"),
        ({"columns": {"usr": 1, "item": 2}}, "Did you mean 'user'"),
        ({"columns": columns, "scale": (4, 5)}, r"line 2 has a rating outside 4 to 5: column note holds '3'"),
        ({"columns": columns, "scale": (5, 1)}, r"reversed: 5 to 1. Write scale=\(1, 5\)"),
        ({"columns": {"user": "wer", "item": "was"}, "scale": (5, 1)}, "reversed: 5 to 1"),
        ({"encoding": "latin-99"}, "no text encoding 'latin-99'"),
    ):
        with pytest.raises(DataError, match=said):
            load(path, **{"encoding": "latin-1", **settings})
    with pytest.raises(RecipeError, match=r"data\.seperator .* 'separator'"):
        load(path, seperator=",")


class Frame:
    """What pandas offers, as far as it is used."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.content = {name: np.array(values) for name, values in columns.items()}
        self.columns = list(columns)

    def __getitem__(self, name: str) -> "Frame":
        self.chosen = self.content[name]
        return self

    def to_numpy(self) -> Any:
        return self.chosen

    def isna(self) -> Any:
        return self.chosen != self.chosen


COLUMNS = {"user": [2, 1], "item": ["x", "y"], "rating": [1.0, 2.0], "timestamp": [7, 9]}


def test_frames_and_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame(COLUMNS)
    frame.write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet.gz").write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    for content in (frame, Frame(COLUMNS), tmp_path / "a.parquet", tmp_path / "b.parquet.gz"):
        assert facts(load(content)) == [("1", "y", 2.0, 9), ("2", "x", 1.0, 7)]


def test_zeros_that_may_mean_not_rated_are_told() -> None:
    for ratings, said in (
        ([0, 0, 0, 5, 8, 10], True),
        ([0, 1, 1, 2, 3, 4], False),
        ([0, 0, 0, 1, 1, 1], False),
    ):
        data = load(pl.DataFrame({"user": range(6), "item": range(6), "rating": ratings}))
        assert ('3 of 6 ratings are 0, which often means "not rated"' in data.source) == said


def test_bad_values_in_frames_are_named_by_row() -> None:
    with pytest.raises(DataError, match="row 2 has a rating that is not a number"):
        load(pl.DataFrame(COLUMNS).with_columns(rating=pl.Series([1.0, None])))
    with pytest.raises(DataError, match="row 1 has no user"):
        load(pl.DataFrame(COLUMNS).with_columns(user=pl.Series([None, 1])))
    with pytest.raises(DataError, match="row 2 has no user"):
        load(Frame(COLUMNS | {"user": np.array(["a", float("nan")], object)}))
    with pytest.raises(DataError, match="is empty"):
        load(pl.DataFrame(COLUMNS).head(0))


def test_values_of_another_kind_in_frames_are_refused() -> None:
    frame = pl.DataFrame(COLUMNS)
    odd = pl.Series([object(), object()], dtype=pl.Object)
    for column in ("rating", "timestamp"):
        with pytest.raises(DataError, match=f"row 1 has a .*column {column} holds a list"):
            load(frame.with_columns(pl.Series(column, [[1], [2]])))
        with pytest.raises(DataError, match=f"row 1 has a .*column {column} holds <object"):
            load(frame.with_columns(odd.alias(column)))
    with pytest.raises(DataError, match="row 1 has neither a number nor text for its item"):
        load(frame.with_columns(odd.alias("item")))
    ids = [UUID(int=n) for n in (2, 1)]
    data = load(Frame(COLUMNS | {"user": np.array(ids, object)}))
    assert data.users.tolist() == sorted(map(str, ids))


class Indexed(Frame):
    """The same with an index of pandas."""

    def __init__(self, columns: dict[str, Any], names: list[str | None]) -> None:
        super().__init__({name: values for name, values in columns.items() if name not in names})
        self.index, self.every = SimpleNamespace(names=names), columns

    def reset_index(self) -> Frame:
        if None in self.index.names or "timestamp" in self.index.names:
            raise ValueError
        return Frame(self.every)


@pytest.mark.parametrize("names", [["user", "item"], ["user"], [None]])
def test_the_named_index_of_a_frame_is_a_column(names: list[str | None]) -> None:
    assert facts(load(Indexed(COLUMNS, names))) == [("1", "y", 2.0, 9), ("2", "x", 1.0, 7)]


def test_a_column_counts_where_an_index_has_its_name() -> None:
    frame = Indexed(COLUMNS, ["timestamp"])
    frame.columns, frame.content = list(COLUMNS), Frame(COLUMNS).content
    assert facts(load(frame)) == [("1", "y", 2.0, 9), ("2", "x", 1.0, 7)]


def test_ids_that_became_floats_are_whole_again() -> None:
    assert load(pl.DataFrame(COLUMNS).with_columns(pl.col("user").cast(pl.Float64))).users.tolist() == [
        "1",
        "2",
    ]


def test_names_that_are_no_data_set() -> None:
    with pytest.raises(DataError, match=r"no data set called 'ml-10k'. Did you mean 'ml-100k'"):
        load("ml-10k")
    with pytest.raises(DataError, match="needs a file"):
        load("delimited")


cells = st.text("ab1,;\"\n\r 'é|", max_size=4)


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=6)
    )
)
def test_quoted_fields_are_read_exactly(rows: list[list[str]]) -> None:
    text = "\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    table = split_text(Path("a.csv"), text.encode(), ",")
    assert [list(row) for row in table.frame.rows()] == rows
    assert table.lines is not None
    line = 1
    for row, at in zip(rows, table.lines, strict=True):
        assert at == line
        line += 1 + sum(cell.count("\n") for cell in row)
