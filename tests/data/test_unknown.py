"""Divided data whose parts do not fit together: counted and said, or refused where ids are spelled unlike."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from sottovoce.data.load import load
from sottovoce.data.sources import ncf
from sottovoce.data.splits.predefined import Predefined
from sottovoce.data.unknown import unlike
from sottovoce.errors import DataError

OWN = "{} negatives of the test set are items that the person has, {} of them the test item itself."
TRAIN = [(u, i) for u in range(4) for i in range(20) if (u + i) % 2]


def write(folder: Path, rows: dict[str, list[str]], end: str = "\n") -> Path:
    for name, lines in rows.items():
        (folder / f"x.{name}").write_bytes("".join(line + end for line in lines).encode())
    return folder / "x.train.rating"


def parts(item: str = "{}", user: str = "{}", negative: str = "{}") -> dict[str, list[str]]:
    """Everybody's test item is the own number, its negatives are the others'."""
    held = [(user.format(u), item.format(u)) for u in range(4)]
    return {
        "train.rating": [f"{u}\t{i}\t1" for u, i in TRAIN],
        "test.rating": [f"{u}\t{i}\t1" for u, i in held],
        "test.negative": [
            "\t".join(
                [f"({u},{i})", *(negative.format(n) for n in range(20) if (n + own) % 2 == 0 and n != own)]
            )
            for own, (u, i) in enumerate(held)
        ],
    }


def test_what_fits(tmp_path: Path) -> None:
    data = load(write(tmp_path, parts()))
    assert data.notes == ("x comes in parts: 40 for training, 4 for testing.",)
    assert data.items == 20


def test_what_training_does_not_know_is_counted(tmp_path: Path) -> None:
    rows = parts()
    rows["test.rating"] += ["9\t0\t1", "3\t21\t1"]
    rows["test.negative"] += ["(9,0)\t1\t22", "(3,21)\t1\t21\t0"]
    data = load(write(tmp_path, rows))
    assert data.notes[1] == (
        "Not in the training set: 1 of 5 items under test; 1 of 5 people under test; "
        "2 of 22 items among the negatives under test."
    )
    # 9 has 0, 1 and 22; 3 has the even numbers, its own and 21.
    assert data.notes[2:] == (
        "2 of 6 rows of the test set have fewer than 9 negatives; the fewest are 2.",
        OWN.format("2 of 41", 1),
    )


def test_negatives_that_repeat_are_counted(tmp_path: Path) -> None:
    rows = parts()
    rows["test.negative"] = [
        f"{line}\t4\t4" if n < 2 else line for n, line in enumerate(rows["test.negative"])
    ]
    told = load(write(tmp_path, rows)).notes
    # 0 has 4 among its negatives already, 1 has not.
    assert "3 of 40 negatives of the test set repeat another one of the same row." in told


@pytest.mark.parametrize(
    ("first", "said"),
    [("0\t1\t2\t3", None), ("1\t2\t3\t4", None), ("0\t1\t2", "line 1 could number the columns")],
)
def test_a_line_of_column_numbers(first: str, said: str | None, tmp_path: Path) -> None:
    rows = parts()
    del rows["test.negative"]
    if said is None:
        rows = {
            name: [f"{line}\t{1500000000 + n}" for n, line in enumerate(part)] for name, part in rows.items()
        }
    rows["train.rating"] = [first, "", *rows["train.rating"]]
    if said is None:
        assert len(load(write(tmp_path, rows))) == 44
        return
    with pytest.raises(DataError, match=said):
        load(write(tmp_path, rows))


@pytest.mark.parametrize(
    ("spelled", "said"),
    [
        ({"item": "i{}"}, r"Of 4 items under test of x, 4 do not occur in training.*'i0'.* here, '0', '1'"),
        ({"user": "u{}"}, "Of 4 people under test of x, 4 do not occur in training.*spelled in another way"),
        ({"negative": "i{}"}, "Of 20 items among the negatives under test of x, 20 do not occur"),
        (
            {"negative": "1000{}"},
            "Of 20 items among the negatives under test of x, 20 do not occur.*numbers far from",
        ),
        ({"negative": "00{}"}, "test.negative, line . has the item '00.'"),
        (
            {"item": "0{}"},
            "train.rating, line 11 has the item '0' and .*test.rating, line 1 has the item '00'",
        ),
        ({"user": "0{}"}, "has the user '0' and .*test.rating, line 1 has the user '00'"),
    ],
)
def test_other_spellings_are_refused(spelled: dict[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=said):
        load(write(tmp_path, parts(**spelled)))


@pytest.mark.parametrize(
    ("known", "new", "said"),
    [
        (["1", "2"], ["3", "9"], ""),
        (["1", "2"], ["3000", "4000"], "numbers far"),
        (["tt1", "tt2"], ["tt8", "tt9"], ""),
        (["tt1", "tt2"], ["nm8", "nm9"], "begin with 'tt'"),
        (["Abba", "Beck"], ["Cake", "Dido"], ""),
        (["Abba", "Beck"], ["cake", "dido"], "another way"),
        (["4aab", "9f01", "77ae"], ["0011", "ab12"], ""),
        (["a-1", "b-2"], ["c_3", "d_4"], "another way"),
        ([], ["1"], ""),
    ],
)
def test_how_ids_look(known: list[str], new: list[str], said: str) -> None:
    found, examples = unlike(np.array(known, np.str_), np.array(new, np.str_))
    assert said in found
    assert bool(said) == bool(found)
    assert examples.tolist() == new


def test_hardly_any_is_known(tmp_path: Path) -> None:
    rows = parts()
    # Numbers of the same kind and range, of which training knows the first alone.
    rows["train.rating"] = [f"{u}\t{100 * i}\t1" for u, i in TRAIN]
    rows["test.rating"] = ["0\t0\t1", *(f"0\t{100 * i + 7}\t1" for i in range(19))]
    del rows["test.negative"]
    with pytest.raises(
        DataError, match=r"Of 20 items under test of x, 19 do not occur.*hardly any id is in both"
    ):
        load(write(tmp_path, rows))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_dialects_of_the_files(end: str, tmp_path: Path) -> None:
    rows = parts()
    expected = ncf.read_parts(write(tmp_path, rows))
    rows["test.rating"] = ["user_id\titem_id\trating", *rows["test.rating"]]
    rows["train.rating"] = [line.replace("\t", " \t\u00a0") for line in rows["train.rating"]]
    blank = [line.replace(",", " , ", 1).replace("\t", " \t ") + "\t" for line in rows["test.negative"]]
    rows["test.negative"] = ["key\tnegatives", *blank[:2], "", *blank[2:], " "]
    (tmp_path / "other").mkdir()
    path = write(tmp_path / "other", rows, end)
    found = ncf.read_parts(path)
    for old, new in zip(expected[:3], found[:3], strict=True):
        assert old is not None
        assert new is not None
        assert (old.users.tolist(), old.catalog.ids.tolist()) == (
            new.users.tolist(),
            new.catalog.ids.tolist(),
        )
        assert (old.item.tolist(), old.indptr.tolist()) == (new.item.tolist(), new.indptr.tolist())
    assert expected.negatives is not None
    assert found.negatives is not None
    assert expected.negatives.tolist() == found.negatives.tolist()
    for file in (tmp_path / "other").iterdir():
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    again = ncf.read_parts(path.with_name(f"{path.name}.gz"))
    assert again.whole.notes == found.whole.notes == expected.whole.notes


def test_fewer_negatives_on_some_lines(tmp_path: Path) -> None:
    rows = parts()
    rows["test.negative"][1] = "(1,1)\t3\t5"
    data = load(write(tmp_path, rows))
    assert data.notes[1] == "1 of 4 rows of the test set have fewer than 9 negatives; the fewest are 2."
    candidates = Predefined().split(data, 1).candidates
    assert candidates[1].tolist() == [3, 5, -1, -1, -1, -1, -1, -1, -1]
    assert (candidates[[0, 2, 3]] >= 0).all()


def test_a_line_without_negatives(tmp_path: Path) -> None:
    rows = parts()
    rows["test.negative"][2] = "(2,2)\t \t"
    with pytest.raises(DataError, match=r"test\.negative, line 3 names no items to rank against"):
        load(write(tmp_path, rows))


def test_negatives_as_published_with_the_code_of_pepper(data_dir: Path, tmp_path: Path) -> None:
    """A blank after each key made 3,363 items of 1,682, of which no negative was known."""
    data = load("ml-100k", data_dir=data_dir)
    latest = data.indptr[1:] - 1
    train = np.ones(len(data), np.bool_)
    train[latest] = False
    ids, owner = data.catalog.ids, data.owner

    def row(n: int) -> str:
        return f"{data.users[owner[n]]}\t{ids[data.item[n]]}\t{data.value[n]:g}\t{data.time[n]}"

    items = np.arange(data.items)
    draw = np.random.default_rng(1)
    negatives = []
    for person, n in enumerate(latest):
        mine = data.item[data.indptr[person] : data.indptr[person + 1]]
        drawn = draw.choice(np.setdiff1d(items, mine), 99, replace=False)
        key = f"({data.users[person]},{ids[data.item[n]]}) \t "
        negatives.append(key + "\t".join(ids[drawn].tolist()))
    rows = {
        "train.rating": [row(n) for n in np.flatnonzero(train)],
        "test.rating": [row(n) for n in latest],
        "test.negative": negatives,
    }
    found = load(write(tmp_path, rows))
    assert (found.people, found.items, len(found)) == (943, 1682, 100_000)
    unknown = len(np.setdiff1d(data.item[latest], data.item[train]))
    everywhere = len(np.setdiff1d(items, data.item[train]))
    assert found.notes[1].startswith(f"Not in the training set: {unknown} of ")
    assert f"{everywhere} of 1,682 items among the negatives under test" in found.notes[1]
    split = Predefined().split(found, 1)
    assert split.candidates.shape == (943, 99)
    assert len(np.unique(split.candidates)) > 1600


def test_the_catalogue_of_pepper_is_large_and_not_broken(data_dir: Path, tmp_path: Path) -> None:
    place = data_dir / "foursquare-nyc"
    data = load(place / "pepper_foursquareNYC.train.rating.gz", duplicates="keep")
    assert "21,206 for training, 2,292 for validation, 2,537 for testing" in data.notes[0]
    assert data.notes[1] == (
        "Not in the training set: 1,248 of 2,312 items under test; 24,254 of 38,284 items among the "
        "negatives under test; 24,214 of 38,225 items among the negatives for validation."
    )
    assert data.notes[2] == OWN.format("1,286 of 251,163", 6)
    assert data.notes[3] == "349 of 251,163 negatives of the test set repeat another one of the same row."
    for file in place.glob("pepper_*"):
        text = gzip.decompress(file.read_bytes()).decode()
        if "test.negative" in file.name:
            text = "\n".join(line.replace("\t", "\tvenue_") for line in text.splitlines())
        (tmp_path / file.name.removesuffix(".gz")).write_text(text)
    with pytest.raises(DataError, match=r"items among the negatives under test of pepper.*: 'venue_\d+'"):
        load(tmp_path)
