"""Ids in every spelling that files have them in: one id stays one, and what is unclear is refused."""

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data import ids
from sottovoce.data.interactions import Catalog, Interactions, build, extended
from sottovoce.data.load import load
from sottovoce.errors import DataError

AROUND = ["", " ", "\t", "\u00a0", "\u2009", "\u3000", "\u200b", "\ufeff", "\u200e", "\x00", " \u2060 "]
PLAIN = [("1", "10"), ("1", "20"), ("2", "10"), ("3", "30")]


def met(data: Interactions) -> list[tuple[str, str]]:
    return list(zip(data.users[data.owner].tolist(), data.catalog.ids[data.item].tolist(), strict=True))


def equal(one: Interactions, other: Interactions) -> bool:
    arrays = ("indptr", "item", "value", "time", "users")
    return all(np.array_equal(getattr(one, a), getattr(other, a)) for a in arrays) and (
        one.catalog.ids.tolist() == other.catalog.ids.tolist()
    )


@given(st.data())
def test_what_surrounds_an_id_makes_no_difference(draw: st.DataObject) -> None:
    edge = st.sampled_from(AROUND)
    rows = [tuple(draw.draw(edge) + field + draw.draw(edge) for field in row) for row in PLAIN]
    users, items = zip(*rows, strict=True)
    assert met(build("x", users, items)) == PLAIN
    assert met(load(pl.DataFrame({"user": users, "item": items}))) == PLAIN
    assert met(build("x", [f"u{u}u" for u, _ in PLAIN], items))[0] == ("u1u", "10")


@pytest.mark.parametrize("separator", [",", "\t", "::", ";", "|"])
@pytest.mark.parametrize("edge", [" ", "\u00a0", "\u200b"])
def test_in_text_files(separator: str, edge: str, tmp_path: Path) -> None:
    rows = [(f"{edge}{u}", f"{i}{edge}" if n % 2 else i) for n, (u, i) in enumerate(PLAIN)]
    path = tmp_path / "own.csv"
    path.write_text("\n".join(separator.join([*row, "3"]) for row in [("user", "item"), *rows]), "utf-8")
    assert met(load(path)) == PLAIN


