"""Where data sets are looked for, and how they are fetched: from servers that end with the test."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sottovoce.data import find
from sottovoce.data.sources import movielens, movielens_100k
from sottovoce.errors import DataError

CONTENT = bytes(range(256)) * 1000


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/missing":
            self.send_error(404)
            return
        if self.path == "/silent":
            self.server.released.wait(5)  # type: ignore[attr-defined]
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:1000] if self.path == "/short" else CONTENT)

    def log_message(self, *_: object) -> None:
        """Quietly."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.released = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.released.set()  # type: ignore[attr-defined]
        running.shutdown()
        thread.join(5)


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SOTTOVOCE_DATA", str(tmp_path / "shared"))
    for folder in ("given/set", "shared/set", "cache/data/set"):
        (tmp_path / folder).mkdir(parents=True)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_download_reports_progress_and_checks(server: str) -> None:
    seen: list[tuple[int, int]] = []
    got = find.download(
        f"{server}/whole",
        sha256(CONTENT),
        limit=10**6,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert got == CONTENT
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert find.download(f"{server}/whole", sha256(CONTENT), limit=10**6) == CONTENT


def test_a_file_from_its_home_by_its_md5(server: str, tmp_path: Path) -> None:
    md5 = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()
    for name in ("", "kept"):
        find.home(f"{server}/whole", md5, name=name).fill(tmp_path / "home")
    assert sorted(p.name for p in (tmp_path / "home").iterdir()) == ["kept", "whole"]
    assert (tmp_path / "home/kept").read_bytes() == CONTENT
    with pytest.raises(DataError, match=f"has the MD5 {md5[:12]}…, but 000000000000… is expected"):
        find.home(f"{server}/whole", "0" * 32).fill(tmp_path / "home")


@pytest.mark.parametrize(
    ("path", "limit", "said"),
    [
        ("/missing", 10**6, "answers 404"),
        ("/short", 10**6, "(broke off after 1000 of|cannot be reached: IncompleteRead)"),
        ("/whole", 1000, "more than the 1000 bytes"),
        ("/silent", 10**6, "cannot be reached: timed out"),
    ],
)
def test_downloads_that_fail(server: str, path: str, limit: int, said: str) -> None:
    with pytest.raises(DataError, match=said):
        find.download(server + path, sha256(CONTENT), limit=limit, timeout=0.5)


def test_download_of_something_else_or_from_nowhere(server: str) -> None:
    with pytest.raises(DataError, match="has the SHA-256"):
        find.download(f"{server}/whole", sha256(b"other"), limit=10**6)
    with pytest.raises(DataError, match="cannot be reached"):
        find.download("http://127.0.0.1:9/", "", limit=1, timeout=0.5)


def test_the_order_of_places(tmp_path: Path) -> None:
    def obtain() -> tuple[str, str]:
        path, said = find.obtain("set", ("rows",), tmp_path / "given", [])
        return path.relative_to(tmp_path).as_posix(), said.split(" ")[0]

    expected = [
        ("cache/data/set/rows", "cache"),
        ("shared/rows", "$SOTTOVOCE_DATA"),
        ("shared/set/rows.gz", "$SOTTOVOCE_DATA"),
        ("given/set/rows.gz", "directory"),
        ("given/set/rows", "directory"),
    ]
    for path, label in expected:
        (tmp_path / path).touch()
        assert obtain() == (path, label)


def test_what_is_missing_says_what_was_tried(tmp_path: Path) -> None:
    def fails(folder: Path) -> None:
        raise DataError("The line is dead.", "Call again.")

    with pytest.raises(DataError) as caught:
        find.obtain("set", ("rows",), tmp_path / "given", [find.Fetch("post", fails)])
    for tried in ("given", "$SOTTOVOCE_DATA", "shared", "cache", "post (The line is dead)"):
        assert tried in caught.value.problem
    assert "with data_dir= or" in caught.value.remedy
    assert "with --data-dir or" in caught.value.for_command_line
    with pytest.raises(DataError, match=r"data directory .* does not exist"):
        find.obtain("set", ("rows",), tmp_path / "typo", [])


def test_what_is_fetched_is_kept(tmp_path: Path) -> None:
    calls = []

    def fetch(folder: Path) -> None:
        calls.append(folder)
        find.store(folder, {"more": b"m", "rows": b"r"})

    for said in ("post, kept in", "cache"):
        path, where = find.obtain("set", ("rows",), None, [find.Fetch("post", fetch)])
        assert path.read_bytes() == b"r"
        assert where.startswith(said)
    assert calls == [tmp_path / "cache/data/set"]
    assert sorted(p.name for p in path.parent.iterdir()) == ["more", "rows"]


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"cannot be written.*SOTTOVOCE_CACHE"):
        find.store(tmp_path / "file" / "set", {"rows": b""})


def test_web_addresses_are_no_files() -> None:
    with pytest.raises(DataError, match="is a web address, not a file"):
        find.file("https://example.org/ratings.csv", None)


def test_files_are_also_found_in_the_places(tmp_path: Path) -> None:
    (tmp_path / "shared/set/a.csv").touch()
    assert find.file("set/a.csv", None) == tmp_path / "shared/set/a.csv"
    with pytest.raises(DataError, match=r"b\.csv does not exist. Looked for: .*shared"):
        find.file("b.csv", None)


def archive(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as content:
        for name, data in files.items():
            content.writestr(name, data)
    return out.getvalue()


def test_archives() -> None:
    packed = archive({"set/rows": b"r"})
    assert find.members(packed, {"rows": "set/rows"}) == {"rows": b"r"}
    with pytest.raises(DataError, match="lacks a file"):
        find.members(packed, {"rows": "set/columns"})
    with pytest.raises(DataError, match="not a zip archive"):
        find.members(b"junk", {})


def test_movielens_from_its_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = b"1\t1\t5\t9\n"
    packed = archive({"ml-100k/u.data": rows, "ml-100k/u.item": b"1|A (1999)|||" + b"|0" * 18 + b"|1\n"})
    monkeypatch.setattr(f"{__name__}.CONTENT", packed)
    monkeypatch.setattr(movielens_100k, "RATINGS_SHA256", sha256(rows))
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.handle_request, daemon=True)
        running.timeout = 5
        thread.start()
        monkeypatch.setattr(movielens_100k, "URL", f"http://127.0.0.1:{running.server_port}/ml-100k.zip")
        monkeypatch.setattr(movielens_100k, "ARCHIVE_SHA256", sha256(packed))
        data = movielens.MovieLens100K().read()
        thread.join(5)
    assert "kept in" in data.source
    assert data.catalog.title(0) == "A (1999)"
    assert data.catalog.categories == [("Western",)]


def test_the_package_index_may_be_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(DataError, match="pip could not fetch recbole"):
        find.wheel("recbole==1.2.1")
