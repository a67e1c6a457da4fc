"""The report is one valid page that needs nothing else and in which every text is escaped."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sottovoce.experiments import plots
from sottovoce.experiments.markup import Html, element, join
from sottovoce.experiments.report import render
from sottovoce.experiments.verdict import judge

EVIL = "<script>alert('x')</script> & \"Film\" <img src=http://evil.example/x>"
VOID = {"meta", "link", "br", "hr", "img"}


class Page(HTMLParser):
    """Collects elements and text, and checks that every element is closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def count(self, tag):
        return sum(found == tag for found, _ in self.elements)


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    return shutil.copytree(finished, tmp_path / "copy")


def test_a_valid_page_with_all_parts(finished):
    page = Page((finished / "report.html").read_text("utf-8"))
    assert page.count("svg") == 3
    assert page.count("title") == page.count("svg") + 1
    assert page.count("desc") == page.count("svg")
    assert page.count("h1") == page.count("main") == 1
    for part in (
        "mf by gossip on synthetic",
        "60 people",
        "popularity",
        "CDF 0.1",
        "Traffic",
        "[protocol]",
        "numba",
    ):
        assert part in page.text


def test_it_needs_nothing_else(finished):
    source = (finished / "report.html").read_text("utf-8")
    page = Page(source)
    assert not page.count("script")
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src", "xlink:href", "action", "data"):
                assert value.startswith("#")
    assert "http://" not in source
    assert "https://" not in source
    assert not re.findall(r"url\((?!#)|@import", source)


def test_ids_are_unique_and_references_resolve(finished):
    source = (finished / "report.html").read_text("utf-8")
    ids = [attributes["id"] for _, attributes in Page(source).elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(|href=")#([^)"]+)', source)) <= set(ids)


def test_the_same_run_gives_the_same_page(finished):
    assert render(finished) == render(finished) == (finished / "report.html").read_text("utf-8")


def test_text_from_outside_is_escaped(copy):
    lists = pl.read_parquet(copy / "recommendations.parquet").with_columns(title=pl.lit(EVIL))
    lists.write_parquet(copy / "recommendations.parquet")
    result = json.loads((copy / "result.json").read_text())
    result["data"] |= {"name": EVIL, "source": EVIL, "terms": EVIL}
    (copy / "result.json").write_text(json.dumps(result))
    source = render(copy)
    page = Page(source)
    assert page.count("script") == page.count("img") == 0
    assert page.text.count(EVIL) >= 13
    assert "<script" not in source


def test_a_run_that_diverged_still_has_a_page(copy):
    result = json.loads((copy / "result.json").read_text())
    for name in result["final"]:
        result["final"][name] = None
        result["tails"][name] = dict.fromkeys(result["tails"][name])
    (copy / "result.json").write_text(json.dumps(result))
    events = [json.loads(line) for line in (copy / "events.jsonl").read_text().splitlines()]
    cut = [event | dict.fromkeys(result["final"]) for event in events]
    (copy / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in cut))
    people = pl.read_parquet(copy / "per_user.parquet")
    none = [pl.lit(None, pl.Float64).alias(name) for name in result["final"]]
    people.with_columns(none).write_parquet(copy / "per_user.parquet")
    page = Page(render(copy))
    assert "The run diverged." in page.text
    assert "nan" not in page.text.lower().replace("finance", "")


def test_elements_escape_what_is_not_html():
    assert (
        element("p", "a < b", element("b", "&"), class_='x"y')
        == '<p class="x&quot;y">a &lt; b<b>&amp;</b></p>'
    )
    assert join("<", Html("<br>")) == "&lt;<br>"


def result_of(metric, final, popular, chance):
    return {
        "metric": metric,
        "final": {metric: final},
        "rounds": 5,
        "baselines": {"popularity": {metric: popular}, "random": {metric: chance}},
    }


@pytest.mark.parametrize(
    ("metric", "shift", "kind"),
    [
        ("hr@20", 0.2, "good"),
        ("hr@20", 0.0, "near"),
        ("hr@20", -0.2, "bad"),
        ("rmse", -0.2, "good"),
        ("rmse", 0.2, "bad"),
    ],
)
def test_verdicts(metric, shift, kind):
    noise = np.linspace(-0.3, 0.3, 200)
    popular = np.full(200, 0.5)
    verdict = judge(result_of(metric, 0.5 + shift, 0.5, 0.2), popular + shift + noise, popular)
    assert verdict.kind == kind
    assert "After 5 rounds" in verdict.sentence


def test_one_evaluation_can_be_drawn():
    drawn = plots.curve("c", "RMSE", [(0, 1.0)], {"popularity": 1.0}, percent=False)
    assert "RMSE over 0 rounds" in drawn


def test_constant_values_can_be_drawn():
    same = np.ones(5)
    assert "<svg" in plots.distribution("d", "HR@5", {"this run": same, "popularity": same}, percent=True)
