"""Statistics of a data set, by hand."""

import numpy as np

from sottovoce.data.describe import data_sets, described, info
from sottovoce.data.interactions import Catalog, build

DATA = build(
    "own",
    ["a", "a", "a", "b"],
    ["x", "y", "z", "x"],
    [1, 2, 2, 5],
    [86_400, 3 * 86_400, 86_401, 0],
)


def test_figures_of_a_small_data_set():
    found = described(DATA)
    assert (found["users"], found["items"], found["interactions"]) == (2, 3, 4)
    assert found["density"] == 4 / 6
    assert found["values"] == {"1": 1, "2": 2, "5": 1}
    assert found["scale"] == [1, 5]
    assert (found["from"], found["until"]) == ("1970-01-01", "1970-01-04")
    assert found["interactions_per_user"] == {"min": 1, "median": 2, "max": 3, "mean": 2}
    assert found["interactions_per_item"] == {"min": 1, "median": 1, "max": 2, "mean": 4 / 3}
    assert (found["titles"], found["categories"], found["coordinates"]) == (False, None, False)


def test_without_times_and_with_many_values():
    data = build("own", ["a"] * 30, [str(n) for n in range(30)], np.arange(30.0))
    found = described(data)
    assert (found["from"], found["until"], found["values"]) == (None, None, {})


def test_items_that_nobody_has_count():
    catalog = Catalog("own", np.array(["x", "y", "z"]))
    found = described(build("own", ["a", "b"], ["x", "x"], catalog=catalog))
    assert found["interactions_per_item"] == {"min": 0, "median": 0, "max": 2, "mean": 2 / 3}


def test_repeated_interactions_are_all_counted(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("user,item,rating\na,x,3\na,x,4\nb,y,5\n")
    found = info(path)
    assert found["interactions"] == 3
    assert any("all are counted here" in note for note in found["notes"])
    assert info(path, duplicates="last")["interactions"] == 2


def test_data_sets_and_where_they_are(tmp_path):
    (tmp_path / "ml-100k").mkdir()
    (tmp_path / "ml-100k" / "u.data").write_text("1\t2\t3\t4\n")
    rows = {row["name"]: row for row in data_sets(tmp_path)}
    assert str(tmp_path) in rows["ml-100k"]["here"]
    assert rows["ml-100k"]["home"].startswith("https://")
    assert rows["ml-100k"]["summary"]
