"""Names of columns in many languages: for the person, the item, its title, the rating and the time.

Accents, capitals and punctuation are ignored, so that ÉVALUATION and Evaluation are the same word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

USER = """
user userid uid username person personid member memberid reviewer reviewerid customer customerid
account accountid viewer reader listener subscriber profile nutzer benutzer nutzername benutzername
anwender kunde kundennummer mitglied leser zuschauer utilisateur membre client lecteur spectateur
personne usuario cliente lector persona miembro utente lettore utilizador leitor gebruiker klant
lezer anvandare kund bruger bruker uzytkownik klient uzivatel pouzivatel kayttaja asiakas
felhasznalo utilizator kullanici пользователь користувач χρηστης 用户 用戶 使用者 ユーザー ユーザ
利用者 사용자 مستخدم المستخدم משתמש pengguna nguoidung
"""
ITEM = """
item itemid iid movie movieid film filmid book bookid isbnuid isbn isbn13 product productid asin
parentasin sku article articleid artist artistid track trackid song songid album albumid business
businessid venue venueid location poi const tconst imdbid tmdbid letterboxduri show showid anime
animeid game gameid recipe recipeid gegenstand artikel produkt buch lied kunstler kuenstler ort
spiel livre produit chanson artiste lieu jeu pelicula libro producto cancion artista lugar juego
prodotto canzone luogo gioco filme livro produto musica boek bok vara ksiazka przedmiot kniha
polozka elokuva kirja tuote konyv termek urun kitap фильм книга товар фiльм ταινια βιβλιο προιον
电影 電影 物品 商品 书籍 映画 アイテム 영화 상품 아이템 فيلم كتاب סרט ספר barang phim
"""
RATING = """
rating ratings myrating yourrating starrating userrating stars score overall value weight plays
playcount count listencount feedback preference bewertung wertung sterne punkte note notation
evaluation etoiles puntuacion calificacion valoracion estrellas valutazione voto stelle avaliacao
classificacao estrelas beoordeling waardering sterren betyg omdome bedommelse vurdering karakter
ocena gwiazdki hodnoceni hodnotenie arvosana arvio ertekeles evaluare nota puan derecelendirme
оценка рейтинг оцiнка βαθμολογια αξιολογηση 评分 評分 評価 평점 تقييم דירוג penilaian danhgia
"""
TIME = """
timestamp time date datetime unixtime unixreviewtime reviewtime utc ratedat createdat daterated
dateread lastdateread watcheddate dateadded when datum zeit zeitpunkt zeitstempel uhrzeit heure
horodatage fecha hora tiempo data ora dataora tempo tijd tijdstip tid tidpunkt tidspunkt czas cas
aika paivays paivamaara ido idopont tarih zaman дата время час ημερομηνια χρονος 时间 時間 日期 日時
日付 날짜 시간 تاريخ الوقت תאריך זמן tanggal waktu thoigian
"""
TITLE = """
title name titel titre titulo titolo nombre nome nom naam namn navn bezeichnung filmtitel buchtitel
tytul nazwa nazev otsikko nimi cim baslik название имя назва τιτλος 标题 標題 名称 タイトル 題名
제목 عنوان כותרת judul
"""
WEAK = (
    "value weight count note notation nota voto punkte karakter evaluation name data tid cas час tempo when"
)
"""Words that often mean something else: they count only if the values fit."""

ABOUT_ITEMS = """
genre genres category categories kategorie kategorien class director directors author authors publisher
brand description imdburl releasedate runtime price
"""
ABOUT_PEOPLE = "gender sex age agegroup occupation job zip zipcode postcode birthdate birthday"
ABOUT_PLACES = """
latitude longitude lat lon lng long coordinates city state province country region address street
"""
ABOUT_FRIENDS = "friend friendid friends follower followerid followee followeeid followed"
"""Names of columns that describe something, and hold neither people nor items."""

_LETTERS = str.maketrans({"ø": "o", "Ø": "o", "ł": "l", "Ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
_NUMBER = re.compile("(?<=.)(id|nummer)$")
_TYPE = re.compile(r":[^\W\d]*$")  # but `user:1` is an id
_FREE = "id ids nr no num number key code uuid index"
_NOT_RATING = "average avg mean count num number total imdb global votes my_review users all"
_NOT_TIME = "release released published publication birth born birthday year zone of"
SYNONYMS = {"user": USER, "item": ITEM, "rating": RATING, "time": TIME, "title": TITLE}

EXPORTS = {
    "Goodreads": {"bookid", "myrating"},
    "IMDb": {"const", "yourrating"},
    "The StoryGraph": {"isbnuid", "starrating"},
    "Letterboxd": {"letterboxduri"},
}
"""Columns that identify the history of one person, exported from one of these sites."""


def plain(name: str) -> str:
    """A name with letters and digits only, without accents, and without a type as in `user_id:token`."""
    return "".join(c for c in _bare(_TYPE.sub("", name)) if c.isalnum())


def _bare(text: str) -> str:
    apart = text.translate(_LETTERS)
    apart = unicodedata.normalize("NFKD", apart.strip().casefold())
    return "".join(c for c in apart if not unicodedata.combining(c))


def tokens(name: str) -> list[str]:
    """The words of a name: `userId`, `user_id` and `User ID` have two."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.split(":")[0])
    return re.findall(r"[^\W_]+", _bare(apart))


@cache
def known(role: str) -> dict[str, int]:
    """The words for a role, each with its rank; lower ranks are preferred."""
    return {plain(word): rank for rank, word in enumerate(SYNONYMS[role].split())}


def exported(names: Sequence[str]) -> str | None:
    """The site whose export has these columns; None if it is none of them."""
    held = {plain(name) for name in names}
    return next((site for site, signs in EXPORTS.items() if signs <= held), None)


def by_name(names: Sequence[str], role: str) -> list[int]:
    """The columns whose names fit a role, the most likely first."""
    whole = [plain(name) for name in names]
    if role in ("user", "item"):
        whole = [word if word in known(role) else _NUMBER.sub("", word) for word in whole]
    ranks = known(role)
    found = sorted((at for at, word in enumerate(whole) if word in ranks), key=lambda at: ranks[whole[at]])
    held = set(found)
    return found + [at for at, name in enumerate(names) if at not in held and _by_words(tokens(name), role)]


def _by_words(parts: list[str], role: str) -> bool:
    """Whether a name of several words fits the role: `Book-Rating`, `Nutzer ID`, `date rated`."""
    if len(parts) < 2:
        return False
    if role in ("user", "item"):
        rest = [part for part in parts if part not in _FREE.split()]
        return 0 < len(rest) < len(parts) and "".join(rest) in known(role)
    if role == "title":
        return parts[-1] in ("title", "titel", "titre", "titulo", "titolo") and parts[0] != "original"
    other = (_NOT_RATING if role == "rating" else _NOT_TIME).split()
    strong = any(part in known(role) and part not in WEAK.split() for part in parts)
    return strong and not any(part in other for part in parts)
