"""Fields in quotation marks, against the standard library where both agree."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.data.quotes import regular, rows
from sottovoce.errors import DataError

HERE = Path("own.csv")


def encoded(text):
    return np.frombuffer(text.encode(), np.uint8)


@given(
    st.lists(
        st.lists(st.text('a ,"\n;', min_size=1, max_size=5), min_size=2, max_size=4), min_size=1, max_size=4
    )
)
def test_what_the_standard_library_writes_is_read(table):
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    text = written.getvalue().removesuffix("\n")
    found, lines = rows(HERE, text, ",", 5)
    assert found == table
    breaks = [sum(field.count("\n") for field in row) + 1 for row in table]
    assert lines == [5 + sum(breaks[:n]) for n in range(len(table))]
    assert regular(encoded(text), ord(","))


@pytest.mark.parametrize(
    ("text", "separator", "expected"),
    [
        ('a, "b" ,c', ",", [["a", "b", "c"]]),
        ('5" disc,x', ",", [['5" disc', "x"]]),
        ('"a::b"::c', "::", [["a::b", "c"]]),
        ("a::b\r\nc::", "::", [["a", "b"], ["c", ""]]),
        ('"say ""hi"""\tx', "\t", [['say "hi"', "x"]]),
    ],
)
def test_what_is_irregular_is_read_too(text, separator, expected):
    assert rows(HERE, text, separator)[0] == expected


@pytest.mark.parametrize("text", ['a,"b\nc,d', 'a\n"b"c,d'])
def test_marks_that_are_not_closed_at_the_end_of_a_field(text):
    with pytest.raises(DataError, match=r"own\.csv, line \d: a quotation mark"):
        rows(HERE, text, ",")


@pytest.mark.parametrize(
    ("text", "expected"),
    [('"a","b"', True), ('a"b,c"', False), ('"a" ,b', False), ('"', False), ("a,b", True)],
)
def test_regular_marks(text, expected):
    assert regular(encoded(text), ord(",")) == expected
