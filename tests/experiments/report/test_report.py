"""The report is one valid page that needs nothing else and in which every text is escaped."""

import base64
import hashlib
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.pages.markup import Html, element, join
from sottovoce.experiments.report.export import export
from sottovoce.experiments.report.report import render, report

EVIL = "<script>alert('x')</script> & \"Film\" <img src=http://evil.example/x>"
VOID = {"meta", "link", "br", "hr", "img", "input"}


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
    assert page.count("svg") == page.count("desc") == 7
    assert page.count("title") == page.count("script") == 1
    assert page.count("h1") == page.count("main") == 1
    for part in (
        "mf by gossip on synthetic",
        "60 people",
        "popularity",
        "CDF 0.1",
        "Who is badly served",
        "sent per node and round",
        "[protocol]",
        "sottovoce run recipe.toml --seed 1",
        "numba",
    ):
        assert part in page.text


def test_one_curve_is_shown_and_others_can_be_chosen(finished):
    page = Page((finished / "report.html").read_text("utf-8"))
    buttons = [attributes for tag, attributes in page.elements if tag == "input"]
    assert [b["id"] for b in buttons] == ["show-hr-5", "show-ndcg-5"]
    assert ["checked" in b for b in buttons] == [True, False], "the main metric"
    assert {(b["type"], b["name"]) for b in buttons} == {("radio", "choice-Metric")}
    labels = [attributes["for"] for tag, attributes in page.elements if tag == "label"]
    assert labels == [b["id"] for b in buttons]


def test_a_weighting_set_is_explained(copy):
    people = pl.read_parquet(copy / "per_user.parquet")
    people.with_columns((pl.int_range(pl.len()) % 3 * 1.0).alias("node converged")).write_parquet(
        copy / "per_user.parquet"
    )
    assert (
        "weighting set (a validation set: items that the node judges models by, and does not train on"
        in render(copy)
    )


