"""`load` refuses settings that it does not know, whatever it is given."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sottovoce
from sottovoce.data.interactions import build
from sottovoce.errors import SottovoceError

TABLE = {"user": [1, 1, 2], "item": [2, 3, 2]}


def given(kind: str, folder: Path) -> Any:
    path = folder / "own.csv"
    path.write_text("user,item\n1,2\n1,3\n2,2\n")
    pl.DataFrame(TABLE).write_parquet(folder / "own.parquet")
    (folder / "a.inter").write_text("user_id:token\titem_id:token\n1\t2\n")
    (folder / "a.train.rating").write_text("1\t2\n")
    return {
        "interactions": build("mine", [1, 1, 2], [2, 3, 2]),
        "frame": pl.DataFrame(TABLE),
        "synthetic": "synthetic",
        "name": "ml-100k",
        "path": path,
        "text": str(path),
        "Parquet": folder / "own.parquet",
        "RecBole": folder / "a.inter",
        "NCF": folder / "a.train.rating",
    }[kind]


@pytest.mark.parametrize(
    "kind",
    ["interactions", "frame", "synthetic", "name", "path", "text", "Parquet", "RecBole", "NCF"],
)
def test_unknown_settings_are_errors(kind: str, tmp_path: Path) -> None:
    for key, near in (("min_usr", "'min_user'"), ("implict", "'implicit'"), ("zzz", "Valid names: ")):
        with pytest.raises(SottovoceError, match=f"{key} is not a setting of .*{near}"):
            sottovoce.load(given(kind, tmp_path), **{key: 1})


def test_settings_without_an_effect_are_errors(tmp_path: Path) -> None:
    for key, value in (("columns", {"user": 1, "item": 2}), ("scale", (1, 5)), ("users", 5)):
        with pytest.raises(SottovoceError, match=f"{key} is not a setting of interactions that are loaded"):
            sottovoce.load(given("interactions", tmp_path), **{key: value})
    for key in ("separator", "header", "encoding", "path"):
        with pytest.raises(SottovoceError, match=f"{key} is not a setting of a table in memory"):
            sottovoce.load(given("frame", tmp_path), **{key: "x"})
    assert sottovoce.load(given("frame", tmp_path), min_user=2).people == 1
    assert sottovoce.load(given("interactions", tmp_path), min_user=2).people == 1
