"""`sottovoce report`: where the page goes, and what is said."""

import shutil
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Call = Callable[..., Result]


def test_one_run(call: Call, finished: Path) -> None:
    place = Path(shutil.copytree(finished, "copy"))
    (place / "report.html").unlink()
    done = call("report", place)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == "report: copy/report.html"
    assert (place / "report.html").read_text() == (finished / "report.html").read_text()


def test_several_with_an_export(call: Call, finished: Path) -> None:
    shutil.copytree(finished, "copy")
    done = call("report", finished, "copy", "--out", "new/page.html", "--export", "tables")
    assert done.exit_code == 0, done.output
    assert "note: copy repeats" in done.stderr
    assert Path("new/page.html").read_text().startswith("<!DOCTYPE html>")
    count = len(list(Path("tables").iterdir()))
    assert f"{count} files in tables" in done.stdout


def test_what_is_no_run_is_refused(call: Call) -> None:
    done = call("report", "nowhere")
    assert done.exit_code == 6
    assert "nowhere is not a run directory." in done.stderr
    assert call("report").exit_code == 2
