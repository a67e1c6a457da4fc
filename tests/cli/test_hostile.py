"""Damaged directories, odd names, full and closed outputs: a sentence and a code, never "a defect"."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from click.testing import Result

from sottovoce.data import find
from sottovoce.kernel_cache import user_cache

Call = Callable[..., Result]
SMALL = ("--set", "run.rounds=2", "--set", "model.factors=3")
COLUMNS = ("--columns", "user=who,item=film,rating=stars,time=when")


@pytest.fixture
def damaged(finished: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, to be damaged."""
    place = tmp_path / "damaged"
    shutil.copytree(finished, place)
    return place


@pytest.mark.parametrize("name", ["o/[x]", "two words", "new\nline", "ünï*?", "-dash", "a" * 200, "n\udcff"])
def test_names_of_directories(call: Call, ratings: Path, name: str) -> None:
    done = call("run", "--data", ratings, *COLUMNS, *SMALL, f"--out=./{name}")
    assert done.exit_code == 0, done.output
    assert call("recommend", f"./{name}", "--user", "p7").exit_code == 0
    assert call("report", f"./{name}", "--out", f"./{name}.d/[page].html").exit_code == 0
    again = call("run", "--data", ratings, *COLUMNS, *SMALL, f"--out=./{name}", "--resume")
    assert again.exit_code == 0, again.output


@pytest.mark.parametrize("command", ["run", "sweep", "demo", "reproduce"])
@pytest.mark.parametrize("out", ["file", "file/below", "a" * 300, "broken", "broken/below"])
def test_places_that_cannot_be_used(call: Call, data_less: None, command: str, out: str) -> None:
    Path("file").touch()
    Path("broken").symlink_to("nowhere/at/all")
    arguments = {
        "run": ["quickstart"],
        "sweep": ["quickstart"],
        "demo": [],
        "reproduce": ["hegedus/figure-3"],
    }
    done = call(command, *arguments[command], "--out", out)
    assert done.exit_code == 6, done.output
    assert "cannot be used: " in done.stderr
    assert "Choose another directory with --out." in done.stderr


@pytest.fixture
def data_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the demo finds its data makes no difference."""
    from sottovoce.data.load import load

    monkeypatch.setattr("sottovoce.cli.demo._data", lambda data_dir: load("synthetic", users=60, items=80))


@pytest.fixture
def forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may look into the folder `blocked` or write to `kept`; root may do everything otherwise."""
    stat, access, mkdir = os.stat, os.access, os.mkdir

    def refuse(path: object, *rest: object, **options: object) -> os.stat_result:
        if "blocked" in Path(os.fsdecode(path)).parts[:-1]:  # type: ignore[arg-type]
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, *rest, **options)  # type: ignore[arg-type]

    def make(path: object, *rest: object, **options: object) -> None:
        if "blocked" in Path(os.fsdecode(path)).parts[:-1]:  # type: ignore[arg-type]
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        mkdir(path, *rest, **options)  # type: ignore[arg-type]

    def may(path: object, mode: int, **options: object) -> bool:
        kept = Path(os.fsdecode(path)).name == "kept" and mode & os.W_OK  # type: ignore[arg-type]
        return not kept and access(path, mode, **options)  # type: ignore[arg-type]

    for folder in ("blocked", "kept"):
        Path(folder).mkdir()
    monkeypatch.setattr(os, "stat", refuse)
    monkeypatch.setattr(os, "access", may)
    monkeypatch.setattr(os, "mkdir", make)


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (("run", "--data", "blocked/r.csv"), 3, "blocked/r.csv cannot be read: Permission denied."),
        (("data", "info", "blocked/r.csv"), 3, "blocked/r.csv cannot be read: Permission denied."),
        (("run", "blocked/x.toml"), 2, "blocked/x.toml cannot be read: Permission denied."),
        (("reproduce", "blocked/x.toml"), 2, "blocked/x.toml cannot be read: Permission denied."),
        (("report", "blocked/run"), 6, "blocked/run"),
        (("run", "quickstart", "--out", "blocked/run"), 6, "blocked/run cannot be used: Permission denied."),
        (("run", "quickstart", "--out", "kept"), 6, "kept cannot be used: Permission denied."),
        (("demo", "--out", "kept"), 6, "kept cannot be used: Permission denied."),
        (("sweep", "quickstart", "--out", "blocked/s"), 6, "cannot be used: Permission denied."),
    ],
)
def test_folders_without_permission(
    call: Call, data_less: None, forbidden: None, command: tuple[str, ...], code: int, said: str
) -> None:
    done = call(*command)
    assert said in done.stderr, done.output
    assert done.exit_code == code, done.output
    assert "SOTTOVOCE_DEBUG" not in done.stderr


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("run", "quickstart", "--out", ""), "The value of --out is empty."),
        (("run", "quickstart", "--out= \t"), "The value of --out is empty."),
        (("run", "--data", ""), "The value of --data is empty."),
        (("run", "quickstart", "--data-dir", "\N{NO-BREAK SPACE}"), "The value of --data-dir is empty."),
        (("run", ""), "One of the arguments is empty."),
        (("data", "info", ""), "One of the arguments is empty."),
        (("report", " "), "One of the arguments is empty."),
        (("recommend", "run", "--user", " "), "The value of --user is empty."),
        (("sweep", "quickstart", "--seeds", ""), "The value of --seeds is empty."),
    ],
)
def test_empty_values_are_refused(call: Call, command: tuple[str, ...], what: str) -> None:
    done = call(*command)
    assert done.exit_code == 2, done.output
    assert what in done.stderr
    assert not list(Path().iterdir())


