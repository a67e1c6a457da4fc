from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError

INTER = "user_id:token\titem_id:token\trating:float\ttimestamp:float\nu1\ti1\t4\t20\nu1\ti3\t2\t10\n"
ITEM = (
    "item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"
    'i2\tBee\t1990\tDrama War\ni1\t"Ay"\t\tComedy\n'
)


def test_atomic_files(tmp_path: Path) -> None:
    (tmp_path / "films.inter").write_text(INTER)
    (tmp_path / "films.item").write_text(ITEM)
    for place in (tmp_path, tmp_path / "films.inter"):
        data = load(place)
        assert data.name == "films"
        assert data.catalog.ids.tolist() == ["i2", "i1", "i3"]
        assert data.catalog.titles == ["Bee (1990)", '"Ay"', ""]
        assert data.catalog.categories == [("Drama", "War"), ("Comedy",), ()]
        assert data.item.tolist() == [2, 1]
        assert data.value.tolist() == [2.0, 4.0]


def test_without_items_and_ratings(tmp_path: Path) -> None:
    (tmp_path / "films.inter").write_text("user_id:token\titem_id:token\nu1\ti1\n")
    data = load("recbole", path=str(tmp_path / "films.inter"))
    assert data.catalog.titles is None
    assert data.value.tolist() == [1.0]


def test_broken(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder without a known data set"):
        load(tmp_path)
    (tmp_path / "films.inter").write_text(INTER.replace("\t2\t", "\tx\t"))
    with pytest.raises(DataError, match=r"films\.inter, line 3.*rating:float holds 'x'"):
        load(tmp_path)


def test_an_item_file_of_other_ids(tmp_path: Path) -> None:
    """Items of the file that nobody met are in the catalogue: with other ids it would be twice as large."""
    rows = "".join(f"u{n}\t{n}\n" for n in range(12))
    (tmp_path / "x.inter").write_text(f"user_id:token\titem_id:token\n{rows}")
    head = "item_id:token\ttitle:token\n"
    (tmp_path / "x.item").write_text(head + "".join(f"i{n}\tTitle {n}\n" for n in range(12)))
    with pytest.raises(
        DataError, match=r"Of 12 items of x, 12 do not occur in x\.item, .*'0', .* here, 'i0'"
    ):
        load(tmp_path / "x.inter")
    (tmp_path / "x.item").write_text(head + "".join(f"0{n}\tTitle {n}\n" for n in range(12)))
    with pytest.raises(DataError, match="has the item '00' and an interaction has the item '0'"):
        load(tmp_path / "x.inter")
    (tmp_path / "x.item").write_text(head + "".join(f"{n}\tTitle {n}\n" for n in range(10)))
    data = load(tmp_path / "x.inter")
    assert data.notes == ("x.item does not list 2 of 12 items: they have no title or category.",)
    assert data.items == 12
