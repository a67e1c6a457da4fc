"""Pages: that they show what was found, and that those in the repository are up to date."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.reproduce import docs, execute, words
from sottovoce.experiments.reproduce.page import render
from tests.experiments.reproduce.test_form import NO_PAPER, OWN

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "docs" / "reproductions"
ROWS = '[[rows]]\npaper = { "small, slow" = 0.9 }\ntolerance = 0.05\n'
CLAIM = '[[claims]]\nclaim = "Fast < slow."\nsource = "Section 1"\nchecks = [{ order = ["fast", "slow"] }]\n'


@pytest.fixture
def found(build, run):
    """What two seeds come to."""
    form = build(ROWS + CLAIM)
    plan = execute.Plan(form, False, [1, 2], {}, {})
    results = {
        labels: [run(2.0, 0.8 + 0.1 * (labels[1] == "slow")) for _ in (1, 2)] for labels in form.runs()
    }
    return execute.summarise(plan, results)


def test_rows_lie_beside_the_paper(found):
    assert [row["name"] for row in found["rows"]] == [
        "small, fast",
        "small, slow",
        "large, fast",
        "large, slow",
    ]
    assert [row["paper"] for row in found["rows"]] == [None, 0.9, None, None]
    assert [row["holds"] for row in found["rows"]] == [None, True, None, None]
    assert (found["rows"][1]["ours"], found["rows"][1]["std"]) == (0.9, 0.0)


def test_panels_have_curves_and_levels(found):
    small, large = found["panels"]
    assert (small["title"], large["title"]) == ("small", "large")
    assert [curve["name"] for curve in small["curves"]] == ["fast", "slow"]
    assert small["curves"][0] | {"name": ""} == {
        "name": "",
        "x": [0, 1],
        "mean": [2.0, 0.8],
        "low": [2.0, 0.8],
        "high": [2.0, 0.8],
    }
    assert small["levels"] == {"means": 1.0}


def test_json_reads_back(found):
    text = execute.dumps(found)
    assert json.loads(text) == found
    assert '"mean": [ 2.0, 0.8 ]' in text


def test_the_page_escapes_and_says_what_is_reduced(found):
    class Texts(HTMLParser):
        seen = ""

        def handle_data(self, data):
            self.seen += data

    page = Texts()
    page.feed(render(found | {"quick": True}))
    assert "Holds: Fast < slow." in page.seen
    assert "A reduced version (--quick)" in page.seen
    assert "sottovoce reproduce table --quick --seeds 2" in page.seen
    assert "Fast < slow" not in render(found)


def test_a_part_says_what_was_not_run(build, run):
    form = build()
    results = {labels: [run(2.0, 0.8)] for labels in form.chosen(["large"], quick=False)}
    part = execute.summarise(execute.Plan(form, False, [1, 2], {}, {}), results)
    assert (part["ran"], part["missing"]) == (["large"], ["small"])
    page = render(part)
    assert "Run: large, under 2 seeds (1, 2). Not run: small." in page
    assert "sottovoce reproduce table --seeds 2 --only &quot;large&quot;" in page
    assert words.command(part | {"apart": ["small"]}) == "sottovoce reproduce table --seeds 2"


def test_curves_over_hours(over_hours, run):
    form = over_hours()
    results = {labels: [run(2.0, 0.8, 0.7, hours=12.0)] for labels in form.runs()}
    found = execute.summarise(execute.Plan(form, False, [1], {}, {}), results)
    assert found["panels"][0]["curves"][0]["x"] == [0.0, 12.0, 24.0]
    drawn = words.panels(found)[0][1]
    assert ">hours</text>" in drawn
    assert ">rounds</text>" not in drawn


def test_what_was_judged_otherwise_says_so(found):
    earlier = {key: value for key, value in found.items() if key != "confidence"}
    assert words.verdict(earlier) == f"{words.verdict(found)} Judged by the earlier rule."
    assert words.scope(earlier) == f"{words.scope(found)} {words.EARLIER}"
    assert "a single seed decides no comparison" in words.scope(found | {"seeds": [1]})


def test_a_statement_that_holds_in_part_says_how_far(found):
    claim = {"holds": False, "findings": [{"said": "", "holds": holds} for holds in (True, False, None)]}
    assert words.judgement(claim) == "does not hold in general, only in 1 of 2 comparisons"
    assert words.judgement(claim | {"findings": claim["findings"][1:]}) == "does not hold"
    assert "the paper's statements 1 of 1 (2 of 2 comparisons)" in words.verdict(found)


def test_what_is_open_is_said(found):
    looked = found["claims"][0]["findings"]
    found["claims"][0]["findings"] = [*looked, {"said": "neither", "holds": None}]
    page = render(found)
    assert "Holds in all decided comparisons: Fast" in page
    assert "<strong>not judged</strong> · neither" in page


def test_pages_are_written_from_results(found, tmp_path):
    docs.write(tmp_path / "pages", found)
    place = tmp_path / "pages"
    assert sorted(path.name for path in place.iterdir()) == [
        "index.md",
        "table.json",
        "table.md",
        "table.svg",
    ]
    page = (place / "table.md").read_text()
    assert "| small, slow | RMSE, at the end | 0.9000 | 0.9000 | 0.0500 | holds |" in page
    assert "**Holds**: Fast < slow. (Section 1)" in page
    picture = ElementTree.parse(place / "table.svg")
    texts = ["".join(text.itertext()) for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"small", "large", "fast", "slow", "means"} <= set(texts)
    (place / "other.json").write_text("[]")
    with pytest.raises(RunError, match=r"other\.json is not the result of a reproduction"):
        docs.write(place)


def test_pages_in_the_repository_are_up_to_date():
    made = docs.pages(KEPT)
    assert len(made) > 1
    kept = {path.name for path in KEPT.iterdir() if path.suffix in (".md", ".svg")}
    assert kept == made.keys() | {"format.md"}
    for name, text in made.items():
        assert (KEPT / name).read_text("utf-8") == text, (
            f"{name} is not what `sottovoce reproduce --page docs/reproductions` writes"
        )


def test_results_in_the_repository_are_whole():
    """They are what the shipped file asks for now, in full and with its seeds."""
    from sottovoce.experiments.reproduce import reading

    for path in KEPT.glob("*.json"):
        found = json.loads(path.read_text("utf-8"))
        form = reading.read(found["experiment"])
        assert not found["quick"]
        assert len(found["seeds"]) >= form.seeds
        assert [claim["claim"] for claim in found["claims"]] == [claim.claim for claim in form.claims]
        of_runs = found["notes"][len(form.notes) :]
        assert (found["tuned"], found["notes"][: len(form.notes)]) == (form.tuned, form.notes)
        assert all(note.startswith("Diverged: ") for note in of_runs)
        assert not re.search(r"/work/|/tmp/|/home/", path.read_text("utf-8"))


def test_measured_figures_that_the_paper_does_not_print_are_a_line_for_each_cell():
    def row(name, metric, paper, ours):
        judged = {"holds": None if paper is None else True, "at": None}
        return {"name": name, "metric": metric, "paper": paper, "said": [paper, ours, None], **judged}

    rows = [
        row("a", "time", "3 ms", "2 ms"),
        row("a", "size", None, "1 MiB"),
        row("b", "size", None, "4 MiB"),
    ]
    rows += [row("a", "more", None, "5 ms"), row("b", "more", None, "6 ms"), row("c", "size", None, "7 MiB")]
    compared, both, one = words.tables({"rows": rows, "machines": []})
    assert compared == (words.TIMES, words.HEADER, [["a", "time", "3 ms", "2 ms", "—", "holds"]])
    assert both == (words.REPEATED, ["", "size", "more"], [["a", "1 MiB", "5 ms"], ["b", "4 MiB", "6 ms"]])
    assert one == (words.REPEATED, ["", "size"], [["c", "7 MiB"]])
    (plain,) = words.tables({"rows": rows[:1]})
    assert plain == compared._replace(caption=words.OVER_SEEDS)


def test_results_of_our_own(build, run):
    """Without a paper there is a table for each panel, a column for each figure, and what leaves a device."""
    rows = """
