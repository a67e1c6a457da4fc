"""Audits as figures of a reproduction."""

import json
import math

import pytest

from sottovoce.experiments.audit.written import AUDIT, short
from sottovoce.experiments.reproduce import claims, figures, leaks, words
from sottovoce.experiments.reproduce.form import Reproduction
from sottovoce.experiments.reproduce.papers import find


def entry(attack, observer, way, value, **more):
    name = {"items": "recall", "vector": "likeness", "instances": "right"}[attack]
    figure = {"value": value, "low": value - 0.01, "high": value, "guessing": 0.06, "people": 9, **more}
    told = {name: figure} | ({"precision": figure} if attack == "items" else {})
    return {
        "attack": attack,
        "observer": observer,
        "way": way,
        "rounds": 5,
        **told,
        "over_rounds": [told, told],
    }


@pytest.fixture
def audited(run, tmp_path):
    def make(*entries):
        found = run(1.0, 0.5)
        place = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        place.mkdir()
        document = {"format": 1, "sentences": [], "notes": [], "attacks": list(entries)}
        (place / AUDIT).write_text(json.dumps(document))
        found.directory = place
        return found

    return make


def test_the_best_way_counts(audited):
    one = audited(entry("items", "server", "changed", 0.2), entry("items", "server", "side", 0.9))
    assert figures.value(one, "server: items", "final") == 0.9
    assert figures.value(one, "server: items, otherwise", "final") == 0.06
    assert math.isnan(figures.value(one, "neighbour: items", "final"))
    assert math.isnan(leaks.value(one, leaks.EPSILON))
    assert figures.say(0.9, "server: items") == "90.0 %"


def test_tables_of_observers(audited):
    runs = {
        ("open",): [
            audited(entry("items", "server", "side", 0.9)),
            audited(entry("items", "server", "side", 0.7)),
        ],
        ("closed",): [audited(entry("items", "server", "side", 0.06, another=0.07))],
    }
    (table,) = leaks.tables(runs)
    assert table["who"] == "the server"
    assert table["columns"] == ["items"]
    assert [row["cells"] for row in table["rows"]] == [[[0.8, 0.06]], [[0.06, 0.07]]]
    (shown,) = words.leak_tables({"leaks": [table]})
    assert shown == ("the server", ["", "items"], [["open", "80 % (6 %)"], ["closed", "6 % (7 %)"]])


def test_a_short_audit_has_the_best_ways_alone():
    ways = [entry("items", "server", "changed", 0.2), entry("items", "server", "side", 0.9)]
    found = short({"format": 1, "attacks": ways})
    assert [one["way"] for one in found["attacks"]] == ["side"]
    assert len(found["attacks"][0]["over_rounds"]) == 1


def test_marks_of_the_paper(audited):
    form = Reproduction.read("fedncf/table-1")
    label = ("plain federation",)
    server = find("fedncf_table_1.server_of_fedavg")
    good = audited(entry("items", "server", "side", 0.99), entry("vector", "server", "direction", 0.8))
    assert [finding.holds for finding in server(form, {label: [good]})] == [True, True]
    weak = audited(entry("items", "server", "side", 0.5), entry("vector", "server", "direction", 0.06))
    assert [finding.holds for finding in server(form, {label: [weak]})] == [False, False]
    other = find("fedncf_table_1.participant_of_fedavg")
    popular = audited(entry("items", "participant", "every", 0.4, another=0.4))
    (finding,) = other(form, {label: [popular]})
    assert finding.holds is False
    assert "40.0 % found, 40.0 % otherwise; the paper has ‡" in finding.said


def test_claims_about_labels_without_runs_stay_open(audited):
    form = Reproduction.read("fedncf/table-1")
    judged = [claims.judge(form, claim, {}) for claim in form.claims]
    assert {one["holds"] for one in judged} == {None}
