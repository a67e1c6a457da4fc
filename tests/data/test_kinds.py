"""What is no table of text is named as what it is; what is packed is unpacked, within limits."""

import gzip
import io
import os
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sottovoce.data import bounded
from sottovoce.data.load import load
from sottovoce.errors import DataError

OWN = b"user,item,rating\n1,2,3\n1,3,4\n2,2,5\n"


def packed(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as content:
        for name, raw in files.items():
            content.writestr(name, raw)
    return out.getvalue()


def database(folder: Path) -> bytes:
    with sqlite3.connect(folder / "db") as connection:
        connection.execute("create table ratings (user, item)")
    connection.close()
    return (folder / "db").read_bytes()


KINDS = {
    "Excel": (packed({"[Content_Types].xml": b"", "xl/workbook.xml": b""}), "an Excel workbook"),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "an old Excel"),
    "OpenDocument": (packed({"mimetype": b"x", "content.xml": b""}), "an OpenDocument file"),
    "PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
    "HTML": (b"\xef\xbb\xbf\n<!DOCTYPE html><html><body>Log in, please</body></html>", "a web page"),
    "XML": (b"<?xml version='1.0'?><a/>", "an XML document"),
    "JSON": (b'[{"user": 1, "item": 2}, {"user": 2, "item": 2}]', "a JSON document, not JSON lines"),
    "indented JSON": (b'{\n  "ratings": [\n    {"user": 1}\n  ]\n}', "only one field|JSON document"),
    "bzip2": (b"BZh91AY&SY", "compressed with bzip2"),
    "tar in gzip": (gzip.compress(b"own.csv".ljust(257, b"\0") + b"ustar\0"), "a tar archive"),
    "zip in gzip": (gzip.compress(packed({"own.csv": OWN})), "a zip archive"),
    "pickle": (b"\x80\x04\x95\x0b\0\0\0", "a Python pickle"),
    "zeros": (b"user,item\n1,\x002\n", "line 2 holds a zero byte"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds_are_named(kind: str, tmp_path: Path) -> None:
    content, said = KINDS[kind]
    path = tmp_path / "own.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        load(path)
    assert caught.value.remedy


def test_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_bytes(database(tmp_path))
    with pytest.raises(DataError, match="a SQLite database"):
        load(tmp_path / "own.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.csv", gzip.compress(OWN)),
        ("own.csv.gz", gzip.compress(gzip.compress(OWN))),
        ("own.csv", packed({"own.csv": OWN})),
        ("own", packed({"own.csv.gz": gzip.compress(OWN)})),
        ("own.txt", OWN.decode().encode("utf-16")),
        ("own.txt", OWN.decode().encode("utf-16-le")),
        ("own.txt", OWN.decode().encode("utf-16-be")),
        ("own.txt", OWN.decode().encode("utf-32")),
        ("own.txt", OWN + b"\x1a"),
    ],
)
def test_content_decides_not_the_name(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    data = load(tmp_path / name)
    assert (data.users.tolist(), data.value.tolist()) == (["1", "2"], [3.0, 4.0, 5.0])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.csv", b"1,2\n" * 5000),
        ("own.csv.gz", gzip.compress(b"\0" * 20_000)),
        ("own.csv.gz", gzip.compress(gzip.compress(b"\0" * 20_000))),
        ("own.csv.gz", gzip.compress(b"1,2\n" * 2500) + gzip.compress(b"1,2\n" * 2500)),
        ("own.zip", packed({"own.csv": b"\0" * 20_000})),
        ("own.zip", packed({"own.csv.gz": gzip.compress(b"\0" * 20_000)})),
    ],
)
def test_nothing_is_unpacked_beyond_a_limit(
    name: str, content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "MOST", 10_000)
    monkeypatch.setattr(bounded, "_PIECE", 1000)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(
        DataError, match=r"holds more than 1e-05 GB. The limit is a quarter of the free memory"
    ):
        load(tmp_path / name)


def test_a_zip_archive_that_declares_less_than_it_holds(tmp_path: Path) -> None:
    raw = bytearray(packed({"own.csv": b"1,2\n" * 1000}))
    at = raw.rindex(b"PK\x01\x02") + 24  # the size of the content, in the directory at the end
    raw[at : at + 4] = (8).to_bytes(4, "little")
    (tmp_path / "own.zip").write_bytes(raw)
    with pytest.raises(DataError, match="damaged or encrypted"):
        load(tmp_path / "own.zip")


def test_the_limit_is_a_part_of_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "available_memory", lambda: 4_000_000)
    assert bounded.room() == 1_000_000
    monkeypatch.setattr(bounded, "available_memory", lambda: 10**15)
    assert bounded.room() == bounded.MOST


def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", Path("/dev/zero")):
        with pytest.raises(DataError, match="a pipe or a device, not a file"):
            load(path)


@pytest.fixture
def unprivileged() -> Iterator[None]:
    """As somebody to whom permissions apply."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    yield
    os.seteuid(before)


def test_what_may_not_be_read_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DataError):
        load(tmp_path)  # this imports all sources, which somebody else may not read
    (tmp_path / "own.csv").write_bytes(OWN)
    load(tmp_path / "own.csv")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "own.csv").write_bytes(OWN)
    (tmp_path / "own.csv").chmod(0)
    locked.chmod(0)
    try:
        request.getfixturevalue("unprivileged")
        for path in (locked, locked / "own.csv", tmp_path / "own.csv", locked / "own.zip/own.csv"):
            with pytest.raises(DataError, match="cannot be read: Permission denied"):
                load(path)
        with pytest.raises(DataError, match=r"data directory .* cannot be read: Permission denied"):
            load("yahoo-r3", data_dir=locked)
        monkeypatch.setenv("SOTTOVOCE_DATA", str(locked))
        with pytest.raises(DataError, match=r"SOTTOVOCE_DATA .*locked \(which cannot be read: Permission"):
            load("yahoo-r3")
    finally:
        os.seteuid(os.getuid())
        locked.chmod(0o755)


def test_a_place_for_data_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "own.csv").write_bytes(OWN)
    for place, said in (("nowhere", "does not exist"), ("own.csv", "is not a folder")):
        monkeypatch.setenv("SOTTOVOCE_DATA", str(tmp_path / place))
        with pytest.raises(DataError, match=rf"SOTTOVOCE_DATA .*{place} \(which {said}\)"):
            load("yahoo-r3")
        assert load(tmp_path / "own.csv").people == 2


def test_folders_and_names(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder without a known data set"):
        load(tmp_path)
    (tmp_path / "mine.csv").write_bytes(OWN)
    with pytest.raises(DataError, match=r"it holds mine\.csv\..*for example .*mine\.csv"):
        load(tmp_path)
    with pytest.raises(DataError, match=r"Valid names: .* and \d+ others") as caught:
        load("zzz")
    assert caught.value.remedy.count(",") == 9
    for name, said in (
        ("x" * 300, "File name too long"),
        ("", "The name of the data set is empty"),
        (5, "from 'int'"),
    ):
        with pytest.raises(DataError, match=said):
            load(name)


def test_damaged_parquet(tmp_path: Path) -> None:
    import polars as pl

    out = io.BytesIO()
    pl.DataFrame({"user": [1, 2], "item": [3, 4]}).write_parquet(out)
    raw = out.getvalue()
    generator = np.random.default_rng(1)
    for n in range(60):
        damaged = bytearray(raw)
        damaged[4 + int(generator.integers(len(raw) - 4))] ^= 1 << (n % 8)
        (tmp_path / "a.parquet").write_bytes(damaged)
        try:
            load(tmp_path / "a.parquet")
        except DataError:
            continue
