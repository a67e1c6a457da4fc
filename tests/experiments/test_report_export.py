"""Exported tables hold the numbers of the page in full, and LaTeX that compiles."""

import csv
import json
import re

import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.report import report
from sottovoce.experiments.report.export import escape, export, save, tex
from sottovoce.experiments.report.layout import Cell, Column, Table


def test_everything_is_exported(several, tmp_path):
    files = export(report([several]).sections, tmp_path / "new" / "place")
    names = {file.name for file in files}
    tables = {"main", "metrics", "tails", "history", "network", "settings"}
    assert {f"{table}.{kind}" for table in tables for kind in ("csv", "tex")} <= names
    figures = {"hr-5", "ndcg-5", "people", "bytes", "history", "nodes-received", "nodes-seconds"}
    assert {f"figure-{figure}.csv" for figure in figures} == {n for n in names if n.startswith("figure-")}
    assert all(file.read_text().strip() for file in files)


def test_tables_hold_full_numbers(several, tmp_path):
    export(report([several]).sections, tmp_path)
    rows = {row["name"]: row for row in csv.DictReader((tmp_path / "main.csv").open())}
    assert list(rows) == ["step 0.01", "step 0.1", "popularity", "random"]
    runs = [json.loads(p.read_text()) for p in (several / "model.step=0.1").glob("*/result.json")]
    mean = sum(run["final"]["hr@5"] for run in runs) / 2
    row = rows["step 0.1"]
    assert float(row["HR@5"]) == pytest.approx(mean)
    assert float(row["HR@5 low"]) < mean < float(row["HR@5 high"])
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