[[rows]]
[[rows]]
metric = "bytes per person"
[[rows]]
of = ["means"]
per = ["size"]
[[claims]]
claim = "Fast < slow."
checks = [{ order = ["fast", "slow"] }]
"""
    form = build(OWN + rows, text=NO_PAPER, top="disclosures = true\n")
    sent = [
        {"what": "models", "to": "peers", "tells": "`mf` tells much."},
        {"what": "addresses", "to": "peers", "tells": "Who takes part."},
    ]
    results = {
        labels: [run(2.0, 0.8 + 0.1 * (labels[1] == "slow"), privacy=sent) for _ in (1, 2)]
        for labels in form.runs()
    }
    found = execute.summarise(execute.Plan(form, False, [1, 2], {}, {}), results)
    assert words.title(found) == "Ours"
    assert words.verdict(found) == "What holds: statements 1 of 1 (2 of 2 comparisons)."
    assert words.outcome(found) == "good"
    small, large = words.tables(found)
    assert small.caption == "small: mean ± standard deviation over seeds."
    assert small.header == large.header == ["", "RMSE", "Bytes per person"]
    assert small.lines == large.lines
    assert small.lines == [
        ["fast", "0.8000", "143 kB"],
        ["slow", "0.9000", "143 kB"],
        ["means", "1.0000", "—"],
    ]
    shown = words.disclosures(found)
    assert shown is not None
    assert shown.lines == [
        ["fast, slow", "models", "peers", "mf tells much."],
        ["", "addresses", "peers", "Who takes part."],
    ]
    page = docs._page(found)
    assert page.startswith("# Ours\n\nWhat we found.\n\n**What holds")
    assert "**Holds**: Fast < slow.\n" in page
    assert "paper" not in page
    assert "paper" not in re.sub("<style>.*?</style>", "", render(found), flags=re.DOTALL)
    assert "What leaves a device" in render(found)


def test_curves_over_megabytes(build, run):
    form = build(top='x = "megabytes"\n')
    sent = {"small": [0, 14_000_000], "large": [0, 0]}
    results = {labels: [run(2.0, 0.8) for _ in (1, 2)] for labels in form.runs()}
    for labels, runs in results.items():
        for event, count in zip(runs[0].curve + runs[1].curve, 2 * sent[labels[0]], strict=True):
            event["bytes"] = count
    small, large = execute.summarise(execute.Plan(form, False, [1, 2], {}, {}), results)["panels"]
    assert [curve["x"] for curve in small["curves"]] == [[0, 2.0]] * 2, "of 7 people"
    assert large["curves"] == [], "nothing was sent"
