"""Which column is what: by names in many languages, by content, by a person's word."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sottovoce.data.load import load
from sottovoce.errors import DataError
from tests.data.facts import facts

GOODREADS = (
    "Book Id,Title,Author,ISBN,My Rating,Average Rating,Date Read,Date Added,Exclusive Shelf,Read Count"
)
IMDB = (
    "Const,Your Rating,Date Rated,Title,Original Title,URL,Title Type,IMDb Rating,Year,Num Votes,Release Date"
)
STORYGRAPH = (
    "Title,Authors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Dates Read,Star Rating,Review"
)
LETTERBOXD = "Date,Name,Year,Letterboxd URI,Rating"
ROWS = {
    GOODREADS: "17,Dune,Herbert,0441,5,4.27,,2019/12/01,read,1",
    IMDB: "tt0078748,9,2020-01-02,Alien,Alien,https://x,movie,8.5,1979,900000,1979-05-25",
    STORYGRAPH: "Emma,Austen,9780141,paperback,read,2020/01/01,2020/02/02,2020/01/03-2020/02/02,4.25,",
    LETTERBOXD: "2020-01-01,Alien,1979,https://boxd.it/2awY,4.5",
}


@pytest.mark.parametrize(
    ("header", "site"),
    [(GOODREADS, "Goodreads"), (IMDB, "IMDb"), (STORYGRAPH, "The StoryGraph"), (LETTERBOXD, "Letterboxd")],
)
def test_one_persons_export_is_named(header: str, site: str, tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(f"{header}\n{ROWS[header]}\n")
    said = f"the history of one person, exported from {site}: it has no column.*A network learns from many"
    with pytest.raises(DataError, match=said):
        load(path)


def test_a_history_of_a_site_that_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    path.write_text("Title,Date\nDark: Season 1,2020-01-01\n")
    with pytest.raises(DataError, match="probably the history of one person"):
        load(path)


@pytest.mark.parametrize(
    ("header", "item", "title", "rating", "said"),
    [
        (GOODREADS, "17", "Dune", 5.0, "rating = My Rating, time = Date Added, title = Title"),
        (IMDB, "tt0078748", "Alien", 9.0, "rating = Your Rating, time = Date Rated, title = Title"),
        (STORYGRAPH, "9780141", "Emma", 4.25, "rating = Star Rating, time = Last Date Read, title = Title"),
        (LETTERBOXD, "https://boxd.it/2awY", "Alien", 4.5, "rating = Rating, time = Date, title = Name"),
    ],
)
def test_exports_of_several_people(
    header: str, item: str, title: str, rating: float, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "club.csv"
    path.write_text(f"user,{header}\nann,{ROWS[header]}\nbob,{ROWS[header]}\n")
    data = load(path)
    assert said in data.source
    assert (data.users.tolist(), data.catalog.ids.tolist()) == (["ann", "bob"], [item])
    assert (data.catalog.title(0), data.value[0]) == (title, rating)


def test_titles(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,movie,was\n1,10,\n1,9,Alien\n2,10,Brazil\n2,11,\n")
    plain, titled = load(path), load(path, columns={"user": "user", "item": "movie", "title": "was"})
    assert [titled.catalog.title(n) for n in range(3)] == ["Alien", "Brazil", "11"]
    assert plain.catalog.titles is None
    assert plain.item.tolist() == titled.item.tolist()  # titles change nothing else
    path.write_text("user,title\n1,Alien\n2,Brazil\n")
    assert load(path).catalog.ids.tolist() == ["Alien", "Brazil"]


@pytest.mark.parametrize(
    "header",
    [
        "Nutzer;Film;Bewertung;Datum",
        "Benutzer-ID;Buch;Sterne;Zeitpunkt",
        "utilisateur;livre;note;date",
        "id_usuario;película;puntuación;fecha",
        "Utente;Libro;Voto;Data",
        "utilizador;filme;avaliação;data",
        "gebruiker;boek;beoordeling;datum",
        "användare;bok;betyg;tid",
        "Bruker;film;vurdering;tidspunkt",
        "użytkownik;książka;ocena;data",
        "käyttäjä;elokuva;arvosana;päivämäärä",
        "felhasználó;könyv;értékelés;időpont",
        "kullanıcı;kitap;puan;tarih",
        "Пользователь;Фильм;Оценка;Дата",
        "χρήστης;ταινία;βαθμολογία;ημερομηνία",
        "用户ID;电影ID;评分;时间",
        "ユーザー;映画;評価;日時",
        "사용자;영화;평점;날짜",
        "User-ID;ISBN;Book-Rating;Date Rated",
        "reviewerID;asin;overall;unixReviewTime",
        "wer_user;was;wie;wann",
    ],
)
def test_headers_in_many_languages(header: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    header = header.replace("wer_user", "user")
    path.write_text(f"{header}\n7;a1;4,5;2020-01-02\n8;a1;3;2020-01-01\n7;b2;1;2020-01-03\n")
    data = load(path)
    assert data.users.tolist() == ["7", "8"]
    assert data.catalog.ids.tolist() == ["a1", "b2"]
    assert data.value.tolist() == [4.5, 1.0, 3.0]
    assert data.time.tolist() == [1577923200, 1578009600, 1577836800]


UNCLEAR = {
    "names": (
        "wer,was,gut\na,b,3\nc,d,4\n",
        r"the user or the item; its columns are: wer \(a, c\), was \(b, d\)",
    ),
    "times": (
        "user,item,von,bis\na,b,2020-01-01,2020-01-02\n",
        "several columns that could be the time: von and bis",
    ),
    "ratings": (
        "user,item,x,y\n1,2,1,2\n1,3,2,3\n1,4,3,4\n",
        "several columns that could be the rating: x and y",
    ),
    "row numbers": (
        "".join(f"{n},{n % 3},{n % 4},{n % 5}\n" for n in range(12)),
        "its first column seems to hold row numbers",
    ),
    "times first": (
        "".join(f"{1500001000 + 1000 * n},{n % 5},{n % 3},4\n" for n in range(12)),
        "has no header, and seems to have times where the user is expected",
    ),
    "times second": (
        "".join(f"{n % 3},{1500001000000 + 1000 * n},{n % 5},4\n" for n in range(12)),
        "has no header, and seems to have times where the item is expected",
    ),
    "dates first": ("2020-01-02,7,8\n2020-01-02,8,9\n", "seems to have times where the user is expected"),
    "calendar numbers first": ("20200102,7,8\n20200102,8,9\n", "seems to have times where the user"),
    "row numbers for items": (
        "item_id,movie_id,user,rating\n" + "".join(f"{n},{n % 5},{n % 3},{n % 4}\n" for n in range(12)),
        "could be the item: item_id, in which no value repeats, and movie_id",
    ),
    "numbers or a row": ("0,1,2\n1,18,5\n2,7,3\n", "line 1 could number the columns.*0, 1, 2.*header=True"),
    "numbers from 1 or a row": ("1,2\n1,3\n2,5\n", "line 1 could number the columns.*header=False"),
    "an index that repeats": (
        ",0,1\n7,a,b\n7,a,c\n",
        "a column without a name that does not hold row numbers",
    ),
    "header or row": ("wer,was\na,b\nc,d\n", "line 1 could name the columns.*header=True or header=False"),
    "a word among ids": ("maria,libro\npedro,quijote\n", "no column that is clearly the user"),
    "separators": ("a,1;x\nb,2;y\n", "could be separated by comma or by semicolon.*separator="),
}


@pytest.mark.parametrize("case", UNCLEAR)
def test_what_stays_unclear_is_refused_with_examples(case: str, tmp_path: Path) -> None:
    text, said = UNCLEAR[case]
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=said) as caught:
        load(path)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("wer,was,gut\na,b,3\n", {"columns": {"user": "wer", "item": 2, "rating": 3}}),
        ("wer,was\na,b\n", {"header": True, "columns": {"user": 1, "item": 2}}),
        ("a,b;x\n", {"separator": ",", "header": False}),
    ],
)
def test_what_is_said_is_done(text: str, settings: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert load(path, **settings).users.tolist() == ["a"]


NUMBERED = {
    "times": (
        "0,1,2,3\n1,18,5,1500001000\n2,7,3,1500087400\n",
        ["1", "2"],
        "user = #1, item = #2, rating = #3",
    ),
    "dates, from 1": ("1,2,3\n1,18,2017-07-14\n2,7,2017-07-15\n", ["1", "2"], "time = #3"),
    "text": ("0;1;2\nu1;b18;5\nu2;b7;3\n", ["u1", "u2"], "user = #1, item = #2, rating = #3"),
    "quoted": ('"0","1"\n"u1","b18"\n"u2","b7"\n', ["u1", "u2"], "user = #1, item = #2"),
    "index": (
        ",0,1,2\n0,4,18,5\n1,5,7,3\n",
        ["4", "5"],
        "user = #2, item = #3, rating = #4; not used: index",
    ),
    "shuffled index": (",0,1\n9,4,18\n3,5,7\n", ["4", "5"], "user = #2, item = #3; not used: index"),
}


@pytest.mark.parametrize("case", NUMBERED)
def test_a_header_of_column_numbers(case: str, tmp_path: Path) -> None:
    text, users, said = NUMBERED[case]
    path = tmp_path / "a.csv"
    path.write_text(text)
    data = load(path)
    assert data.users.tolist() == users
    assert "with a header of column numbers" in data.source
    assert said in data.source


def test_whether_numbers_are_a_header_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("0,1,2\n1,18,5\n2,7,3\n")
    assert load(path, header=True).users.tolist() == ["1", "2"]
    assert load(path, header=False).users.tolist() == ["0", "1", "2"]
    assert load(path, header=True, columns={"user": 2, "item": 1}).users.tolist() == ["7", "18"]
    path.write_text("0,1,2\n")
    with pytest.raises(DataError, match="a header and nothing else"):
        load(path, header=True)
    path.write_text("# user item rating\n1 2 3\n1 3 4\n")
    assert load(path).value.tolist() == [3.0, 4.0]


def test_large_ids_are_no_times_beside_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{1500001000 + n},{n % 5},4,{1600000000 + n}\n" for n in range(12)))
    assert "user = #1, item = #2, rating = #3, time = #4" in load(path).source


def test_several_titles_of_an_item_are_told(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("user,movie,title\n1,10,Alien\n1,9,\n2,10,Aliens\n2,9,Brazil\n3,10,Alien\n")
    data = load(path)
    assert data.catalog.titles == ["Brazil", "Alien"]
    assert data.notes == (
        "1 of 2 items have more than one title, such as 'Alien' and 'Aliens' for '10'; the first is kept.",
    )


def test_a_number_that_is_the_name_of_another_column() -> None:
    """A table from NumPy has columns 0, 1, 2; the first one has the number 1."""
    frame = pl.DataFrame({"0": [1, 2], "1": [3, 4], "2": [5, 6]})
    with pytest.raises(DataError, match="has a column called '1', and column number 1 is called '0'"):
        load(frame, columns={"user": 1, "item": 2})
    assert load(frame, columns={"user": "0", "item": "1"}).users.tolist() == ["1", "2"]
    assert load(frame, columns={"user": "0", "item": 3}).catalog.ids.tolist() == ["5", "6"]


def test_amazons_files_begin_with_the_item(tmp_path: Path) -> None:
    """Those of 2014 begin with the person."""
    rows = [
        ("A3AF8FFZAZYNE5", "B00006JP8P", "5.0", "1365811200"),
        ("AKJHHD5VEH7VG", "0001713353", "3.0", "9"),
    ]
    path = tmp_path / "own.csv"
    read = []
    for order in ((0, 1, 2, 3), (1, 0, 2, 3)):
        path.write_text("".join(",".join(row[at] for at in order) + "\n" for row in rows))
        read.append(facts(load(path)))
    assert read[0] == read[1]
    assert read[0][0][:2] == ("A3AF8FFZAZYNE5", "B00006JP8P")


def test_a_time_far_behind(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("u1,i7,food,buy,4,1511544070\nu2,i7,food,pv,5,1511544071\nu1,i8,toys,pv,4,1511544072\n")
    assert "user = #1, item = #2, time = #6; not used: #3, #4, #5" in load(path).source


def test_a_column_is_one_thing() -> None:
    frame = pl.DataFrame({"a": [1, 2], "b": [3, 4]})
    with pytest.raises(DataError, match="'a' is given as user and as item"):
        load(frame, columns={"user": "a", "item": 1})
    with pytest.raises(DataError, match=r"columns=\{"):
        load(frame)
