"""`result.json`: every reader gets typed figures, or a sentence about what is damaged."""

import json

import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.runs.result import Result
from sottovoce.experiments.runs.trouble import Collapse, Divergence
from tests.small import result


def test_what_is_written_reads_back(finished, tmp_path):
    text = (finished / "result.json").read_text()
    read = Result.read(finished / "result.json")
    assert read.document() == json.loads(text)
    assert read.dumps() == text
    assert list(read.document()) == list(json.loads(text)), "keys stay in their order"
    assert (read.nodes, read.data.people, read.metric) == (60, 60, "hr@5")


def test_troubles_are_tables_in_the_file(tmp_path):
    figures = result(diverged={"people": 3, "of": 60, "round": 7}, collapsed={"people": 1, "of": 2})
    assert figures.diverged == Divergence(3, 60, 7)
    assert figures.collapsed == Collapse(1, 2)
    assert json.loads(figures.dumps())["diverged"] == {"people": 3, "of": 60, "round": 7}


def test_keys_of_a_later_version_are_kept(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result().document() | {"carbon": 3}))
    assert Result.read(path).document()["carbon"] == 3


def test_keys_that_an_earlier_version_lacked_are_not_invented():
    assert "diverged" not in result().document()
    assert result().diverged is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"final": None}, r"final = None"),
        ({"rounds": "7"}, r"rounds = '7' cannot be used: it must be a whole number"),
        ({"data": {"name": "x"}}, "it has no data.people, data.items, data.interactions"),
        ({"data": 3}, "data = 3"),
        ({"baselines": {"popularity": {"hr@5": "high"}}}, "baselines.popularity.hr@5.*'high'"),
        ({"diverged": {"people": 1}}, "it has no diverged.of, diverged.round"),
        ({"privacy": [{"what": 1, "to": "", "tells": ""}]}, "privacy.0.what = 1"),
        ({"seconds": float("nan")}, "seconds"),
    ],
)
def test_damage_is_told(tmp_path, change, says):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result().document() | change))
    with pytest.raises(RunError, match=rf"result\.json is damaged: .*{says}.*Run anew"):
        Result.read(path)


@pytest.mark.parametrize(
    ("text", "says"), [("{", "not a JSON object"), ("[]", "not a JSON object"), ("{}", "has no final")]
)
def test_what_is_no_result(tmp_path, text, says):
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(RunError, match=says):
        Result.read(path)
