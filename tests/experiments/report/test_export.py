"""Exported tables hold the numbers of the page in full, and LaTeX that compiles."""

import csv
import json
import re

import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.report.export import escape, export, save, tex
from sottovoce.experiments.report.layout import Cell, Column, Table
from sottovoce.experiments.report.report import report


def test_everything_is_exported(several, tmp_path):
    files = export(report([several]).sections, tmp_path / "new" / "place")
    names = {file.name for file in files}
    tables = {"metrics", "differences", "best", "tails", "history", "network", "settings"}
    assert {f"{table}.{kind}" for table in tables for kind in ("csv", "tex")} <= names
    figures = {"hr-5", "ndcg-5", "people", "bytes", "history", "nodes-received", "nodes-seconds"}
    assert {f"figure-{figure}.csv" for figure in figures} == {n for n in names if n.startswith("figure-")}
    assert all(file.read_text().strip() for file in files)


def test_tables_hold_full_numbers(several, tmp_path):
    export(report([several]).sections, tmp_path)
    rows = {row["name"]: row for row in csv.DictReader((tmp_path / "metrics.csv").open())}
    assert list(rows) == ["step 0.01", "step 0.1", "popularity", "random"]
    runs = [json.loads(p.read_text()) for p in (several / "model.step=0.1").glob("*/result.json")]
    mean = sum(run["final"]["hr@5"] for run in runs) / 2
    row = rows["step 0.1"]
    assert float(row["HR@5"]) == pytest.approx(mean)
    assert float(row["HR@5 low"]) < mean < float(row["HR@5 high"])
    spread = [run["final"]["hr@5"] for run in runs]
    assert float(row["HR@5 std"]) == pytest.approx(abs(spread[0] - spread[1]) / 2**0.5)
    compared = [row["name"] for row in csv.DictReader((tmp_path / "differences.csv").open())]
    assert compared == ["step 0.01", "popularity"], "all that have figures of each person, but the best"
    points = list(csv.DictReader((tmp_path / "figure-hr-5.csv").open()))
    last = [point for point in points if point["curve"] == "step 0.1"][-1]
    assert (float(last["round"]), float(last["hr@5"])) == pytest.approx((7, mean))
    assert float(last["low"]) <= mean <= float(last["high"])


def test_latex():
    table = Table(
        "t", [Column("a_b"), Column("50 %")], [[Cell("x & y"), Cell("1 ± 2", "−1 to 1")]], "Über 5 $."
    )
    text = tex(table)
    assert r"a\_b & 50 \% \\" in text
    assert r"x \& y & 1 $\pm$ 2 ($-$1 to 1) \\" in text
    assert r"\caption{Über 5 \$.}" in text
    assert r"\begin{tabular}{lr}" in text
    for rule in ("toprule", "midrule", "bottomrule"):
        assert rf"\{rule}" in text


def test_every_special_character_is_escaped():
    text = escape("\\ { } $ & # _ % ~ ^")
    assert not re.search(r"(?<!\\)[$&#_%]|[~^]", text)
    assert escape("{x}") == r"\{x\}"


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        save(tmp_path / "file" / "page.html", "")


def test_latex_holds_no_control_characters():
    assert escape("a\x1b[2Jb\nc\u202e") == r"a\textbackslash{}x1b[2Jb\textbackslash{}nc\textbackslash{}u202e"
