"""No space left, at every point of a run: a sentence, nothing half-written, and the run can go on later."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sottovoce.errors import ResourceError, RunError
from sottovoce.experiments.runs import checkpoint
from sottovoce.experiments.runs.directory import EVENTS, RunDirectory
from sottovoce.experiments.runs.start import run_recipe
from sottovoce.experiments.runs.summary import write as write_summary


@pytest.fixture
def tiny(tmp_path):
    """A file system of 300 kB."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    place = tmp_path / "tiny"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("this system mounts no tmpfs")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(place, free):
    """Leave so many kB of a file system."""
    there = os.statvfs(place)
    with (place / "filler").open("wb") as file:
        file.write(bytes(there.f_bavail * there.f_bsize - free * 1024))


def left(place):
    return sorted(path.name for path in place.iterdir()) if place.exists() else []


@pytest.mark.parametrize("free", [0, 4, 8, 12, 20, 40, 60])
def test_a_run_that_finds_no_space_says_so_and_continues_afterwards(tiny, small, tmp_path, free):
    fill(tiny, free)
    with pytest.raises(
        ResourceError, match=r"cannot be written: No space left on device\. Earlier files are kept"
    ):
        run_recipe(small(), tiny / "run")
    assert not [name for name in left(tiny / "run") if "tmp" in name]
    for line in (tiny / "run" / EVENTS).read_text().splitlines() if left(tiny / "run") else ():
        json.loads(line)
    (tiny / "filler").unlink()
    whole = run_recipe(small(), tmp_path / "whole")
    assert run_recipe(small(), tiny / "run", resume=True).result["final"] == whole.result["final"]
    assert left(tiny / "run") == left(tmp_path / "whole")


def test_a_checkpoint_that_finds_no_space_leaves_the_old_one(tiny):
    identity = {"recipe": "a", "split": "b", "version": "c"}
    arrays = {"rows": np.ones((100, 100), np.float32)}  # 40 kB
    checkpoint.save(tiny, 4, identity, arrays)
    fill(tiny, 20)
    with pytest.raises(ResourceError, match=r"A checkpoint of 40 kB cannot be written to .*No space left"):
        checkpoint.save(tiny, 6, identity, arrays)
    assert checkpoint.newest(tiny).round == 4
    assert left(tiny) == ["checkpoint-000000004", "filler"]


def test_a_file_that_finds_no_space_leaves_the_old_one(tiny):
    place = RunDirectory(tiny)
    place.write("page", "old")
    fill(tiny, 4)
    with pytest.raises(ResourceError, match="page cannot be written"):
        place.write("page", "new" * 10_000)
    assert (tiny / "page").read_text() == "old"
    with pytest.raises(ResourceError, match=r"summary\.json cannot be written"):
        write_summary({"points": [], "note": "x" * 10_000}, tiny)
    assert left(tiny) == ["filler", "page"]


@pytest.fixture
def short_files():
    """Files may have 50 bytes, like a quota that is used up."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_an_event_is_written_entirely_or_not_at_all(tmp_path, short_files):
    place = RunDirectory(tmp_path)
    place.record({"round": 0, "hr@5": 0.25})
    with pytest.raises(ResourceError, match=r"events\.jsonl cannot be written: .* continues with --resume"):
        place.record({"round": 1, "hr@5": 0.123456789012345})
    assert (tmp_path / EVENTS).read_text() == '{"round": 0, "hr@5": 0.25}\n'
    assert [event["round"] for event in place.events()] == [0]


def test_a_table_that_does_not_fit_leaves_nothing(tmp_path, short_files):
    import polars as pl

    with pytest.raises(ResourceError, match=r"people\.parquet cannot be written"):
        RunDirectory(tmp_path).write_frame("people.parquet", pl.DataFrame({"user": list(range(1000))}))
    assert left(tmp_path) == []


def test_other_refusals_of_the_system_are_about_the_place(tmp_path):
    (tmp_path / "page").mkdir()
    with pytest.raises(RunError, match=r"page cannot be written: Is a directory\. Choose another place"):
        RunDirectory(tmp_path).write("page", "text")
    assert left(tmp_path) == ["page"]
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="cannot be used: Not a directory"):
        RunDirectory(tmp_path / "file/run").make()


def test_killed_while_a_checkpoint_is_written(tmp_path):
    """A real process, a real SIGKILL, in the middle of a checkpoint of 80 MB; the one before stays."""
    code = f"""
import numpy as np
from pathlib import Path
from sottovoce.experiments.runs import checkpoint
arrays = {{f"a{{n}}": np.full((1000, 1000), 7, np.float32) for n in range(20)}}
place = Path({str(tmp_path)!r})
checkpoint.save(place, 1, {{"version": "c"}}, arrays)
print("saved", flush=True)
for round in range(2, 1000):
    checkpoint.save(place, round, {{"version": "c"}}, arrays)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "saved\n"
        deadline = time.monotonic() + 60
        while not any(path.suffix == ".tmp" for path in tmp_path.iterdir()):
            assert time.monotonic() < deadline
        process.kill()
    finally:
        process.kill()
        process.communicate()
    found = checkpoint.newest(tmp_path)
    assert found.round >= 1
    assert len(found.arrays) == 20
    assert all((array == 7).all() for array in found.arrays.values())
