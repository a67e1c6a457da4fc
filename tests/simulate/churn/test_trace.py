"""Sessions from a file: what is read, what is used again, what is refused."""

import gzip

import numpy as np
import pytest

from sottovoce.errors import DataError
from sottovoce.simulate.churn import sessions
from sottovoce.simulate.churn.trace import Trace

GOOD = "node,from,until\n2,50,60\n10,0,100\n2,5,10.5\n2,10.5,20\n7,30,30\n"


@pytest.fixture
def write(tmp_path):
    def write(text, name="trace.csv"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return Trace(str(path))

    return write


def of(found, node):
    own = slice(found.first[node], found.first[node + 1])
    return list(zip(found.since[own], found.until[own], strict=True))


@pytest.mark.parametrize("name", ["trace.csv", "trace.csv.gz"])
def test_nodes_take_the_traces_in_order(write, name):
    found = sessions(write(GOOD, name), 3, 55.0, 1, None)
    assert of(found, 0) == [(5, 20), (50, 55)]
    assert of(found, 1) == []
    assert of(found, 2) == [(0, 55)]


def test_names_need_not_be_numbers(write):
    found = sessions(write("node,from,until\nzoe,1,2\nada,3,4\n"), 2, 10.0, 1, None)
    assert [of(found, 0), of(found, 1)] == [[(3, 4)], [(1, 2)]]


def test_fewer_nodes_take_the_first_traces(write):
    assert of(sessions(write(GOOD), 1, 55.0, 1, None), 0) == [(5, 20), (50, 55)]


def test_more_nodes_use_traces_again(write):
    churn = write(GOOD)
    known = sessions(churn, 3, 100.0, 1, None)
    found = sessions(churn, 60, 100.0, 1, None)
    assert len(found.first) == 61
    assert [of(found, node) for node in range(3)] == [of(known, node) for node in range(3)]
    traces = [tuple(of(known, node)) for node in range(3)]
    used = {traces.index(tuple(of(found, node))) for node in range(3, 60)}
    assert used == {0, 1, 2}
    again, other = sessions(churn, 60, 100.0, 1, None), sessions(churn, 60, 100.0, 2, None)
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))
    assert not np.array_equal(found.first, other.first)


def test_files_are_looked_for_in_the_data_directory(write, tmp_path):
    write(GOOD)
    assert of(sessions(Trace("trace.csv"), 3, 100.0, 1, tmp_path), 2) == [(0, 100)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("node,from,until\n1,0,5\n1,x,9\n", r"line 3 has a time that is not a number: column from .*'x'"),
        ("node,from,until\n1,0,inf\n", r"line 2 has a time that is not finite"),
        ("node,from,until\n1,0,\n", r"line 2 has a time that is not a number"),
        ("node,from,until\n,0,1\n", r"line 2 has no node"),
        ("node,from,until\n1,0,5\n1,9,8\n", r"line 3 ends before it begins: node 1 from 9 until 8"),
        ("node,from,until\n1,-3,5\n", r"line 2 begins before the run: node 1 from -3 until 5"),
        ("node,from,until\n1,4,9\n2,0,9\n1,0,5\n", r"line 2 overlaps with another session: node 1"),
        ("node,from,until\n1,0,5\n1,0,5\n", r"line 3 overlaps with another session"),
        ("node,from,until\n1,0\n", r"line 2 has 2 fields"),
        ("who,from,until\n1,0,5\n", r"line 1 does not name the expected columns. Write: node,from,until"),
        ("node,from,until\n", r"has a header and nothing else"),
        ("", r"is empty"),
        ("node,from,until\n1,1449050628,1449051628\n", r"no session in the 100 seconds .* subtract"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write, text, said):
    with pytest.raises(DataError, match=said) as caught:
        sessions(write(text), 2, 100.0, 1, None)
    assert "trace.csv" in caught.value.problem
    assert caught.value.remedy


def test_a_file_that_is_missing_is_said_to_be(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv does not exist"):
        sessions(Trace("nowhere.csv"), 2, 100.0, 1, tmp_path)
