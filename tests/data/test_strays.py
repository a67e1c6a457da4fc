"""Headers, totals and lines of dashes inside a file are refused: they would become people."""

from pathlib import Path

import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError

AGAIN = "repeats the header"
NOTE = "looks like a total or a note"
CASES = {
    "header": ("user,item\nann,x\nbob,y\nuser,item\nann,z\n", f"line 4 {AGAIN}, below rows: it holds 'user'"),
    "header, several": ("user,item\nann,x\nuser,item\nann,z\nuser,item\n", "line 3 .*first of 2 such rows"),
    "header in capitals": ('"User";"Item"\nann;x\nbob;y\n"USER";"ITEM"\nann;z\n', f"line 4 {AGAIN}"),
    "header with blanks": ("user,item\nann,x\nbob,y\n user , item \n", f"line 4 {AGAIN}"),
    "another order": ("user,item\nann,x\nbob,y\nitem,user\nz,ann\n", f"line 4 {AGAIN}"),
    "another spelling": ("user,item\nann,x\nbob,y\nuserId,movieId\n", f"line 4 {AGAIN}"),
    "sorted": ("ann\tx\t3\nbob\ty\t4\nann\tz\t5\nuser\titem\t1\n", "line 4 is a header"),
    "numbers": ("user,item\n1,2\n2,2\nuser,item\n1,3\n", f"line 4 {AGAIN}"),
    "total": ("user,item\n1,2\n2,2\nTotal,3\n", f"line 4 {NOTE}.*'Total' and '3'"),
    "total of words": ("user,item\nann,2\nbob,2\nGrand total,3\n", f"line 4 {NOTE}"),
    "Summe": ("Nutzer;Film\nann;2\nbob;2\nSumme:;3\n", f"line 4 {NOTE}"),
    "word": ("user,item\n1,2\n2,2\nexported,3\n", f"line 4 {NOTE}"),
    "two words": ("user,item\n1,2\n2,2\n3,3\nexported,3\nby,4\n", f"line 5 {NOTE}.*first of 2"),
    "word as item": ("user,item\n1,2\n2,2\n3,total\n", f"line 4 {NOTE}"),
    "rows": ('user,item\nann,2\nbob,2\n(3 rows),""\n', "line 4 has no item|line 4 looks"),
    "rows and a number": ("user,item\nann,2\nbob,2\n3 rows selected.,0\n", f"line 4 {NOTE}"),
    "note": ("user,item\nann,2\nbob,2\n-- 3 rows exported --,3\n", f"line 4 {NOTE}"),
    "blanks": ("user item\n1 2\n2 2\n(3 rows)\n", f"line 4 {NOTE}"),
    "dashes": ("user,item\n----,----\nann,x\nbob,y\n", "line 2 is a line of dashes"),
    "dots": ("user,item\nann,x\n...,...\nbob,y\n", "line 3 is a line of dashes or dots"),
    "psql": (" user | item \n------+------\n ann  | x\n bob  | y\n(2 rows)\n", "a table drawn for reading"),
    "mysql": ("+------+------+\n| user | item |\n+------+------+\n| ann  | x    |\n", "drawn for reading"),
    "markdown": ("| user | item |\n|------|:----:|\n| ann | x |\n| bob | y |\n", "drawn for reading"),
    "sqlite3": ("user  item\n----  ----\nann   x\nbob   y\n", "drawn for reading.*mysql --batch"),
    "types": ("user,item\nstring,string\nann,x\nbob,y\n", "line 2 names the types of the columns"),
    "types of numbers": ("user,item\nint,int\n1,2\n2,2\n", "line 2 names the types of the columns"),
    "all": ("user,item\nann,x\nbob,y\nALL,x\n", f"line 4 {NOTE}"),
    "tuples": ("(1, 2, 5)\n(1, 3, 4)\n(2, 3, 5)\n", "line 1, like all others, is in brackets"),
    "LIBSVM": ("5 1:3 2:4\n4 2:2 3:5\n", "the format of LIBSVM: 1:3"),
    "Matrix Market": ("%%MatrixMarket matrix coordinate\n4 5 2\n1 2 5\n2 3 4\n", "a Matrix Market file"),
    "thousands": (
        "user;item;plays\n1;2;1.000\n1;3;2.500\n2;3;900\n",
        "line 2 has a rating whose point can separate thousands or decimals.*first of 2",
    ),
    "box": ("┌──────┬──────┐\n│ user │ item │\n├──────┼──────┤\n│ ann  │ x    │\n", "drawn for reading"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_interaction_is_refused(case: str, tmp_path: Path) -> None:
    text, said = CASES[case]
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=said) as caught:
        load(path)
    assert caught.value.remedy


READ = {
    "three decimals": ("user,item,rating\n1,1,4.500\n2,2,3.000\n", 2),
    "decimals": ("user,item,rating\n1,1,4.5\n2,2,3\n", 2),
    "brackets": ("user,item\n[deleted],1\n[bob],2\n", 2),
    "ISBN": ("user,item\n1,0345451040\n2,0345451041\n3,034545104X\n", 3),
    "people called so": ("user,item\nTotal,1\nbob,2\nTotal,3\n", 2),
    "words and numbers": ("user,item\n1,2\n2,2\nann,3\n3,3\n", 4),
    "words": ("user,item\nann,x\nbob,y\ncas,z\n", 3),
    "few": ("user,item\n1,2\nann,2\n", 2),
    "a song": ("user,item\nann,rows\nbob,--\ncas,end\nann,abc\nbob,d\ncas,e\nann,f\nbob,g\n", 3),
}


@pytest.mark.parametrize("case", READ)
def test_odd_ids_are_read(case: str, tmp_path: Path) -> None:
    text, people = READ[case]
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert load(path).people == people


def test_row_numbers_are_no_ratings(tmp_path: Path) -> None:
    for name in ("", "Unnamed: 0", "id"):
        (tmp_path / "a.csv").write_text(f"{name},user,item\n0,1,2\n1,1,3\n2,2,3\n")
        assert load(tmp_path / "a.csv").value.tolist() == [1, 1, 1]


def test_ids_with_a_colon_are_no_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("user:1,item:2\nuser:1,item:3\nuser:2,item:3\n")
    assert len(load(tmp_path / "a.csv")) == 3


def test_parts_are_looked_at_too(tmp_path: Path) -> None:
    inter = "user_id:token\titem_id:token\n"
    (tmp_path / "a.inter").write_text(f"{inter}ann\tx\nbob\ty\n{inter}")
    with pytest.raises(DataError, match=f"line 4 {AGAIN}"):
        load(tmp_path / "a.inter")
    (tmp_path / "b.test.rating").write_text("1\t2\n")
    (tmp_path / "b.train.rating").write_text("1\t5\n2\t2\nTotal\t2\n")
    with pytest.raises(DataError, match=f"line 3 {NOTE}"):
        load(tmp_path / "b.train.rating")