def test_default_places(call: Call, ratings: Path) -> None:
    Path("runs").touch()
    done = call("run", "--data", ratings, *COLUMNS, *SMALL)
    assert done.exit_code == 6
    assert "runs/ratings-1 cannot be used: Not a directory." in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is damaged: it is not a JSON object (Invalid JSON: EOF"),
        (b'{"final": {', "is damaged: it is not a JSON object (Invalid JSON: EOF"),
        (b"[]", "is damaged: it is not a JSON object."),
        (b"{}", "is damaged: it has no final"),
        (b'{"final": 3}', "is damaged: it has no best, baselines"),
        (b"\xff\xfe", "is damaged: it is not a JSON object"),
        (None, "cannot be read: Is a directory"),
    ],
)
@pytest.mark.parametrize("command", [("recommend", "--user", "p7"), ("report",)])
def test_damaged_results(
    call: Call, damaged: Path, command: tuple[str, ...], content: bytes | None, said: str
) -> None:
    (damaged / "result.json").unlink()
    if content is None:
        (damaged / "result.json").mkdir()
    else:
        (damaged / "result.json").write_bytes(content)
    done = call(*command, damaged)
    assert done.exit_code == 6, done.output
    assert f"result.json {said}" in done.stderr


@pytest.mark.parametrize(
    "content", [b"", b'{"round": 0', b"5\n", b"{}\n", b"[1]\n", b"\xff\n", b'{"round": 2}\n']
)
def test_a_damaged_curve_is_not_shown_as_a_shorter_one(call: Call, damaged: Path, content: bytes) -> None:
    (damaged / "events.jsonl").write_bytes(content)
    done = call("report", damaged)
    assert done.exit_code == 6, done.output
    assert "events.jsonl is damaged: the run has 2 rounds" in done.stderr


@pytest.mark.parametrize("content", [b"", b"{}\n", b"5\n", b'{"round": "x"}\n', b'{"round": 0', b"\xff"])
def test_a_curve_that_was_cut_is_made_anew_by_resuming(
    call: Call, damaged: Path, finished: Path, ratings: Path, content: bytes
) -> None:
    (damaged / "result.json").unlink()
    (damaged / "events.jsonl").write_bytes(content)
    done = call("run", "--data", ratings, *COLUMNS, *SMALL, "--out", damaged, "--resume")
    assert done.exit_code == 0, done.output
    count = len((finished / "events.jsonl").read_text().splitlines())
    assert len((damaged / "events.jsonl").read_text().splitlines()) == count


@pytest.mark.parametrize("name", ["recommendations.parquet", "per_user.parquet"])
@pytest.mark.parametrize("damage", ["missing", "cut", "folder"])
def test_damaged_tables(call: Call, damaged: Path, name: str, damage: str) -> None:
    content = (damaged / name).read_bytes()
    (damaged / name).unlink()
    if damage == "cut":
        (damaged / name).write_bytes(content[:500])
    elif damage == "folder":
        (damaged / name).mkdir()
    done = call("report", damaged)
    assert done.exit_code == 6, done.output
    assert f"{name} cannot be read: " in done.stderr


def test_tables_of_something_else(call: Call, damaged: Path) -> None:
    shutil.copy(damaged / "per_user.parquet", damaged / "recommendations.parquet")
    done = call("recommend", damaged, "--user", "p7")
    assert done.exit_code == 6, done.output
    assert "recommendations.parquet is damaged: it has no column 'rank'" in done.stderr