def test_in_parquet_and_recbole(tmp_path: Path) -> None:
    users, items = zip(*PLAIN, strict=True)
    pl.DataFrame({"user": [f" {u}" for u in users], "item": items}).write_parquet(tmp_path / "own.parquet")
    assert met(load(tmp_path / "own.parquet")) == PLAIN
    rows = "".join(f"{u} \t{i}\n" for u, i in PLAIN)
    (tmp_path / "own.inter").write_text(f"user_id:token\titem_id:token\n{rows}")
    (tmp_path / "own.item").write_text("item_id:token\ttitle:token\n 10\tTen\n20\u00a0\tTwenty\n30\tThirty\n")
    data = load(tmp_path / "own.inter")
    assert met(data) == PLAIN
    assert data.catalog.titles == ["Ten", "Twenty", "Thirty"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["1", "1.0", "+1", "1e0", "2"], ["1", "1", "1", "1", "2"]),
        (["1.", "2.00"], ["1", "2"]),
        (["100000", "1e5", "1E+05", "1.0e5"], ["100000"] * 4),
        (["1.2e+07"], ["12000000"]),
        (["0114709", "0000001", "10872600"], ["0114709", "0000001", "10872600"]),
        (["001", "002"], ["001", "002"]),
        (["1.5", "2.0"], ["1.5", "2.0"]),
        (["a", "A", "1.0"], ["a", "A", "1.0"]),
        (["1e5", "a3f", "100000"], ["1e5", "a3f", "100000"]),  # hexadecimal, not scientific
        (["4e99", "4e98"], ["4" + "0" * 99, "4" + "0" * 98]),
        (["caf\u00e9", "cafe\u0301"], ["caf\u00e9", "caf\u00e9"]),
        (["a b", "a\u00a0b", "a  b", "a\u200b b"], ["a b"] * 4),
        (
            ["\u06a9\u200c\u0627", "\u06a9\u0627"],
            ["\u06a9\u200c\u0627", "\u06a9\u0627"],
        ),  # two words of Persian
        (["a1", "a2", "a10"], ["a1", "a2", "a10"]),
        (["99999999999999999999", "1"], ["99999999999999999999", "1"]),
        (["Null", "Nan", "Nana"], ["Null", "Nan", "Nana"]),
        (["\U0001f3f4\U000e0067\U000e0062\U000e007f"], ["\U0001f3f4\U000e0067\U000e0062\U000e007f"]),
        (["1" * 5000], ["1" * 5000]),
    ],
)
def test_one_spelling_for_each(given: list[str], expected: list[str]) -> None:
    items = [f"i{n}" for n in range(len(given))]
    for data in (build("x", given, items), load(pl.DataFrame({"user": given, "item": items}))):
        found = dict(zip(data.catalog.ids[data.item].tolist(), data.users[data.owner].tolist(), strict=True))
        assert [found[i] for i in items] == expected


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["1", "2", "001"],
            "line 2 has the user '1' and .*line 4 has the user '001', which may be the same id",
        ),
        (["x", "1", "1.0"], "line 3 has the user '1' and .*line 4 has the user '1.0'"),
        (["0114709", "114709"], "'0114709' and .*'114709'"),
        (["x", "'1'", "1"], "\"'1'\""),
        (["1", "2", "nan"], "line 4 has the user 'nan', but all others are numbers"),
        (["tt0114709", "tt114709"], "'tt0114709' and .*'tt114709'"),
        (["x", "b'12'", "12"], "\"b'12'\" and .*'12'"),
        (["x", "1_", '"1,000"', "1000"], "line 4 has the user '1,000' and .*line 5 has the user '1000'"),
        (["1", "NULL"], "line 3 has the user 'NULL'"),
        (["A1X", "nan"], "line 3 has the user 'nan', which is what programs write for a missing value"),
        (["A1X", "None", "B2"], "line 3 has the user 'None'"),
        (["x", "1", '="1"'], "'=\"1\"'"),
        (["x", "1", "'1"], '"\'1"'),
        (["x", "1", "\u201c1\u201d"], "\u201c1\u201d"),
        (["x", "\u00ab1\u00bb", "1"], "\u00ab1\u00bb"),
        (["9007199254740993.0", "1"], "rounded"),
        (["7.66E+16", "7.67E+16"], "line 2 has the user '7.66E\\+16', which may have been rounded"),
        (["1.2E+09", "2"], "rounded"),
        (["1.23457E+11", "2"], "line 2 has the user '1.23457E\\+11', which may have been rounded"),
        (["1", "\u00a0", "2"], "line 3 has no user"),
        (["1", "\u200b", "\ufeff"], "line 3 has no user.*first of 2"),
    ],
)
def test_what_is_unclear_is_refused_with_its_lines(given: list[str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["user,item", *(f"{u},i{n}" for n, u in enumerate(given))]), "utf-8")
    with pytest.raises(DataError, match=said):
        load(path)
    with pytest.raises(DataError, match=r"Row \d of x has"):
        build("x", given, range(len(given)))


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (pl.Series([True, False]), "row 1 has a truth value for its user"),
        (pl.Series([dt.date(2020, 1, 1), dt.date(2020, 1, 2)]), "row 1 has a time for its user"),
        (pl.Series([[1], [2]]), "row 1 has a list for its user"),
        (pl.Series([b"a", b"\xff"]), "row 2 has a user that is not UTF-8"),
        (pl.Series([1.0, None]), "row 2 has no user"),
        (pl.Series([1.0, float("nan")]), "row 2 has no user"),
        (pl.Series([1.0, 2.0**53 + 2]), "row 2 has a user that may have been rounded"),
        (pl.Series([1.0, 2.0**24 + 2], dtype=pl.Float32), "row 2 has a user that may have been rounded"),
        (pl.Series([1.0, float("inf")]), "row 2 has a user that may have been rounded"),
    ],
)
def test_columns_that_hold_no_ids(column: pl.Series, said: str) -> None:
    with pytest.raises(DataError, match=said):
        load(pl.DataFrame({"user": column, "item": ["a", "b"]}))


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([True, False]), "neither a number nor text"),
        (np.array(["2020-01-01", "2020-01-02"], "M8[D]"), "neither a number nor text"),
        (np.array(["a", None], object), "Row 2 of x has no user"),
        (np.array([1.0, np.nan]), "Row 2 of x has no user"),
        (np.array([1.0, 2.0**60]), "Row 2 of x has a user that may have been rounded"),
    ],
)
def test_arrays_that_hold_no_ids(array: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        build("x", array, ["a", "b"])


def test_kinds_of_columns() -> None:
    for users in (
        pl.Series([1, 1, 2, 3], dtype=pl.UInt64),
        pl.Series([1, 1, 2, 3], dtype=pl.Int128),
        pl.Series([1.0, 1.0, 2.0, 3.0], dtype=pl.Float32),
        pl.Series(["1", "1", "2", "3"], dtype=pl.Categorical),
        pl.Series([b"1", b"1", b"2", b"3"]),
        pl.Series(["1.00", "1.00", "2.00", "3.00"]).cast(pl.Decimal(10, 2)),
    ):
        assert met(load(pl.DataFrame({"user": users, "item": [10, 20, 10, 30]}))) == PLAIN
    for array in (
        np.array([1.0, 1, 2, 3]),
        np.array([b"1", b"1", b"2", b"3"]),
        np.array([1, 1.0, "2", 3], object),
    ):
        assert met(build("x", array, [10, 20, 10, 30])) == PLAIN
    large = pl.Series([2**64 - 1, 2**64 - 2, 1], dtype=pl.UInt64)
    found = load(pl.DataFrame({"user": large, "item": [1, 2, 3]}))
    assert set(found.users.tolist()) == {str(2**64 - 1), str(2**64 - 2), "1"}


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    for users in (
        pandas.Series(["1", " 1", "2", "3"], dtype="category"),
        pandas.Series([1, 1, 2, 3], dtype="category"),
        pandas.Series([1, 1, 2, 3], dtype="Int64"),
        pandas.Series(["1", "1\u00a0", "2", "3"], dtype="string"),
        pandas.Series([1, "1", 2.0, "3 "], dtype=object),
    ):
        assert met(load(pandas.DataFrame({"user": users, "item": [10, 20, 10, 30]}))) == PLAIN


def test_a_catalogue_that_spells_ids_in_another_way() -> None:
    catalog = Catalog("films", np.array(["001", "002"]), ["One", "Two"])
    with pytest.raises(
        DataError, match="The catalogue has the item '001' and an interaction has the item '1'"
    ):
        extended(catalog, ["1", "2"])
    with pytest.raises(DataError, match="lists the item '1' twice"):
        extended(Catalog("films", np.array(["1", "2", "1"])), ["1"])
    assert extended(Catalog("films", np.array(["1"])), ["2"]).ids.tolist() == ["1", "2"]


def test_people_are_found_in_any_spelling() -> None:
    data = build("x", ["1", "2", "caf\u00e9"], ["a", "b", "c"])
    assert data.person(" 2") == data.person("2\u00a0") == 1
    assert data.person("cafe\u0301") == 2
    assert build("x", ["1", "2"], ["a", "b"]).person(2.0) == 1  # type: ignore[arg-type]
    assert build("x", ["01", "02"], ["a", "b"]).person("02") == 1


def test_agreement_of_several_files() -> None:
    def given(*values: Any) -> ids.Given:
        return ids.Given(np.array(values), lambda row: f"{values} {row}")

    whole = ids.agree([given(1, 2), given(2, 3)], "item")
    assert [one.dtype.kind for one in whole] == ["i", "i"]
    mixed = ids.agree([given(1, 2), given("1.0", "3")], "item")
    assert [one.tolist() for one in mixed] == [[1, 2], [1, 3]]
    text = ids.agree([given(1, 2), given("1", "x")], "item")
    assert [one.tolist() for one in text] == [["1", "2"], ["1", "x"]]
    with pytest.raises(
        DataError, match=r"\(7, 8\) 1 has the item '8' and \('008', '009'\) 0 has the item '008'"
    ):
        ids.agree([given(7, 8), given("008", "009")], "item")


def test_blanks_before_half_of_the_items_of_movielens(data_dir: Path, tmp_path: Path) -> None:
    import gzip

    text = gzip.decompress((data_dir / "ml-latest-small" / "ratings.csv.gz").read_bytes()).decode()
    head, *rows = text.splitlines()
    (tmp_path / "plain.csv").write_text("\n".join([head, *rows]))
    fields = (row.split(",") for row in rows)
    blanks = [f"{u},{' ' if n % 2 else ''}{i},{r},{t}" for n, (u, i, r, t) in enumerate(fields)]
    (tmp_path / "blanks.csv").write_text("\n".join([head, *blanks]))
    plain, cleaned = load(tmp_path / "plain.csv"), load(tmp_path / "blanks.csv")
    assert (plain.people, plain.items, len(plain)) == (610, 9724, 100_836)
    assert equal(plain, cleaned)
