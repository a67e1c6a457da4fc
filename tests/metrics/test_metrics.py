"""What holds for all metrics: the examples in their docstrings, and which direction is better."""

import doctest
import importlib
from pathlib import Path

import pytest

from sottovoce import metrics

FILES = [p.stem for p in Path(metrics.__file__).parent.glob("*.py") if p.stem != "__init__"]


@pytest.mark.parametrize("name", FILES)
def test_examples_in_the_documentation_hold(name: str) -> None:
    done = doctest.testmod(importlib.import_module(f"sottovoce.metrics.{name}"))
    assert done.attempted > 0
    assert done.failed == 0


def test_which_way_is_better() -> None:
    worse_when_high = {"rmse", "mae", "gini", "popularity-bias", "top-pop-overlap", "bias-disparity"}
    assert {name for name in metrics.NAMES if metrics.lower_is_better(f"{name}@10")} == worse_when_high
    assert metrics.lower_is_better("rmse")
    assert not metrics.lower_is_better("f1-list@20")


@pytest.mark.parametrize("name", FILES)
def test_every_metric_has_a_test_file(name: str) -> None:
    assert Path(__file__).with_name(f"test_{name}.py").is_file()
