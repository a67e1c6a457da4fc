"""What is known about MovieLens 100K: how far popularity and chance get among 100 unseen items."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sottovoce.data.load import load
from sottovoce.data.splits.local_holdout import LocalHoldout
from sottovoce.evaluate.evaluation import evaluate
from sottovoce.evaluate.recommend import recommend


def test_popularity_and_chance(data_dir: Path, make_network: Any) -> None:
    data = load("ml-100k", data_dir=data_dir)
    split = LocalHoldout().split(data, seed=1)
    counts = np.bincount(split.train.item, minlength=data.items)
    chance = np.random.default_rng(0).permutation(data.items)
    hit_ratios = []
    for scores in (counts, chance):
        rows = np.stack([np.zeros(data.items), scores], axis=1)
        net = make_network(1, data.items, [0] * data.people, 0, rows, [[]] * data.people)
        hit_ratios.append(evaluate(net.model, net.tables, net.people, split).metrics["hr@20"])
        best = recommend(net.model, net.tables, net.people, data.items, n=10)
        assert best.item[0].tolist() == np.argsort(-scores, kind="stable")[:10].tolist()
        rest = evaluate(
            net.model, net.tables, net.people, split, (10,), metrics=["item-coverage"], candidates="all"
        )
        assert rest.metrics["item-coverage@10"] == 10 / data.items  # nobody has trained here, so one list
    assert hit_ratios[0] == pytest.approx(0.73, abs=0.03)
    assert hit_ratios[1] == pytest.approx(20 / 101, abs=0.03)