def _words(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.lit("much").alias("hr@5"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: pl.DataFrame({"user": frame["user"], "title": "x"}), "it has no column 'hr@5'"),
        (_words, "its column 'hr@5' does not hold numbers"),
        (lambda frame: frame.with_columns(title=pl.lit("x")), "its column 'title' does not hold numbers"),
        (lambda frame: frame.head(3), "the run has 60 people, and it has 3 rows"),
        (lambda frame: frame.drop("user"), "it has no column 'user'"),
    ],
)
def test_another_table_of_people(
    call: Call, damaged: Path, change: Callable[[pl.DataFrame], pl.DataFrame], said: str
) -> None:
    place = damaged / "per_user.parquet"
    change(pl.read_parquet(place)).write_parquet(place)
    done = call("report", damaged)
    assert done.exit_code == 6, done.output
    assert f"per_user.parquet is damaged: {said}. Run anew." in done.stderr


def test_recommendations_in_the_place_of_people(call: Call, damaged: Path) -> None:
    shutil.copy(damaged / "recommendations.parquet", damaged / "per_user.parquet")
    done = call("report", damaged)
    assert done.exit_code == 6, done.output
    assert "per_user.parquet is damaged: it has no column 'hr@" in done.stderr


@pytest.mark.parametrize("command", ["run", "sweep", "reproduce"])
def test_recipes_that_are_none(call: Call, command: str) -> None:
    Path("folder").mkdir()
    Path("latin.toml").write_bytes(b'[data]\nname = "caf\xe9"\n')
    for name, said in (
        ("folder", "folder is a folder"),
        ("latin.toml", "'utf-8' codec"),
        ("a" * 300, "no re"),
    ):
        done = call(command, name)
        assert done.exit_code == 2, done.output
        assert said in done.stderr


def test_names_that_are_not_text(call: Call, ratings: Path, finished: Path) -> None:
    shutil.copy(ratings, "caf\udce9.csv")
    for command in (
        ("run", "--data", "caf\udce9.csv", *COLUMNS, *SMALL),
        ("recommend", finished, "--user", "\udce9"),
    ):
        done = call(*command)
        assert done.exit_code == 2, done.output
        assert "is not text in UTF-8" in done.stderr


def test_data_that_changed_since_the_run(call: Call, ratings: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    shutil.copy(ratings, own)
    same = ("run", "--data", own, *COLUMNS, *SMALL, "--out", "run")
    assert call(*same).exit_code == 0
    lines = own.read_text().splitlines(keepends=True)
    own.write_text("".join(lines[:5] + lines[6:]))
    done = call("recommend", "run", "--user", "p7")
    assert done.exit_code == 0
    assert "note: the history is not shown. The data changed since the run: " in done.stderr
    assert "own.csv" in done.stderr
    assert "liked before" not in done.stdout
    again = call(*same, "--resume")
    assert again.exit_code == 6
    assert "The data changed since the run in run began: " in again.stderr
    own.write_text("".join(lines).replace("p7,", "p77777,"))  # the same numbers, another person
    assert "The data changed" in call("recommend", "run", "--user", "p7").stderr
    own.write_text("".join(lines))
    assert "liked before" in call("recommend", "run", "--user", "p7").stdout


def sottovoce(
    *arguments: str, stdout: int = subprocess.PIPE, **environment: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sottovoce", *arguments],
        env=os.environ | environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )


@pytest.mark.parametrize("command", [("recipes",), ("data", "list"), ("--help",)])
def test_output_to_a_full_disk(command: tuple[str, ...]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    full = os.open("/dev/full", os.O_WRONLY)
    done = sottovoce(*command, stdout=full)
    os.close(full)
    assert done.returncode == 5
    assert done.stderr.startswith("error: Output cannot be written: No space left on device.")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("redirected", [">&-", "2>&-", ">&- 2>&-", "| head -1"])
def test_closed_outputs(finished: Path, redirected: str) -> None:
    for command in ("recipes", f"recommend {finished} --user p7", f"report {finished}"):
        line = f"{sys.executable} -m sottovoce {command} {redirected}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
        assert done.returncode == 0, line
        assert all(told.startswith("note: ") for told in done.stderr.splitlines())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_our_signs(finished: Path, encoding: str) -> None:
    done = sottovoce("recommend", str(finished), "--user", "p7", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert "? held out: it is in this person's history" in done.stdout
    done = sottovoce("recipes", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    assert "quickstart" in done.stdout


@pytest.mark.parametrize("width", ["0", "1", "20", "x"])
def test_narrow_terminals(finished: Path, width: str) -> None:
    for command in (
        ("recommend", str(finished), "--user", "p7"),
        ("recipes",),
        ("data", "info", "synthetic"),
    ):
        done = sottovoce(*command, COLUMNS=width)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    for name in ("XDG_CACHE_HOME", "SOTTOVOCE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    assert user_cache() == Path(tempfile.gettempdir()) / f"cache-{os.getuid()}" / "sottovoce"
    assert find.cache() == user_cache() / "data"
