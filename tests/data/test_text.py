"""Text as people have it: line ends, quotation marks, comments, and JSON lines."""

from pathlib import Path

import pytest

from sottovoce.data.interactions import Interactions
from sottovoce.data.load import load
from sottovoce.errors import DataError


def facts(data: Interactions) -> list[tuple[str, str, float]]:
    who = [
        user for user, n in zip(data.users, data.indptr[1:] - data.indptr[:-1], strict=True) for _ in range(n)
    ]
    return list(zip(map(str, who), data.catalog.ids[data.item].tolist(), data.value.tolist(), strict=True))


def read(folder: Path, text: str, name: str = "a.csv") -> Interactions:
    (folder / name).write_bytes(text.encode())
    return load(folder / name)


ROWS = [("1", "2", 3.0), ("1", "3", 4.0), ("2", "2", 5.0)]


@pytest.mark.parametrize(
    "text",
    [
        "user,item,rating\r1,2,3\r1,3,4\r2,2,5\r",
        "user,item,rating\r\n1,2,3\r1,3,4\n2,2,5",
        "1\t3\t4\r1\t2\t3\r2\t2\t5",
        "user,item,rating\n\n1,2,3\n   \n\n1,3,4\n\t\n2,2,5\n  ",
        '"user","item","rating"\r\n\r\n"1","2",3\r\n\r\n1,3,4\r\n2,2,5',
        ' "user" , "item" , "rating" \n\n "1" , "2" , "3" \n1,3,4\n \n2,2,5\n',
        "user::item::rating\n1::2::3\n\n1::3::4\n2::2::5\n",
        "user  item  rating\n   1     2       3\n   1     3       4\n   2     2       5\n",
        "    1    3   4\n    1    2   3\n\n    2    2   5  \n",
        "user,item,rating,\n1,2,3,\n1,3,4,\n2,2,5,\n",
        "# a comment\n% another\nuser,item,rating\n1,2,3\n1,3,4\n2,2,5\n",
        "# user item rating\n1 2 3\n1 3 4\n2 2 5\n",
        "% bip weighted posweighted\n1 3 4\n1 2 3\n2 2 5\n",
        "sep=;\nuser;item;rating\n1;2;3\n1;3;4\n2;2;5\n",
        ' "user" , "item" , "rating" \n "1" , "2" , "3" \n"1","3",4\n2,2,5\n',
        '"user"\t"item"\t"rating"\n"1"\t"2"\t3\n"1"\t"3"\t4\n"2"\t"2"\t5\n',
        '"user" "item" "rating"\n"1" "2" 3\n"1" "3" 4\n"2" "2" 5\n',
        '"user"::"item"::"rating"\n"1"::"2"::3\n"1"::"3"::4\n"2"::"2"::5\n',
    ],
)
def test_forms_of_text(text: str, tmp_path: Path) -> None:
    assert sorted(facts(read(tmp_path, text))) == ROWS


def test_aligned_columns_are_named_as_such(tmp_path: Path) -> None:
    assert "space-separated in aligned columns, without" in read(tmp_path, " 1  30  4\n10   3  3\n").source
    with pytest.raises(DataError, match="line 2 has 2 fields, but the first line has 3"):
        read(tmp_path, " 1  30  4\n10       3\n")


def test_comments_are_counted(tmp_path: Path) -> None:
    data = read(tmp_path, "# made today\nuser,item\n1,2\n1,3\n")
    assert "with a header, below 1 line of comment" in data.source


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('user,item\n1,"a ""b"" c"\n1,"d,e"\n', ['a "b" c', "d,e"]),
        ('user,item\n1,a "b" c\n1,"d,e"\n', ['a "b" c', "d,e"]),
        ('user,item\n1,"a\nb"\n1,"c\r\nd"\n', ["a b", "c d"]),
        ('user\titem\n1\t"Weird Al" Yankovic\n1\t7" single\n', ['"Weird Al" Yankovic', '7" single']),
        ('user|item\n1|"a|b"\n1|c\n', ["a|b", "c"]),
        ('user::item\n1::"a::b"\n1::c\n', ["a::b", "c"]),
        ("user,item\n1," + "x" * 200_000 + "\n1,y\n", ["x" * 200_000, "y"]),
        ("#a,x\n#b,y\n#a,z\n", ["x", "z", "y"]),
    ],
)
def test_fields_that_are_not_simple(text: str, items: list[str], tmp_path: Path) -> None:
    assert [item for _, item, _ in facts(read(tmp_path, text))] == items


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('user,item\n1,"a"b\n1,c\n', "line 2: a quotation mark"),
        ('user,item\n1,"a\n1,c\n', "line 2: a quotation mark"),
        ("user,item\n1,2\n# 3,4\n", "line 3 could be a comment"),
        ("#a,x\nb,y\n", "line 1 could be a comment"),
        ("user::item\n1:::2\n", "line 2 has an odd number of colons"),
        ("user::item\n1::2\x1f\n", "line 2 holds the control character 0x1f"),
        (",".join(f"c{n}" for n in range(20_000)), "20,000 columns"),
        ("# only\n# comments here\n", "line 2 has 3 fields"),
        ("# user,item\nuser,item\n1\n", "line 3 has 1 field"),
    ],
)
def test_text_that_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path, text)


LINES = """{"reviewerID": "A1", "asin": "B1", "overall": 5.0, "unixReviewTime": 1333476450, "helpful": [1, 2]}

{"asin": "B2", "reviewerID": "A1", "overall": 4, "unixReviewTime": 1333476451, "title": "Lamp"}
"""


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "a.csv"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_json_lines(name: str, end: str, tmp_path: Path) -> None:
    data = read(tmp_path, LINES.replace("\n", end), name)
    assert facts(data) == [("A1", "B1", 5.0), ("A1", "B2", 4.0)]
    assert data.time.tolist() == [1333476450, 1333476451]
    assert data.catalog.titles == ["", "Lamp"]
    assert "JSON lines; columns guessed: user = reviewerID, item = asin" in data.source


def test_long_numbers_in_json_lines_lose_no_digit(tmp_path: Path) -> None:
    data = read(
        tmp_path, '{"user": 9007199254740993, "item": 1}\n{"user": 9007199254740992, "item": 1}\n', "a.json"
    )
    assert data.users.tolist() == ["9007199254740992", "9007199254740993"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"user": {"id": 1}, "item": 2}\n', "line 1 holds a list or an object in 'user'"),
        ('{"user": 1, "item": 2}\n{"user": 1, "item": [2]}\n', "line 2 holds a list or an object in 'item'"),
        ('{"user": 1, "item": 2}\n{"user": 1\n', "line 2 is not a JSON object"),
        ('{"user": 1, "item": 2}\n[1, 2]\n', "line 2 is not a JSON object"),
        ('{"user": 1, "item": 2, "user": 3}\n', "line 1 has the key 'user' twice"),
        ('{"user": 1, "item": 2}\n{"user": 1}\n', "line 2 has no item"),
        ('{"user": 1, "item": 2, "rating": true}\n', "line 1 has a rating that is not a number"),
        ('{"user": ' + "[" * 100_000 + "\n", "line 1 holds too many lists within lists"),
        ("{}\n{}\n", "objects without keys"),
        ('{\n  "user": 1\n}\n', "line 1 is a JSON document, not JSON lines"),
    ],
)
def test_json_lines_that_are_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path, text, "a.jsonl")
