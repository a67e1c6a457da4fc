"""A table that is not the run's own ends in a sentence, whatever it holds."""

import shutil

import polars as pl
import pytest

from sottovoce.errors import RunError
from sottovoce.experiments.report.report import report
from sottovoce.experiments.runs.run import Run

OTHERS = {
    "another table": (lambda own: pl.DataFrame({"a": [1]}), "has no column 'user'"),
    "no metrics": (lambda own: own.select("user"), "has no column 'hr@5'"),
    "no popularity": (
        lambda own: own.drop("popularity hr@5"),
        "has no column 'popularity hr@5'",
    ),
    "fewer people": (lambda own: own.head(3), "the run has 60 people, and it has 3 rows"),
    "none": (lambda own: own.head(0), "0 rows"),
    "numbers for people": (
        lambda own: own.with_columns(pl.int_range(60).alias("user")),
        "'user' does not hold text",
    ),
    "texts for numbers": (
        lambda own: own.with_columns(pl.lit("x").alias("hr@5")),
        "'hr@5' does not hold numbers",
    ),
    "lists": (lambda own: own.with_columns(pl.lit([1.0]).alias("more")), "'more' does not hold numbers"),
    "nobody has a name": (
        lambda own: own.with_columns(pl.lit(None, pl.String).alias("user")),
        "'user' has empty cells",
    ),
    "no number for history": (
        lambda own: own.with_columns(pl.lit(None, pl.Float64).alias("history")),
        "'history' has empty cells",
    ),
}


@pytest.fixture
def place(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


@pytest.mark.parametrize("name", OTHERS)
def test_people(place, name):
    change, says = OTHERS[name]
    path = place / "per_user.parquet"
    change(pl.read_parquet(path)).write_parquet(path)
    with pytest.raises(RunError, match=rf"per_user\.parquet is damaged: .*{says}.*Run anew"):
        report([place])


def test_people_of_another_run(place, tmp_path, small):
    """It has another metric, so other columns; or the same, and then nobody can tell."""
    from sottovoce.experiments.runs.start import run_recipe

    other = run_recipe(small(run__rounds=1, evaluate__ks=[7], evaluate__metrics=["mrr"]), tmp_path / "other")
    shutil.copy(other.directory / "per_user.parquet", place)
    with pytest.raises(RunError, match=r"per_user\.parquet is damaged: it has no column 'hr@5'"):
        report([place])


def test_recommendations(place):
    path = place / "recommendations.parquet"
    pl.read_parquet(path).drop("rank").write_parquet(path)
    with pytest.raises(RunError, match=r"recommendations\.parquet is damaged: it has no column 'rank'"):
        report([place])
    shutil.copy(place / "per_user.parquet", path)
    with pytest.raises(RunError, match=r"recommendations\.parquet is damaged"):
        report([place])


def test_what_may_be_missing(place):
    """Runs of earlier versions have no history and no figures of nodes."""
    path = place / "per_user.parquet"
    own = pl.read_parquet(path)
    own.drop("history", *(name for name in own.columns if name.startswith("node "))).write_parquet(path)
    assert "do not say how much history" in report([place]).html
    assert Run.open(place).verdict.headline
