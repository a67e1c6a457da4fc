"""JSON lines: an object per line, numbers as they are spelled, and what is no such line."""

from pathlib import Path

import pytest

from sottovoce.data.json_lines import is_json, read
from sottovoce.errors import DataError

HERE = Path("own.jsonl")


def test_rows_keep_the_spelling_of_numbers_and_their_lines():
    raw = b'{"user": 12345678901234567890, "rating": 4.50}\n\n{"user": "b", "extra": true, "rating": null}\n'
    found = read(HERE, raw)
    assert found.table.frame.to_dict(as_series=False) == {
        "user": ["12345678901234567890", "b"],
        "rating": ["4.50", None],
        "extra": [None, "true"],
    }
    assert found.table.lines.tolist() == [1, 3]
    assert found.table.place(1) == "own.jsonl, line 3"
    assert found.nested == {}


def test_columns_with_lists_cannot_be_used():
    found = read(HERE, b'{"a": 1, "b": 2}\n{"a": 3, "b": [4], "c": {"d": 5}}')
    assert found.nested == {"b": 1, "c": 1}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'[{"user": 1}]', "line 1 is a JSON document, not JSON lines"),
        (b'{\n"user": 1}', "line 1 is a JSON document, not JSON lines"),
        (b'{"user": 1}\n5', "line 2 is not a JSON object"),
        (b'{"user": 1}\n{"user": 1', "line 2 is not a JSON object"),
        (b'{"a": 1, "b": 2, "a": 3}', "line 1 has the key 'a' twice"),
        (b"{}", "objects without keys"),
        (b'{"a": ' + b"[" * 100_000, "too many lists|JSON"),
    ],
)
def test_what_is_refused(raw, said):
    with pytest.raises(DataError, match=said):
        read(HERE, raw)


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("a.jsonl", b"  {broken", True),
        ("a.txt", b'{"user": 1}\nrest', True),
        ("a.txt", b"{broken", False),
        ("a.json", b"user,item", False),
        ("a.csv", b"[1, 2]\n", True),
    ],
)
def test_names_and_first_lines_decide(name, raw, expected):
    assert is_json(name, raw) == expected
