"""`sottovoce data`: list, get and info."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from sottovoce.cli.bars import bar, by_magnitude

Call = Callable[..., Result]


def test_list_says_what_is_here(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOTTOVOCE_DATA", raising=False)
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "ml-25m").mkdir()
    (tmp_path / "ml-25m" / "ratings.csv").touch()
    rows = {
        row["name"]: row for row in json.loads(call("data", "list", "--data-dir", tmp_path, "--json").stdout)
    }
    assert [name for name, row in rows.items() if row["here"]] == ["ml-25m"]
    assert all(row["terms"] and row["summary"] and row["home"] for row in rows.values())
    assert rows["ml-100k"]["fetched"]
    assert not rows["netflix"]["fetched"]
    shown = call("data", "list", "--data-dir", tmp_path)
    assert shown.exit_code == 0
    for words in ("here", "by hand", "can be fetched", "gowalla"):
        assert words in shown.stdout


def test_info_of_an_own_file(call: Call, ratings: Path) -> None:
    path = ratings.with_name("named.csv")
    path.write_text(ratings.read_text().replace("who,film,stars,when", "user,item,rating,time", 1))
    facts = json.loads(call("data", "info", path, "--json").stdout)
    assert (facts["users"], facts["items"]) == (60, 80)
    assert facts["interactions"] == sum(facts["values"].values()) == len(path.read_text().splitlines()) - 1
    assert facts["density"] == pytest.approx(facts["interactions"] / 4800)
    assert (facts["from"], facts["until"]) == ("1970-01-01", "1970-01-01")
    shown = call("data", "info", path)
    assert shown.exit_code == 0
    for words in (
        f"60 people, 80 items, {facts['interactions']:,} interactions",
        "█",
        "ratings",
        "not known",
    ):
        assert words in shown.stdout


def test_info_and_get_of_synthetic(call: Call) -> None:
    facts = json.loads(call("data", "info", "synthetic", "--json").stdout)
    assert (facts["users"], facts["items"], facts["titles"]) == (943, 1682, True)
    got = call("data", "get", "synthetic")
    assert "built-in synthetic community" in got.stdout
    assert "terms of use: Made up; free to use." in got.stdout


def test_what_cannot_be_had(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOTTOVOCE_DATA", raising=False)
    monkeypatch.setenv("SOTTOVOCE_CACHE", str(tmp_path))
    missing = call("data", "get", "netflix")
    assert missing.exit_code == 3
    assert "Get it from https://www.kaggle.com" in missing.stderr
    unknown = call("data", "info", "ml-2m")
    assert unknown.exit_code == 3
    assert "There is no data set called 'ml-2m'" in unknown.stderr


def test_data_sets_by_name_and_by_folder(call: Call, data_dir: Path) -> None:
    for name, expected in (
        ("ml-100k", {"users": 943, "items": 1682, "interactions": 100_000, "categories": 19}),
        ("lastfm-hetrec2011", {"users": 1892, "items": 17_632, "interactions": 92_834, "from": None}),
        ("foursquare-us-5000", {"users": 4969, "items": 8000, "interactions": 185_984, "coordinates": True}),
        ("mnist", {"images": 60_000, "test_images": 10_000, "classes": 10}),
        ("stunner-sample", {"devices": 245, "events": 7818}),
    ):
        facts = json.loads(call("data", "info", name, "--data-dir", data_dir, "--json").stdout)
        assert facts | expected == facts
        assert facts["terms"]
    shown = call("data", "info", "mnist", "--data-dir", data_dir).stdout
    assert "60,000 images, 10,000 test images, 10 classes" in shown


def test_bars() -> None:
    assert bar(1, 4) == "████"
    assert bar(0.5, 1) == "▌"
    assert bar(1e-9, 10) == "▏"
    assert bar(0, 10) == ""
    assert by_magnitude(np.array([1, 1, 3, 12])) == {"1": 2, "2–4": 1, "5–9": 0, "10–19": 1}
    assert by_magnitude(np.array([-1.0, 1.0]))["-1 to -0.8"] == 1
    assert by_magnitude(np.array([7e9])) == {"5,000,000,000 or more": 1}
