"""Ratings: decimal commas, and those that are questioned because they make no scale."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError


def write(folder: Path, ratings: list[str], name: str = "rating") -> Path:
    path = folder / "a.csv"
    path.write_text(f"user;item;{name}\n" + "".join(f"1;{n};{value}\n" for n, value in enumerate(ratings)))
    return path


@pytest.mark.parametrize(
    ("ratings", "wanted"),
    [
        (["4,5", "3", "2,25"], [4.5, 3.0, 2.25]),
        (["4,500", "3,5"], [4.5, 3.5]),
        (["0,125", ",5"], [0.125, 0.5]),
        (["\u00a04,5 ", "-1,5"], [4.5, -1.5]),
    ],
)
def test_decimal_commas(ratings: list[str], wanted: list[float], tmp_path: Path) -> None:
    data = load(write(tmp_path, ratings))
    assert data.value.tolist() == wanted
    assert "rating with decimal commas" in data.source


@pytest.mark.parametrize(
    "ratings", [["4,5", "4.5"], ["1,234", "4,500"], ["1.234,5", "3,5"], ["4,5,6", "3,5"]]
)
def test_commas_that_may_mean_something_else(ratings: list[str], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has a rating that is not a number"):
        load(write(tmp_path, ratings))


@pytest.mark.parametrize(
    ("ratings", "name", "said"),
    [
        (["1", "1e30", "-3", "5"], "rating", "line 3 has a rating beyond 1,000,000: .*'1e30'"),
        (["1", "3", "-3", "5"], "rating", r"line 4.*far from the others, which are 1 to 5.*scale=\(-3, 5\)"),
        (["1", "3", "5", "-1"], "rating", "line 5.*far from the others"),
        (["1", "3", "99", "5"], "rating", r"line 4.*far from the others, which are 1 to 5.*scale=\(1, 99\)"),
        (["-7.5", "3.25", "99", "8", "9.5", "-2"], "score", "line 4.*which are -7.5 to 9.5"),
        (["0.5", "4.5", "45", "35", "2"], "rating", "line 4.*It is the first of 2 such values"),
        (["1", "2e9"], "plays", "line 3 has a rating beyond 1,000,000,000"),
        (["3", "5", "0"], "My Rating", "line 4 has the rating 0, which Goodreads"),
    ],
)
def test_ratings_that_are_questioned(ratings: list[str], name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=said):
        load(write(tmp_path, ratings, name))


@pytest.mark.parametrize(
    ("ratings", "name"),
    [
        (["-1", "1", "0"], "rating"),
        (["-2", "-1", "0", "1", "2"], "rating"),
        (["0", "1"], "rating"),
        (["0", "7", "10"], "rating"),
        (["20", "60", "80", "100"], "rating"),
        (["1", "2", "3", "352698"], "plays"),
        (["-9.75", "9.5", "3.25", "-1"], "rating"),
    ],
)
def test_scales_that_are_not(ratings: list[str], name: str, tmp_path: Path) -> None:
    data = load(write(tmp_path, ratings, name))
    assert data.value.tolist() == [float(value) for value in ratings]


def test_a_given_scale_decides(tmp_path: Path) -> None:
    path = write(tmp_path, ["1", "3", "5", "99"])
    assert load(path, scale=(1, 99)).scale == (1.0, 99.0)
    with pytest.raises(DataError, match="line 5 has a rating outside 1 to 5"):
        load(path, scale=(1, 5))