def test_one_is_no_plural(copy):
    result = json.loads((copy / "result.json").read_text())
    result |= {"rounds": 1}
    result["data"] |= {"people": 1, "items": 1, "interactions": 1}
    (copy / "result.json").write_text(json.dumps(result))
    pl.read_parquet(copy / "per_user.parquet").head(1).write_parquet(copy / "per_user.parquet")
    events = (copy / "events.jsonl").read_text().splitlines()
    kept = [json.loads(event) | {"round": n} for n, event in enumerate(events[:2])]
    (copy / "events.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in kept))
    text = Page(render(copy)).text
    assert "1 person, 1 item, 1 interaction · seed 1" in text
    assert "After 1 round, " in text
    assert not re.search(r"\b1 (rounds|people|items|interactions|nodes|messages|comparisons)\b", text)


def test_without_messages_the_network_has_no_empty_rows(copy):
    result = json.loads((copy / "result.json").read_text())
    (copy / "result.json").write_text(json.dumps(result | {"messages": 0, "bytes": 0}))
    section = next(s for s in report([copy]).sections if s.title == "Network")
    names = [row[0].text for row in section.parts[0].rows]
    assert names == ["peers", "nodes", "rounds", "training time", "peak memory"]
    assert section.parts[0].caption.startswith("Nothing was sent.")


def test_it_needs_nothing_else(finished):
    source = (finished / "report.html").read_text("utf-8")
    page = Page(source)
    assert source.count("<script") == 1
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base"}
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("href", "src", "xlink:href", "action", "data"):
                assert value.startswith("#")
    assert "http://" not in source
    assert "https://" not in source
    assert not re.findall(r"url\((?!#)|@import|fetch\(|XMLHttpRequest|import\(", source)


def test_only_the_pages_own_script_may_run(finished):
    source = (finished / "report.html").read_text("utf-8")
    script = source[source.index("<script>") + 8 : source.index("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(a["content"] for _, a in Page(source).elements if a.get("http-equiv"))
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


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
    assert page.count("script") == 1
    assert page.count("img") == 0
    assert page.text.count(EVIL) >= 13
    assert source.count("<script") == 1


def diverge(place: Path) -> None:
    """Make a run look as if its models had grown beyond all bounds."""
    result = json.loads((place / "result.json").read_text())
    result["diverged"] = {"people": 60, "of": 60, "round": 3}
    for name in result["final"]:
        result["final"][name] = None
        result["tails"][name] = dict.fromkeys(result["tails"][name])
    (place / "result.json").write_text(json.dumps(result))
    events = [json.loads(line) for line in (place / "events.jsonl").read_text().splitlines()]
    cut = [event | dict.fromkeys(result["final"]) for event in events]
    (place / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in cut))
    people = pl.read_parquet(place / "per_user.parquet")
    none = [pl.lit(None, pl.Float64).alias(name) for name in result["final"]]
    people.with_columns(none).write_parquet(place / "per_user.parquet")


def test_a_run_that_diverged_still_has_a_page(copy):
    diverge(copy)
    page = Page(render(copy))
    assert "The run diverged." in page.text
    assert "nan" not in page.text.lower()


def test_a_method_that_diverged_is_compared_with_nothing(several, tmp_path):
    place = shutil.copytree(several, tmp_path / "copy")
    for seed in (1, 2):
        diverge(place / "model.step=0.1" / f"seed-{seed}")
    found = report([place])
    assert found.verdict.headline.startswith("Best of 2 methods: step 0.01.")
    assert "Not better than popularity: step 0.1." in found.verdict.sentence
    text = Page(found.html).text
    assert "Never finite: step 0.1." in text
    files = export(found.sections, tmp_path / "out")
    assert not re.search(r"\bnan\b", text + "".join(file.read_text() for file in files), re.IGNORECASE)


def test_the_page_of_several_runs_is_in_order(several):
    found = report([several])
    page = Page(found.html)
    parts = [
        "2 methods on synthetic",
        "Best of 2 methods: step 0.1.",
        "Quality over rounds",
        "bands show the lowest and the highest of 2 seeds",
        "Figures",
        "corrected for 2 comparisons (Holm)",
        "HR@5 of every person",
        "HR@5 against bytes sent",
        "Who is badly served",
        "by history",
        "Network",
        "What differs between the recipes",
        "sottovoce sweep recipe.toml --seeds 1,2",
    ]
    places = [page.text.index(part) for part in parts]
    assert places == sorted(places)
    assert page.count("details") == 2
    assert found.verdict.kind == "bad"


def test_people_are_counted_by_their_history(several):
    section = next(s for s in report([several]).sections if s.title == "Who is badly served")
    table = next(part for part in section.parts if getattr(part, "identity", "") == "history")
    people = pl.read_parquet(several / "model.step=0.1" / "seed-1" / "per_user.parquet")
    assert sum(cell.values[0] for cell in table.rows[0][1:]) == len(people)
    lowest = people.filter(pl.col("history") <= people["history"].quantile(0.25, "lower"))
    assert table.rows[0][1].values[0] == len(lowest)
    assert int(table.columns[1].name.split()[0]) == people["history"].min()


def test_runs_that_do_not_know_histories_still_have_a_page(copy):
    people = pl.read_parquet(copy / "per_user.parquet")
    people.drop("history").write_parquet(copy / "per_user.parquet")
    assert "do not say how much history" in render(copy)


def test_a_damaged_table_is_told(copy):
    (copy / "per_user.parquet").write_bytes(b"PAR1")
    with pytest.raises(RunError, match=r"per_user\.parquet cannot be read"):
        render(copy)


def test_control_characters_are_shown():
    assert element("p", "a\x00\x1b\u202e\nb", title="\x9b") == ('<p title="\\x9b">a\\x00\\x1b\\u202e\nb</p>')


def test_elements_escape_what_is_not_html():
    assert (
        element("p", "a < b", element("b", "&"), class_='x"y')
        == '<p class="x&quot;y">a &lt; b<b>&amp;</b></p>'
    )
    assert join("<", Html("<br>")) == "&lt;<br>"
