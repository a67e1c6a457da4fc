"""Lists of items, people and places are no interactions; columns that are given always hold."""

from pathlib import Path

import polars as pl
import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError

ROWS = range(1, 13)
LOOKS = "looks like a list of"
LISTS = {
    "movies.csv": (
        "movieId,title,genres\n1,Toy Story (1995),Comedy\n2,Heat,Action\n",
        f"{LOOKS} items.*genres",
    ),
    "movies.dat": (
        "".join(f"{n * n}::Film{' x' * (n % 2)} {n} (199{n % 9})::Drama{'|War' * (n % 3)}\n" for n in ROWS),
        f"{LOOKS} items or people.*in two of its 12 rows",
    ),
    "users.dat": ("".join(f"{n}::F::{n % 4}::10::48067\n" for n in ROWS), f"{LOOKS}|row numbers"),
    "u.user": ("".join(f"{n}|2{n % 3}|M|writer|853{n}\n" for n in ROWS), f"{LOOKS}|row numbers"),
    "u.item": (
        "".join(f"{2 * n}|Film{n}|01-Jan-1995||http://x|0|1\n" for n in ROWS),
        f"{LOOKS} items or people",
    ),
    "u.genre": ("".join(f"genre{n}|{n}\n" for n in ROWS), f"{LOOKS} items or people"),
    "poi.txt": ("0\t40.748939\t-73.99228\n20\t40.719726\t-74.002472\n", f"{LOOKS} places.*#2.*decimals"),
    "poi2.txt": ("40.748939\t-73.99228\n40.719726\t-74.002472\n", f"{LOOKS} places.*#1.*decimals"),
    "poi.tsv": ("poi\tlatitude\tlongitude\n0\t40.7\t-73.9\n20\t40.8\t-74.1\n", f"{LOOKS} places.*latitude"),
    "poi.csv": ("location_id,lat,lon\n0,40.7,-73.9\n20,40.8,-74.1\n", f"{LOOKS} places.*lat"),
    "venues.csv": ("venue,x,y\n0,40.7,-73.9\n20,40.8,-74.1\n", "no column that is clearly the user"),
    "users.csv": ("user_id,age,gender\n1,20,f\n2,30,m\n", f"{LOOKS} people.*age.*the item"),
    "gender.csv": ("user_id,gender\n1,f\n2,m\n", f"{LOOKS} people.*gender"),
    "friends.csv": ("userID,friendID\n1,2\n1,3\n2,3\n", f"{LOOKS} friends"),
    "names.csv": ("user_id,name\n" + "".join(f"{n},Name {n}\n" for n in ROWS), f"{LOOKS} items or people"),
    "books.csv": ("book_id,authors,average_rating\n1,Herbert,4\n2,Austen,3\n", f"{LOOKS} items.*authors"),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_refused(name: str, tmp_path: Path) -> None:
    text, said = LISTS[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=said) as caught:
        load(tmp_path / name)
    assert caught.value.remedy


def test_columns_that_are_given_hold(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("movieId,title,genres\n1,Toy Story (1995),Comedy\n2,Heat,Action\n")
    assert load(tmp_path / "a.csv", columns={"user": "genres", "item": "movieId"}).people == 2
    (tmp_path / "b.txt").write_text("0\t40.748939\n20\t40.719726\n")
    assert load(tmp_path / "b.txt", columns={"user": 1, "item": 2}).items == 2


@pytest.mark.parametrize(
    "text",
    [
        "user,item\n1,2\n1,3\n2,3\n",
        "1,7\n5,3\n",
        "user,item,genres\n1,2,Drama\n1,3,War\n2,3,War\n",
        "user,item\n" + "".join(f"{n},{n % 3}\n" for n in ROWS),
        "user,place,latitude,longitude\n1,2,40.7,-73.9\n2,2,40.7,-73.9\n",
        "user,title\nann,Heat\nann,Alien\nbob,Alien\n",
    ],
)
def test_interactions_are_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    assert load(tmp_path / "a.csv").people >= 2


def test_frames_of_all_types() -> None:
    who = pl.Series("user", ["a", "b", "a"], dtype=pl.Categorical)
    assert load(pl.DataFrame([who, pl.Series("item", [1, 2, 2])])).people == 2
    with pytest.raises(DataError, match="a list for its user"):
        load(pl.DataFrame({"user": [[n] for n in ROWS], "item": list(ROWS)}))
